import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '../../dist/runtime/clock.js'
import { ColumnTypes, toDollars } from '../../dist/store/postgres/dialect.js'
import { SignalSet } from '../../dist/store/postgres/notifications/signal-set.js'
import { makeTx } from '../../dist/store/postgres/transaction.js'
import { openPostgresStore } from '../../dist/store/postgres/postgres-store.js'
import { runTransaction, codecOf } from '../../dist/store/run-transaction.js'
import {
  Connection,
  NOW_SQL,
  openDatabase,
  sqliteAmong,
  sqliteIds,
  sqliteValues,
} from '../../dist/store/sqlite/driver.js'
import { databasePath } from '../../dist/store/sqlite/data-folder.js'
import { openSqliteStore } from '../../dist/store/sqlite/sqlite-store.js'
import { CheckpointSignal } from '../../dist/store/sqlite/checkpoint-signal.js'
import { Writer } from '../../dist/store/sqlite/writer.js'
import { repositories } from '../../dist/store/repositories.js'
import { startPostgres } from '../shared/postgres.mjs'

/** How long a server's process has run on a processor: excludes other load of the machine. */
const onProcessorMs = pid => Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6

/** The same of this process. */
function ownMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * An engine that records its statements with their times. It rolls back every transaction instead of committing
 * it. `statements` are those of the last transaction; `explain` returns the plan of one of them.
 */
export const openEngine = kind => (kind === 'postgres' ? openPostgres() : openSqlite())

async function openPostgres() {
  const server = await startPostgres()
  await (await openPostgresStore({ url: server.url })).close()
  const client = new pg.Client({ connectionString: server.url, types: { getTypeParser } })
  await client.connect()
  const columns = new ColumnTypes()
  await columns.load(client)
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const backend = rows[0].pid
  let statements = []
  const query = async (sql, values) => {
    const beganMs = onProcessorMs(backend)
    const result = await client.query({ ...toDollars(sql), values })
    statements.push({ sql: toDollars(sql).text, values, ms: onProcessorMs(backend) - beganMs })
    return result
  }
  const tx = () => makeTx(query, columns, systemClock.now().getTime(), new SignalSet())
  return {
    dialect: 'postgres',
    spentMs: () => onProcessorMs(backend) + ownMs(),
    run: sql => client.query(sql),
    /** Updates the statistics, as autovacuum does. */
    settle: () => client.query('vacuum analyze'),
    /** PostgreSQL plans a prepared statement for its values or generically: both occur. */
    modes: ['force_custom_plan', 'force_generic_plan'],
    setMode: mode => client.query(`set plan_cache_mode = ${mode}`),
    perform: async (repository, name, input) => {
      statements = []
      const read = repositories[repository].reads[name]
      if (read !== undefined) await read(tx(), input)
      else await rolledBack(client, () => runTransaction(tx(), { repository, name }, input))
      return statements
    },
    explain: async ({ sql, values }) => {
      const { rows } = await rolledBack(client, () => client.query(`explain (costs off) ${sql}`, values))
      return rows.map(row => row['QUERY PLAN'])
    },
    close: async () => {
      await client.end()
      await server.stop()
    },
  }
}

async function rolledBack(client, work) {
  await client.query('begin')
  try {
    return await work()
  } finally {
    await client.query('rollback')
  }
}

const getTypeParser = (oid, format) => (oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format))

class RecordingConnection extends Connection {
  statements = []
  exec(sql) {
    super.exec(sql === 'commit' ? 'rollback' : sql)
  }
  all(sql, params) {
    return this.#timed(sql, params, () => super.all(sql, params))
  }
  get(sql, params) {
    return this.#timed(sql, params, () => super.get(sql, params))
  }
  run(sql, params) {
    return this.#timed(sql, params, () => super.run(sql, params))
  }
  insert(table, rows, tail) {
    return this.#timed(`insert into ${table} … ${tail}`, [], () => super.insert(table, rows, tail))
  }
  insertLists(insert, rows) {
    return this.#timed(`insert into ${insert.table} …`, [], () => super.insertLists(insert, rows))
  }
  #timed(sql, values, work) {
    const beganMs = ownMs()
    const result = work()
    this.statements.push({ sql, values, ms: ownMs() - beganMs })
    return result
  }
}

async function openSqlite() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  await (await openSqliteStore({ dataDir })).close()
  const connection = new RecordingConnection(openDatabase(databasePath(dataDir), { readOnly: false }))
  const database = connection.database
  database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -1048576')
  const writer = new Writer(connection, systemClock, new CheckpointSignal())
  const reader = {
    dialect: 'sqlite',
    nowSql: NOW_SQL,
    now: async () => systemClock.now().getTime(),
    all: async (sql, ...params) => connection.all(sql, params),
    get: async (sql, ...params) => connection.get(sql, params),
    values: sqliteValues,
    keys: sqliteValues,
    ids: sqliteIds,
    among: sqliteAmong,
  }
  return {
    dialect: 'sqlite',
    spentMs: () => ownMs(),
    run: async sql => database.exec(sql),
    settle: async () => database.exec('pragma wal_checkpoint(truncate); pragma cache_size = -16384'),
    modes: [''],
    setMode: async () => {},
    perform: async (repository, name, input) => {
      connection.statements = []
      const read = repositories[repository].reads[name]
      if (read !== undefined) await read(reader, input)
      else await askWriter(writer, { repository, name }, input)
      return connection.statements
    },
    explain: async ({ sql, values }) =>
      sql.includes('…')
        ? [sql]
        : database
            .prepare(`explain query plan ${sql}`)
            .all(...values)
            .map(row => row.detail),
    close: async () => {
      connection.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function askWriter(writer, transaction, input) {
  return new Promise((resolve, reject) => {
    const port = {
      postMessage: ({ outcomes: [outcome] }) => {
        if (outcome.error === undefined) resolve(outcome.value)
        else reject(new Error(outcome.error.message))
      },
    }
    const codec = codecOf(transaction)
    const packed = codec === undefined ? input : input.map(item => codec.packItem(item))
    writer.enqueue(port, [{ id: 1, transaction, input: packed }])
  })
}
