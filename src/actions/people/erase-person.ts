import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { withoutCodes } from '../../domain/fingerprint.ts'
import { aboutErasure, aboutErasurePosition, aboutKey, aboutMedia } from '../../domain/sealed.ts'
import type { Changed, Deleted, ErasureStep, TakenErasure } from '../../store/erasures/erasures.ts'
import { type SearchedTable, SEARCHED_TABLES } from '../../store/erasures/searched-tables.ts'
import type { Store } from '../../store/store.ts'
import type { Row, Value } from '../../store/transaction.ts'
import { type FoundRow, namesOf, patternOf, rowsThatName, type SearchDeps, searchesOf } from './search-person.ts'
import { withoutPerson } from './shared-keys.ts'

/** What is sealed while an erasure runs. Only the name of the request is known at first. */
interface Names {
  jid: string
  all?: string[]
}

/** Everything is searched twice: what moved between two tables meanwhile, or was in memory, is found the second time. */
const PASSES = 2

/** So many batches without a find are a few seconds: a commit shows other processes that this one is at work. */
const WRITTEN_AFTER = 20

interface Position {
  pass: number
  table: number
  sessionId: string | null
  after: Value[] | null
  /** Numbers and shards that have to forget what they have in memory, at the end of the pass. */
  sessionIds: string[]
  shards: number[]
}

const START: Position = { pass: 1, table: 0, sessionId: null, after: null, sessionIds: [], shards: [] }

export interface EraseDeps extends SearchDeps {
  store: SearchDeps['store'] & Pick<Store, 'compact'>
}

/** Runs an erasure to its end, in short commits. After a crash another process continues behind the last one. */
export async function runErasure(deps: EraseDeps, erasure: TakenErasure, signal: AbortSignal): Promise<void> {
  const { seal } = deps
  const { id, accountId } = erasure
  const names = seal.openJson<Names>(erasure.names, aboutErasure(id))
  const all = names.all ?? (await namesOf(deps, accountId, names.jid))
  const eraser = new Eraser(deps, erasure, patternOf(all), signal)
  let position: Position | null =
    erasure.position === null ? START : seal.openJson<Position>(erasure.position, aboutErasurePosition(id))
  if (names.all === undefined)
    await eraser.write({}, position, seal.sealJson({ jid: names.jid, all }, aboutErasure(id)))
  while (position !== null && !signal.aborted) {
    position = await eraser.step(position)
    // The embedded database answers within this turn of the event loop.
    await yieldToEvents()
  }
}

class Eraser {
  readonly #deps: EraseDeps
  readonly #erasure: TakenErasure
  readonly #pattern: RegExp
  readonly #signal: AbortSignal
  /** Batches since the last commit. */
  #unwritten = 0

  constructor(deps: EraseDeps, erasure: TakenErasure, pattern: RegExp, signal: AbortSignal) {
    this.#deps = deps
    this.#erasure = erasure
    this.#pattern = pattern
    this.#signal = signal
  }

