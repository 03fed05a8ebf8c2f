import { chmodSync } from 'node:fs'
import type { Clock } from '../../runtime/clock.ts'
import type { Seal } from '../seal.ts'
import { type Database, openDatabase } from '../sqlite/driver.ts'
import { BRIDGE_SCHEMA } from './schema.ts'

const DAY_MS = 86_400_000
/** So that what comes once more is known. */
const DONE_KEPT_MS = 30 * DAY_MS
/** So that replies and receipts find what they are about. */
const LINKS_KEPT_MS = 90 * DAY_MS

const GIVEN_UP = 'done_at is not null and sealed is not null'

export interface NewJob {
  kind: string
  /** Under one name there is one job, however often it is brought. */
  name: string
  /** Jobs of one lane are done one after the other. */
  lane: string
  content: unknown
}

/** Which job is next: what it holds may be large. */
export interface Head {
  id: number
  kind: string
}

export interface Job<T = unknown> extends Head {
  lane: string
  /** When it was tried last, where nobody knows what came of that. */
  begunMs: number | null
  /** And in which conversation, behind which message there. */
  begunIn: number | null
  begunAfter: number | null
  createdMs: number
  content: T
}

/**
 * The jobs of a bridge, each from its arrival to its end, and small facts. Content is sealed, and gone with the end; of
 * what was given up it stays.
 */
export class BridgeLedger {
  readonly database: Database
  readonly seal: Seal
  readonly #clock: Pick<Clock, 'now'>
  #isInside = false
  /** Lanes that something was added to; `null` before they were read for the first time. */
  #added: Set<string> | null = null

  constructor(path: string, parts: { seal: Seal; clock: Pick<Clock, 'now'> }) {
    this.database = openDatabase(path, { readOnly: false, timeoutMs: 0 })
    this.seal = parts.seal
    this.#clock = parts.clock
    chmodSync(path, 0o600)
    // Held as long as it is open: two bridges on one ledger would bring everything twice.
    this.database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full')
    this.database.exec(BRIDGE_SCHEMA)
  }

  nowMs(): number {
    return this.#clock.now().getTime()
  }

  /** All of it is on disk afterwards, or nothing. One inside another is part of it. */
  commit<T>(work: () => T): T {
    if (this.#isInside) return work()
    this.database.exec('begin immediate')
    this.#isInside = true
    try {
      const answer = work()
      this.database.exec('commit')
      return answer
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

  note(name: string, value: string): void {
    this.run('insert into facts values (?, ?) on conflict (name) do update set value = excluded.value', name, value)
  }

  secret(name: string): string | undefined {
    const sealed = this.fact(name)
    return sealed && this.seal.open(Buffer.from(sealed, 'base64'), name).toString('utf8')
  }

  noteSecret(name: string, value: string): void {
    this.note(name, this.seal.seal(value, name).toString('base64'))
  }

  /** Answers whether it is new. */
  add({ kind, name, lane, content }: NewJob): boolean {
    const sealed = this.seal.sealJson(content, name)
    const sql =
      'insert into jobs (kind, name, lane, created_at, sealed) values (?, ?, ?, ?, ?) on conflict (name) do nothing'
    const isNew = this.run(sql, kind, name, lane, this.nowMs(), sealed) > 0
    if (isNew) this.#added?.add(lane)
    return isNew
  }

  /** Lanes that something was added to since this was asked last; at first all in which something waits. */
  takeLanes(): string[] {
    const added = this.#added
    this.#added = new Set()
    if (added !== null) return [...added]
    return this.all<{ lane: string }>('select distinct lane from jobs where done_at is null').map(({ lane }) => lane)
  }

  waiting(): number {
    return this.one<{ n: number }>('select count(*) as n from jobs where done_at is null')!.n
  }

  next(lane: string): Head | undefined {
    return this.one<Head>('select id, kind from jobs where lane = ? and done_at is null order by id limit 1', lane)
  }

  open<T>(id: number): Job<T> {
    const { name, sealed, ...job } = this.one<Omit<Job, 'content'> & { name: string; sealed: Uint8Array }>(
      `select id, kind, name, lane, begun_at as "begunMs", begun_in as "begunIn", begun_after as "begunAfter",
         created_at as "createdMs", sealed
       from jobs where id = ?`,
      id,
    )!
    return { ...job, content: this.seal.openJson<T>(sealed, name) }
  }

  /** From now on nobody knows what came of it, until somebody says. */
  begin(id: number, { conversationId, after }: { conversationId: number; after: number }): void {
    const sql = 'update jobs set begun_at = ?, begun_in = ?, begun_after = ? where id = ?'
    this.run(sql, this.nowMs(), conversationId, after, id)
  }

  /** It is known that nothing came of it. */
  takeBack(id: number): void {
    this.run('update jobs set begun_at = null where id = ?', id)
  }

  finish(id: number): void {
    this.run('update jobs set done_at = ?, begun_at = null, sealed = null where id = ?', this.nowMs(), id)
  }

  /** It is done no more, and what it holds is kept as long as its name. */
  giveUp(id: number): void {
    this.run('update jobs set done_at = ? where id = ?', this.nowMs(), id)
  }

  givenUp(): number {
    return this.one<{ n: number }>(`select count(*) as n from jobs where ${GIVEN_UP}`)!.n
  }

  /** What was given up is to be done again, ahead of what came later in its lane. Answers how many they are. */
  bringBack(): number {
    this.#added = null
    return this.run(`update jobs set done_at = null where ${GIVEN_UP}`)
  }

  /** Drops what nothing asks for any more. */
  trim(): void {
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
