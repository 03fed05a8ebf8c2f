import { openDatabase } from '../../dist/store/sqlite/driver.js'
import { databasePath } from '../../dist/store/sqlite/data-folder.js'
import { runStatement } from './postgres.mjs'

/** Runs one statement directly on the database of a gateway; returns the rows. */
export async function query({ databaseUrl, dataDir }, sql) {
  if (databaseUrl === null) {
    const database = openDatabase(databasePath(dataDir), { readOnly: false })
    const rows = database.prepare(sql).all()
    database.close()
    return rows
  }
  return await runStatement(databaseUrl, sql)
}
