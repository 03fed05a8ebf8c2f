import { BOUNDS } from '../../domain/bounds.ts'
import type { AnyKind, Category } from '../../domain/event.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'
import { insertListened, type PublishedEvent } from './insert-listened.ts'

/** New events of one stream. */
export interface Addition {
  events: PublishedEvent[]
  /** How long a pull endpoint keeps them; `null` for the listeners of an account. */
  keepMs: number | null
}

/**
 * Copies events to their streams, in the transaction that stores them. The keys are the ids of the streams. The row of a stream is locked
 * until the commit, so that sequence numbers appear in order: a program that has read one of them has missed none before
 * it.
 */
export async function addToStreams(tx: Tx, additions: Map<string, Addition>): Promise<void> {
  // In a fixed order, so that two transactions cannot deadlock.
  for (const id of [...additions.keys()].sort()) await addToStream(tx, id, additions.get(id)!)
}

async function addToStream(tx: Tx, id: string, { events, keepMs }: Addition): Promise<void> {
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0)
  const head = await tx.get<{ seq: number; total: number; until: number | null }>(
    `update streams set seq = seq + ?, total = total + ? where id = ? and (listened_until is null or listened_until > ?)
     returning seq, total, listened_until as until`,
    events.length,
    bytes,
    id,
    tx.nowMs,
  )
  if (head === undefined) return
  let [seq, total] = [head.seq - events.length, head.total - bytes]
  // The listener with the longest timeout still finds it.
  const expiresAt = keepMs === null ? Math.max(tx.nowMs + KEPT_MS.listenedEvents, head.until!) : tx.nowMs + keepMs
  const placed = events.map(event => ({ ...event, seq: ++seq, total: (total += event.bytes) }))
  await insertListened(tx, { id, expiresAt }, placed)
  if (keepMs === null) await makeRoom(tx, id, head, { events: BOUNDS.listenedEvents, bytes: BOUNDS.listenedBytes })
  else await makeRoom(tx, id, head, { events: BOUNDS.pulledEvents, bytes: BOUNDS.pulledBytes })
  tx.notify({ about: 'listened', streamId: id })
}

/** Deletes the oldest events. A program that has not read them learns from `missed` how many there were. */
async function makeRoom(
  tx: Tx,
  id: string,
  head: { seq: number; total: number },
  most: { events: number; bytes: number },
): Promise<void> {
  await tx.run('delete from listened_events where stream_id = ? and seq <= ?', id, head.seq - most.events)
  await tx.run('delete from listened_events where stream_id = ? and total <= ?', id, head.total - most.bytes)
}

/** Rows that one transaction deletes, so that it stays short. */
const BATCH = 1_000

/**
 * Records that a pull endpoint's program has handled the events up to the cursor. Returns the cursor to continue from, or
 * `undefined` if there is no such stream. A cursor ahead of the stream, from before a backup was restored, acknowledges
 * nothing.
 */
export async function acknowledgePulled(
  tx: Tx,
  input: { endpointId: string; cursor: number },
): Promise<number | undefined> {
  const { endpointId: id, cursor } = input
  const position = await tx.get<{ acked: number }>(
    'update streams set acked = case when acked < ? and seq >= ? then ? else acked end where id = ? returning acked',
    cursor,
    cursor,
    cursor,
    id,
  )
  if (position === undefined) return undefined
  await deleteOldest(tx, id, position.acked)
  return position.acked
}

/** Deletes a batch of the events of a pull endpoint, before it is deleted itself. Returns whether there may be more. */
export async function emptyStream(tx: Tx, endpointId: string): Promise<boolean> {
  return (await deleteOldest(tx, endpointId, Number.MAX_SAFE_INTEGER)) === BATCH
}

/** Deletes at most one batch: later calls delete the others, or retention when they expire. */
async function deleteOldest(tx: Tx, id: string, upTo: number): Promise<number> {
  return await tx.run(
    `delete from listened_events where stream_id = ? and seq in (
       select e.seq from listened_events e where e.stream_id = ? and e.seq <= ? order by e.seq limit ${BATCH})`,
    id,
    id,
    upTo,
  )
}

/** The stream first: a transaction that adds events has either committed by then, or finds no stream. */
export async function deleteStream(tx: Tx, id: string): Promise<void> {
  await tx.run('delete from streams where id = ?', id)
  await tx.run('delete from listened_events where stream_id = ?', id)
}

export interface StreamedEvent {
  seq: number
  eventId: string
  sessionId: string
  kind: AnyKind
  category: Category
  dedupeId: string
  createdAt: number
  sealed: Uint8Array
  extras: Uint8Array | null
}

export interface StreamPage {
  events: StreamedEvent[]
  /** How many events after the cursor were deleted. */
  missed: number
  /** The cursor after this page. */
  cursor: number
  /** There is no such stream: the pull endpoint was deleted. */
  isGone: boolean
}

/**
 * The events after a cursor, oldest first: at most the requested number and size, at least one. A pull endpoint's begin
 * after the last acknowledged one in any case.
 */
export async function readStream(
  reader: Reader,
  input: { streamId: string; after: number; limit: number; maxBytes: number },
): Promise<StreamPage> {
  const { streamId } = input
  // Read before the events: all events that it counts are committed, and are found unless they were deleted.
  const head = await reader.get<{ seq: number; acked: number }>('select seq, acked from streams where id = ?', streamId)
  const after = Math.max(input.after, head?.acked ?? 0)
  const sizes = await reader.all<{ seq: number; bytes: number }>(
    'select seq, bytes from listened_events where stream_id = ? and seq > ? order by seq limit ?',
    streamId,
    after,
    input.limit,
  )
  const last = lastThatFits(sizes, input.maxBytes)
  if (last === undefined) {
    // A cursor in the future comes from before a restored backup: it continues from here.
    const cursor = head?.seq ?? 0
    return { events: [], missed: Math.max(0, cursor - after), cursor, isGone: head === undefined }
  }
  const events = await reader.all<StreamedEvent>(
    `select seq, event_id as "eventId", session_id as "sessionId", kind, category, dedupe_id as "dedupeId",
       created_at as "createdAt", sealed, extras
     from listened_events where stream_id = ? and seq > ? and seq <= ? order by seq`,
    streamId,
    after,
    last,
  )
  const cursor = events.at(-1)?.seq ?? last
  return { events, missed: cursor - after - events.length, cursor, isGone: false }
}

function lastThatFits(sizes: Array<{ seq: number; bytes: number }>, maxBytes: number): number | undefined {
  let bytes = 0
  let last: number | undefined
  for (const each of sizes) {
    bytes += each.bytes
    if (last !== undefined && bytes > maxBytes) break
    last = each.seq
  }
  return last
}
