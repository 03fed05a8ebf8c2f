import pg from 'pg'
import { openDatabase } from '../../dist/store/sqlite/driver.js'
import { databasePath } from '../../dist/store/sqlite/sqlite-store.js'

/** Runs one statement on the database of a gateway, past the gateway; answers the rows. */
export async function query({ databaseUrl, dataDir }, sql) {
  if (databaseUrl === null) {
    const database = openDatabase(databasePath(dataDir), { readOnly: false })
    const rows = database.prepare(sql).all()
    database.close()
    return rows
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
