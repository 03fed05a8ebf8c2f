import { chmodSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite'
import type { Clock } from './clock.ts'

const DAY_MS = 86_400_000
/** A repeated event or webhook finds its job for this long. */
const DONE_KEPT_MS = 30 * DAY_MS
/** Replies and receipts find their message for this long. */
const LINKS_KEPT_MS = 90 * DAY_MS

const ABANDONED = 'done_at is not null and sealed is not null'

/**
 * A separate SQLite file, opened by one process. `jobs` is the queue; the other tables map ids between both sides. A
 * `lane` is the key of a queue.
 */
const SCHEMA = `
create table if not exists facts (name text primary key, value text not null) strict;
create table if not exists jobs (
  id integer primary key autoincrement,
  kind text not null,
  name text not null unique,
  lane text not null,
  begun_at integer,
  begun_in integer,
  begun_after integer,
  created_at integer not null,
  done_at integer,
  sealed blob
) strict;
create index if not exists jobs_open on jobs (lane, id) where done_at is null;
create index if not exists jobs_done on jobs (done_at) where done_at is not null;
create index if not exists jobs_given_up on jobs (id) where done_at is not null and sealed is not null;
create table if not exists chats (
  chat_jid text primary key, contact_id integer not null, conversation_id integer not null
) strict;
create table if not exists conversations (id integer primary key, chat_jid text not null, last_id integer not null) strict;
create table if not exists links (
  chat_jid text not null, platform_id text not null, inbox_id integer not null, created_at integer not null,
  primary key (chat_jid, platform_id)
) strict, without rowid;
create index if not exists links_inbox on links (inbox_id);
create index if not exists links_age on links (created_at);
create table if not exists outgoing (
  id integer not null, mark text not null, part integer not null, conversation_id integer not null,
  rank integer not null default 0, told integer not null default 0, token text unique, sealed blob, created_at integer not null,
  primary key (id, part)
) strict;
create index if not exists outgoing_age on outgoing (created_at);
`

interface SqliteModule {
  DatabaseSync: new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database
}

/** Encrypts content. `about` binds it to its place. */
export interface Seal {
  seal(plain: Uint8Array | string, about: string): Buffer
  open(sealed: Uint8Array, about: string): Buffer
  sealJson(value: unknown, about: string): Uint8Array
  openJson<T>(sealed: Uint8Array, about: string): T
}

export interface NewJob {
  kind: string
  /** The ledger holds one job per name, however often it is added. */
  name: string
  /** Jobs of one queue run in order. */
  queue: string
  content: unknown
}

/** A job without its content, which may be large. */
export interface JobHead {
  id: number
  kind: string
}

export interface Job<T = unknown> extends JobHead {
  queue: string
  /** When an attempt began whose result is unknown. */
  begunMs: number | null
  /** The conversation of that attempt, and the last message there before it. */
  begunIn: number | null
  begunAfter: number | null
  createdMs: number
  content: T
}

/** The jobs of a bridge, and small facts. The content of a job is sealed, and removed when the job is finished. */
export class BridgeLedger {
  readonly database: Database
  readonly seal: Seal
  readonly #clock: Pick<Clock, 'now'>
  #isInside = false
  /** Queues with new jobs; `null` before the first read. */
  #added: Set<string> | null = null

  constructor(path: string, deps: { seal: Seal; clock: Pick<Clock, 'now'> }) {
    this.database = openDatabase(path)
    this.seal = deps.seal
    this.#clock = deps.clock
    chmodSync(path, 0o600)
    // The lock lasts until the ledger closes: two bridges on one ledger would post every message twice.
    this.database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full')
    this.database.exec(SCHEMA)
  }

  nowMs(): number {
    return this.#clock.now().getTime()
  }

  /** A transaction. A nested call joins the outer one. */
  commit<T>(work: () => T): T {
    if (this.#isInside) return work()
    this.database.exec('begin immediate')
    this.#isInside = true
    try {
      const result = work()
      this.database.exec('commit')
      return result
    } catch (error) {
      this.database.exec('rollback')
      throw error
    } finally {
      this.#isInside = false
    }
  }

  fact(name: string): string | undefined {
    return this.one<{ value: string }>('select value from facts where name = ?', name)?.value
  }

  setFact(name: string, value: string): void {
    this.run('insert into facts values (?, ?) on conflict (name) do update set value = excluded.value', name, value)
  }

  secret(name: string): string | undefined {
    const sealed = this.fact(name)
    return sealed && this.seal.open(Buffer.from(sealed, 'base64'), name).toString('utf8')
  }

  setSecret(name: string, value: string): void {
    this.setFact(name, this.seal.seal(value, name).toString('base64'))
  }

  /** Returns whether the job is new. */
  add({ kind, name, queue, content }: NewJob): boolean {
    const sealed = this.seal.sealJson(content, name)
    const sql =
      'insert into jobs (kind, name, lane, created_at, sealed) values (?, ?, ?, ?, ?) on conflict (name) do nothing'
    const isNew = this.run(sql, kind, name, queue, this.nowMs(), sealed) > 0
    if (isNew) this.#added?.add(queue)
    return isNew
  }

  /** The queues with jobs that were added since the last call; at first all queues with waiting jobs. */
  takeQueues(): string[] {
    const added = this.#added
    this.#added = new Set()
    if (added !== null) return [...added]
    return this.all<{ lane: string }>('select distinct lane from jobs where done_at is null').map(({ lane }) => lane)
  }

  countWaiting(): number {
    return this.one<{ n: number }>('select count(*) as n from jobs where done_at is null')!.n
  }

  next(queue: string): JobHead | undefined {
    return this.one<JobHead>('select id, kind from jobs where lane = ? and done_at is null order by id limit 1', queue)
  }

  open<T>(id: number): Job<T> {
    const { name, sealed, ...job } = this.one<Omit<Job, 'content'> & { name: string; sealed: Uint8Array }>(
      `select id, kind, name, lane as queue, begun_at as "begunMs", begun_in as "begunIn", begun_after as "begunAfter",
         created_at as "createdMs", sealed
       from jobs where id = ?`,
      id,
    )!
    return { ...job, content: this.seal.openJson<T>(sealed, name) }
  }

  /** Records that an attempt begins. Its result is unknown until the job is finished or the attempt is cleared. */
  beginAttempt(id: number, { conversationId, after }: { conversationId: number; after: number }): void {
    const sql = 'update jobs set begun_at = ?, begun_in = ?, begun_after = ? where id = ?'
    this.run(sql, this.nowMs(), conversationId, after, id)
  }

  /** The attempt certainly had no effect. */
  clearAttempt(id: number): void {
    this.run('update jobs set begun_at = null where id = ?', id)
  }

  finish(id: number): void {
    this.run('update jobs set done_at = ?, begun_at = null, sealed = null where id = ?', this.nowMs(), id)
  }

  /** The job is not retried any more. Its content stays as long as its name. */
  abandon(id: number): void {
    this.run('update jobs set done_at = ? where id = ?', this.nowMs(), id)
  }

  countAbandoned(): number {
    return this.one<{ n: number }>(`select count(*) as n from jobs where ${ABANDONED}`)!.n
  }

  /** Queues abandoned jobs again, ahead of later jobs of their queue. Returns their number. */
  restoreAbandoned(): number {
    this.#added = null
    return this.run(`update jobs set done_at = null where ${ABANDONED}`)
  }

  /** Removes finished jobs and links after their retention. */
  removeExpired(): void {
    const now = this.nowMs()
    this.commit(() => {
      this.run('delete from jobs where done_at < ?', now - DONE_KEPT_MS)
      this.run('delete from links where created_at < ?', now - LINKS_KEPT_MS)
      this.run('delete from outgoing where created_at < ?', now - LINKS_KEPT_MS)
    })
  }

  close(): void {
    this.database.close()
  }

  one<T>(sql: string, ...values: Array<string | number | Uint8Array | null>): T | undefined {
    return this.database.prepare(sql).get(...values) as T | undefined
  }

  all<T>(sql: string, ...values: Array<string | number | Uint8Array | null>): T[] {
    return this.database.prepare(sql).all(...values) as T[]
  }

  run(sql: string, ...values: Array<string | number | Uint8Array | null>): number {
    return Number(this.database.prepare(sql).run(...values).changes)
  }
}

/** The SQLite of Node if it has one, else the package with the same interface. */
function openDatabase(path: string): Database {
  const builtin = process.getBuiltinModule?.('node:sqlite') as SqliteModule | undefined
  const { DatabaseSync } = builtin ?? (createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule)
  const database = new DatabaseSync(path, { readOnly: false, timeout: 0 })
  database.exec('pragma cache_size = -16384; pragma temp_store = memory; pragma foreign_keys = on')
  return database
}
