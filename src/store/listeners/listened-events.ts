import { BOUNDS } from '../../domain/bounds.ts'
import type { Category, EventKind } from '../../domain/event.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Reader, Tx } from '../transaction.ts'

interface Told {
  id: string
  accountId: string
  sessionId: string
  kind: EventKind
  category: Category
  dedupeId: string
  sealedPayload: Uint8Array
  bytes: number
}

/**
 * Copies what happens in accounts that somebody listens to, in the commit that it happens in. The row of the account's
 * stream is locked until that commit, so that numbers are given in the order in which they can be read: who has read as
 * far as one of them has missed none before it.
 */
export async function keepListened(tx: Tx, events: Told[]): Promise<void> {
  const accounts = [...new Set(events.map(event => event.accountId))]
  // In one order, so that no two commits wait for each other.
  for (const accountId of accounts.sort()) {
    const own = events.filter(event => event.accountId === accountId)
    await keepOf(tx, accountId, own)
  }
}

async function keepOf(tx: Tx, accountId: string, events: Told[]): Promise<void> {
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
      // Whoever may come back later than the others finds it.
      expires_at: Math.max(tx.nowMs + KEPT_MS.listenedEvents, head.until),
      sealed: event.sealedPayload,
    })),
  )
  await makeRoom(tx, accountId, head)
  tx.notify({ about: 'listened', accountId })
}

/** The oldest go: a listener that comes too late hears how many they were. */
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
  /** How many behind the cursor are not kept any more. */
  missed: number
  /** As far as this has been read. */
  cursor: number
}

/** What follows a cursor, oldest first: as many as asked for, and as fit, one at least. */
export async function readListened(
  reader: Reader,
  input: { accountId: string; after: number; limit: number; maxBytes: number },
): Promise<ListenedPage> {
  // Before the events: what it counts is committed, and would be found if it were kept.
  const head = await reader.get<{ seq: number }>('select seq from streams where account_id = ?', input.accountId)
  const sizes = await reader.all<{ seq: number; bytes: number }>(
    'select seq, bytes from listened_events where account_id = ? and seq > ? order by seq limit ?',
    input.accountId,
    input.after,
    input.limit,
  )
  const last = lastThatFits(sizes, input.maxBytes)
  if (last === undefined) {
    // A cursor that is ahead is of a database that was put back: it goes on from here.
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
