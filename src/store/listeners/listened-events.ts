import { BOUNDS } from '../../domain/bounds.ts'
import type { AnyKind, Category, EventKind } from '../../domain/event.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'

interface PublishedEvent {
  id: string
  accountId: string
  sessionId: string
  kind: AnyKind
  category: Category
  dedupeId: string
  sealedPayload: Uint8Array
  bytes: number
}

/**
 * Copies the events of accounts with listeners, in the transaction that stores them. The row of the account's stream is
 * locked until the commit, so that sequence numbers appear in order: a listener that has read one of them has missed
 * none before it.
 */
export async function storeListenedEvents(tx: Tx, events: PublishedEvent[]): Promise<void> {
  const accounts = [...new Set(events.map(event => event.accountId))]
  // In a fixed order, so that two transactions cannot deadlock.
  for (const accountId of accounts.sort()) {
    const own = events.filter(event => event.accountId === accountId)
    await storeForAccount(tx, accountId, own)
  }
}

async function storeForAccount(tx: Tx, accountId: string, events: PublishedEvent[]): Promise<void> {
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0)
  const head = await tx.get<{ seq: number; total: number; until: number }>(
    `update streams set seq = seq + ?, total = total + ? where account_id = ? and listened_until > ?
     returning seq, total, listened_until as until`,
    events.length,
    bytes,
    accountId,
    tx.nowMs,
  )
  if (head === undefined) return
  let [seq, total] = [head.seq - events.length, head.total - bytes]
  await tx.insert(
    'listened_events',
    events.map(event => ({
      account_id: accountId,
      seq: ++seq,
      total: (total += event.bytes),
      event_id: event.id,
      session_id: event.sessionId,
      kind: event.kind,
      category: event.category,
      dedupe_id: event.dedupeId,
      bytes: event.bytes,
      created_at: tx.nowMs,
      // The listener with the longest timeout still finds it.
      expires_at: Math.max(tx.nowMs + KEPT_MS.listenedEvents, head.until),
      sealed: event.sealedPayload,
    })),
  )
  await makeRoom(tx, accountId, head)
  tx.notify({ about: 'listened', accountId })
}

/** Deletes the oldest; a listener that comes too late learns how many were deleted. */
async function makeRoom(tx: Tx, accountId: string, head: { seq: number; total: number }): Promise<void> {
  await tx.run(
    'delete from listened_events where account_id = ? and seq <= ?',
    accountId,
    head.seq - BOUNDS.listenedEvents,
  )
  await tx.run(
    'delete from listened_events where account_id = ? and total <= ?',
    accountId,
    head.total - BOUNDS.listenedBytes,
  )
}

export interface ListenedEvent {
  seq: number
  eventId: string
  sessionId: string
  kind: EventKind
  category: Category
  dedupeId: string
  createdAt: number
  sealed: Uint8Array
}

export interface ListenedPage {
  events: ListenedEvent[]
  /** How many events after the cursor were deleted. */
  missed: number
  /** The cursor after this page. */
  cursor: number
}

/** The events after a cursor, oldest first: at most the requested number and size, at least one. */
export async function readListened(
  reader: Reader,
  input: { accountId: string; after: number; limit: number; maxBytes: number },
): Promise<ListenedPage> {
  // Read before the events: all events that it counts are committed, and are found unless they were deleted.
  const head = await reader.get<{ seq: number }>('select seq from streams where account_id = ?', input.accountId)
  const sizes = await reader.all<{ seq: number; bytes: number }>(
    'select seq, bytes from listened_events where account_id = ? and seq > ? order by seq limit ?',
    input.accountId,
    input.after,
    input.limit,
  )
  const last = lastThatFits(sizes, input.maxBytes)
  if (last === undefined) {
    // A cursor in the future comes from before a restored backup: it continues from here.
    const cursor = head?.seq ?? 0
    return { events: [], missed: Math.max(0, cursor - input.after), cursor }
  }
  const events = await reader.all<ListenedEvent>(
    `select seq, event_id as "eventId", session_id as "sessionId", kind, category, dedupe_id as "dedupeId",
       created_at as "createdAt", sealed
     from listened_events where account_id = ? and seq > ? and seq <= ? order by seq`,
    input.accountId,
    input.after,
    last,
  )
  const cursor = events.at(-1)?.seq ?? last
  return { events, missed: cursor - input.after - events.length, cursor }
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
