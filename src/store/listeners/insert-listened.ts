import type { AnyKind, Category } from '../../domain/event.ts'
import { arrayOf, Pieces } from '../postgres/parameters.ts'
import type { Tx } from '../transaction.ts'

export interface PublishedEvent {
  id: string
  sessionId: string
  kind: AnyKind
  category: Category
  dedupeId: string
  sealedPayload: Uint8Array
  /** The sealed extra fields, if the reader includes some of them. */
  sealedExtras: Uint8Array | null
  bytes: number
}

/** An event with its place in the stream. */
export type ListenedEvent = PublishedEvent & { seq: number; total: number }

/** Together, as one value. */
const PACKED_BYTES = 4 * 1_048_576

/** Adds events to a stream. */
export async function insertListened(
  tx: Tx,
  stream: { id: string; expiresAt: number },
  events: ListenedEvent[],
): Promise<void> {
  const bytes = events.reduce(
    (sum, { sealedPayload: { length }, sealedExtras }) => sum + length + (sealedExtras?.length ?? 0),
    0,
  )
  if (tx.dialect === 'postgres' && bytes <= PACKED_BYTES) return await insertPacked(tx, stream, events)
  await tx.insert(
    'listened_events',
    events.map(event => ({
      stream_id: stream.id,
      seq: event.seq,
      total: event.total,
      event_id: event.id,
      session_id: event.sessionId,
      kind: event.kind,
      category: event.category,
      dedupe_id: event.dedupeId,
      bytes: event.bytes,
      created_at: tx.nowMs,
      expires_at: stream.expiresAt,
      sealed: event.sealedPayload,
      extras: event.sealedExtras,
    })),
  )
}

const PACKED = `insert into listened_events (stream_id, created_at, expires_at, seq, total, bytes, event_id, session_id, kind,
    category, dedupe_id, sealed, extras)
  select s.id, s.now, s.expires_at, r.seq, r.total, r.bytes, r.event_id, r.session_id, r.kind, r.category, r.dedupe_id,
    substr(s.packed, r.sealed_from, r.sealed_length), substr(s.packed, r.extras_from, r.extras_length)
  from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
      ?::int[], ?::int[], ?::int[], ?::int[])
      as r(seq, total, bytes, event_id, session_id, kind, category, dedupe_id,
        sealed_from, sealed_length, extras_from, extras_length)
    cross join (select ?::text as id, ?::bigint as now, ?::bigint as expires_at, ?::bytea as packed) s`

async function insertPacked(
  tx: Tx,
  { id, expiresAt }: { id: string; expiresAt: number },
  events: ListenedEvent[],
): Promise<void> {
  const pieces = new Pieces()
  const sealed = events.map(event => pieces.add(event.sealedPayload))
  const extras = events.map(event => pieces.add(event.sealedExtras))
  const columns = [
    events.map(event => event.seq),
    events.map(event => event.total),
    events.map(event => event.bytes),
    events.map(event => event.id),
    events.map(event => event.sessionId),
    events.map(event => event.kind),
    events.map(event => event.category),
    events.map(event => event.dedupeId),
    sealed.map(({ from }) => from),
    sealed.map(({ length }) => length),
    extras.map(({ from }) => from),
    extras.map(({ length }) => length),
  ]
  await tx.run(PACKED, ...columns.map(arrayOf), id, tx.nowMs, expiresAt, pieces.all())
}
