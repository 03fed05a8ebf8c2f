import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** Counters of a database's work. */
export class Meters {
  #client
  #folderPid

  static async open(url) {
    const meters = new Meters()
    meters.#client = new pg.Client({ connectionString: url })
    await meters.#client.connect()
    await meters.#client.query('create extension if not exists pg_stat_statements')
    const { rows } = await meters.#client.query('select pg_backend_pid() as pid')
    meters.#folderPid = parentOf(rows[0].pid)
    return meters
  }

  async read() {
    const one = async sql => (await this.#client.query(sql)).rows[0]
    const statements = await one(
      "select sum(calls)::float8 as calls from pg_stat_statements where query not ilike '%pg_stat%'",
    )
    const wal = await one('select wal_bytes::float8 as bytes from pg_stat_wal')
    const rows = await one(
      `select sum(n_tup_ins)::float8 as inserts, sum(n_tup_upd)::float8 as updates, sum(n_tup_del)::float8 as deletes,
         sum(n_tup_hot_upd)::float8 as hot from pg_stat_user_tables`,
    )
    const commits = await one(
      'select xact_commit::float8 as commits from pg_stat_database where datname = current_database()',
    )
    return {
      atMs: performance.now(),
      cpuMs: cpuOf(this.#folderPid),
      ...statements,
      wal: wal.bytes,
      ...rows,
      ...commits,
    }
  }

  async ask(sql) {
    return (await this.#client.query(sql)).rows
  }

  /** The most frequent statements between two readings, with their times. */
  async busiest(limit) {
    const { rows } = await this.#client.query(
      `select calls::float8 as calls, total_exec_time as ms, left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as query
       from pg_stat_statements where query not ilike '%pg_stat%' order by calls desc limit ${limit}`,
    )
    return rows
  }

  async shares() {
    const { rows } = await this.#client.query(
      `select relname as name, n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot from pg_stat_user_tables
       where n_tup_upd > 100 order by n_tup_upd desc`,
    )
    return rows
  }

  forget() {
    return this.#client.query('select pg_stat_statements_reset(), pg_stat_reset()')
  }

  close() {
    return this.#client.end()
  }
}

/** The rates per second between two readings. */
export function perSecond(before, after) {
  const seconds = (after.atMs - before.atMs) / 1_000
  const rate = name => (after[name] - before[name]) / seconds
  return {
    statements: rate('calls'),
    commits: rate('commits'),
    writes: rate('inserts') + rate('updates') + rate('deletes'),
    hot: (after.hot - before.hot) / Math.max(1, after.updates - before.updates),
    walKb: rate('wal') / 1_024,
    cpu: rate('cpuMs') / 1_000,
  }
}

const statOf = pid => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ')
const parentOf = pid => Number(statOf(pid)[1])
const TICK_MS = 10

/** The processor time of a server and all its processes, including ended ones. */
function cpuOf(server) {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const stat = statOf(pid)
      if (Number(pid) === server) ticks += Number(stat[11]) + Number(stat[12]) + Number(stat[13]) + Number(stat[14])
      else if (Number(stat[1]) === server) ticks += Number(stat[11]) + Number(stat[12])
    } catch {
      // The process has ended; its parent's total includes it.
    }
  }
  return ticks * TICK_MS
}
