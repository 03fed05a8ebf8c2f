import { openDatabase } from '../../dist/store/sqlite/driver.js'
import { databasePath } from '../../dist/store/sqlite/data-folder.js'
import { tell } from './postgres.mjs'

/** Runs one statement on the database of a gateway, past the gateway; answers the rows. */
export async function query({ databaseUrl, dataDir }, sql) {
  if (databaseUrl === null) {
    const database = openDatabase(databasePath(dataDir), { readOnly: false })
    const rows = database.prepare(sql).all()
    database.close()
    return rows
  }
  return await tell(databaseUrl, sql)
}