  /** Erases what one batch of rows has of the person. Returns where to continue; `null` at the end. */
  async step(position: Position): Promise<Position | null> {
    const { store, seal } = this.#deps
    const { accountId } = this.#erasure
    const table = SEARCHED_TABLES[position.table]
    if (table === undefined) return await this.#endPass(position)
    const searches = searchesOf(table, accountId, await store.erasures.listNumberIds(accountId))
    const search = searches.find(each => position.sessionId === null || each.sessionId === position.sessionId)
    if (search === undefined) return { ...position, table: position.table + 1, sessionId: null, after: null }
    const { rows, next } = await store.erasures.searchRows({ ...search, after: position.after })
    const found = rowsThatName(seal, table, rows, this.#pattern)
    const following = searches[searches.indexOf(search) + 1]?.sessionId ?? null
    const moved =
      next !== null
        ? { sessionId: search.sessionId, after: next }
        : following !== null
          ? { sessionId: following, after: null }
          : { table: position.table + 1, sessionId: null, after: null }
    const sessionIds = found.flatMap(({ row }) =>
      HELD.has(table.table) ? [String(row['session_id'] ?? search.sessionId)] : [],
    )
    const shards = found.flatMap(({ row }) => (table.table === 'deliveries' ? [Number(row['shard'])] : []))
    const after: Position = {
      ...position,
      ...moved,
      sessionIds: [...new Set([...position.sessionIds, ...sessionIds])],
      shards: [...new Set([...position.shards, ...shards])],
    }
    this.#unwritten += 1
    if (found.length === 0 && this.#unwritten >= WRITTEN_AFTER) await this.write({}, after)
    if (found.length > 0) await this.write(this.#erasing(table, search.sessionId, found), after)
    return after
  }

  async #endPass({ pass, sessionIds, shards }: Position): Promise<Position | null> {
    const next = pass === PASSES ? null : { ...START, pass: pass + 1 }
    if (next === null) await this.#deps.store.compact?.(this.#signal)
    // The next process ends the pass again.
    if (this.#signal.aborted) return null
    await this.write({ sessionIds, shards }, next)
    return next
  }

  async write(step: Partial<ErasureStep>, position: Position | null, names?: Uint8Array): Promise<void> {
    this.#unwritten = 0
    const { store, seal } = this.#deps
    const { id } = this.#erasure
    const nothing = { deleted: [], changed: [], eventIds: [], mediaIds: [], sessionIds: [], shards: [], erased: {} }
    const sealed = position === null ? null : seal.sealJson(position, aboutErasurePosition(id))
    await store.erasures.eraseStep({ id, ...nothing, ...step, position: sealed, ...(names && { names }) })
  }

  #erasing(table: SearchedTable, sessionId: string | null, found: readonly FoundRow[]): Partial<ErasureStep> {
    const deleted: Deleted[] = []
    const changed: Changed[] = []
    for (const { row, opened } of found) {
      const where = keyOf(table, sessionId, row)
      if (table.table === 'messages') forgetMessage(row, where, deleted, changed)
      else if (table.table === 'commands') dropCommand(row, where, deleted, changed)
      else if (table.table === 'api_log') changed.push({ table: 'api_log', where, set: this.#withoutNames(row) })
      else if (table.table === 'media') changed.push({ table: 'media', where, set: this.#expired(row) })
      else {
        const kept = table.table === 'device_keys' ? this.#withoutPerson(row, sessionId!, opened) : undefined
        if (kept === undefined) deleted.push({ table: table.table, where })
        else changed.push({ table: 'device_keys', where, set: kept })
      }
    }
    const media = found.flatMap(({ row, opened }) =>
      [row['redacted'], ...Object.values(opened)].flatMap(
        text => String(text ?? '').match(/\bmed_[0-9a-z]{26}\b/g) ?? [],
      ),
    )
    return {
      deleted,
      changed,
      eventIds: table.table === 'events' ? found.map(({ row }) => String(row['id'])) : [],
      mediaIds: [...new Set(media)],
      erased: { [table.kind]: found.length },
    }
  }

  #withoutNames(row: Row): Row {
    return { requests: String(row['requests']).replaceAll(new RegExp(this.#pattern, 'g'), 'erased') }
  }

  /** Its bytes are deleted by the cleanup of files, before the row is. */
  #expired({ id }: Row): Row {
    return { expires_at: 0, sealed: this.#deps.seal.sealJson({}, aboutMedia(String(id))) }
  }

  /** A key with several people stays without this one. */
  #withoutPerson({ category, id }: Row, sessionId: string, opened: FoundRow['opened']): Row | undefined {
    const [text] = (opened['sealed'] ?? '').split('\n')
    if (text === undefined || text === '' || this.#pattern.test(String(id))) return undefined
    const kept = withoutPerson(String(category), String(id), JSON.parse(text), this.#pattern)
    if (kept === undefined) return undefined
    return { sealed: this.#deps.seal.sealJson(kept, aboutKey(sessionId, String(category), String(id))) }
  }
}

/** Tables whose rows a number's host has in memory. */
const HELD = new Set(['commands', 'inbox', 'device_keys'])

function keyOf({ key, of }: SearchedTable, sessionId: string | null, row: Row): Row {
  const own = Object.fromEntries(key.map(column => [column, row[column] ?? null]))
  return of === 'number' ? { session_id: sessionId, ...own } : own
}

const ERASED_DETAIL = 'a person whom it named was erased'

/**
 * The record stays without the recipient, so that its id and its idempotency key are still known: a request that is
 * repeated is refused, and sends nothing to the person. The fingerprint of the body fits no request any more.
 */
function forgetMessage(row: Row, where: Row, deleted: Deleted[], changed: Changed[]): void {
  const { id, session_id, platform_id, state } = row
  const isWaiting = state === 'queued' || state === 'scheduled'
  changed.push({
    table: 'messages',
    where,
    set: {
      recipient: '',
      request_id: id!,
      ...(row['fingerprint'] instanceof Uint8Array && { fingerprint: withoutCodes(row['fingerprint']) }),
      ...(isWaiting && { state: 'failed', reason: 'SEND_FAILED', detail: ERASED_DETAIL }),
    },
  })
  deleted.push({ table: 'commands', where: { message_id: id! } }, { table: 'commands', where: { id: id! } })
  deleted.push({ table: 'message_contents', where: { message_id: id! } })
  deleted.push({ table: 'sent_messages', where: { session_id: session_id!, platform_id: platform_id! } })
}

/** A message to others that names the person, and waits: it is not sent, and its record says why. */
function dropCommand({ kind, message_id, id }: Row, where: Row, deleted: Deleted[], changed: Changed[]): void {
  deleted.push({ table: 'commands', where })
  if (kind !== 'send') return
  const message = { id: message_id ?? id! }
  const set = { state: 'failed', reason: 'SEND_FAILED', detail: ERASED_DETAIL }
  changed.push({ table: 'messages', where: message, set })
}
