import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { openDatabase } from '../../dist/store/sqlite/driver.js'

/**
 * Tables of the floor: rows of all columns, inserted in group commits with fsync, and read by their id. Embedded, the
 * same SQLite in a writer thread; otherwise one insert of many rows for each batch.
 */
const MAX_BATCH = 256

/** `tables`: for each name the columns with their types; the first column is the primary key. */
export async function openTables({ databaseUrl, path }, tables) {
  const engine = databaseUrl === undefined ? await openEmbedded(path, tables) : await openServer(databaseUrl, tables)
  return { ...engine, insert: groupCommits(engine.write) }
}

/** Adds items to the next batch while one is being written; resolves when the item's batch is durable. */
function groupCommits(write) {
  let waiting = []
  let isWriting = false
  const run = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH)
      await write(batch.map(({ item }) => item))
      for (const { done } of batch) done()
    }
    isWriting = false
  }
  return item =>
    new Promise(done => {
      waiting.push({ item, done })
      if (!isWriting) void run()
    })
}

async function openEmbedded(path, tables) {
  const thread = new Worker(new URL('writer.mjs', import.meta.url), { workerData: { path, tables } })
  await new Promise(resolve => thread.once('message', resolve))
  const reader = openDatabase(path, { readOnly: true })
  const statements = new Map()
  return {
    /** `items`: for each table a row. */
    write: items =>
      new Promise(resolve => {
        thread.once('message', resolve)
        thread.postMessage(items)
      }),
    read: async (table, after, limit) => {
      const sql = `select * from ${table} where ${tables[table][0][0]} > ? order by 1 limit ${limit}`
      if (!statements.has(sql)) statements.set(sql, reader.prepare(sql))
      return statements.get(sql).all(after)
    },
    close: async () => {
      reader.close()
      await thread.terminate()
    },
  }
}

async function openServer(databaseUrl, tables) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  const inserts = []
  for (const [name, columns] of Object.entries(tables)) {
    const typed = columns.map(([column, type]) => `${column} ${type === 'blob' ? 'bytea' : type}`)
    await pool.query(`create table ${name} (${typed.join(', ')}, primary key (${columns[0][0]}))`)
    const arrays = typed.map((each, i) => `$${i + 1}::${each.split(' ')[1]}[]`)
    inserts.push({
      name,
      count: columns.length,
      text: `insert into ${name} select * from unnest(${arrays.join(', ')})`,
    })
  }
  return {
    write: async items => {
      const client = inserts.length > 1 ? await pool.connect() : pool
      if (inserts.length > 1) await client.query('begin')
      for (const { name, count, text } of inserts) {
        const values = Array.from({ length: count }, (_, i) => items.map(item => item[name][i]))
        await client.query({ name, text, values })
      }
      if (inserts.length > 1) {
        await client.query('commit')
        client.release()
      }
    },
    read: async (table, after, limit) => {
      const text = `select * from ${table} where ${tables[table][0][0]} > $1 order by 1 limit ${limit}`
      return (await pool.query({ name: `read ${table}`, text, values: [after] })).rows
    },
    close: () => pool.end(),
  }
}
