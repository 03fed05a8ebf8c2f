import type { ListInsert, Tx } from '../transaction.ts'

/** A delivery as a row of the queue. */
export interface DeliveryRow {
  id: string
  event_id: string
  account_id: string
  shard: number
  lane: string
  origin: string
  webhook_id: string
  session_id: string
  kind: string
  event_type: string | null
  category: string
  dedupe_id: string
  bytes: number
  redacted: string
  sealed: Uint8Array | null
  extras: Uint8Array | null
}

/** Adds rows to the queue, due from now on. */
export async function insertRows(tx: Tx, rows: DeliveryRow[]): Promise<void> {
  if (tx.dialect === 'postgres') return await insertPacked(tx, rows)
  const { nowMs } = tx
  await tx.insertLists(
    DELIVERIES,
    rows.map(row => [
      row.id,
      row.event_id,
      row.account_id,
      row.shard,
      row.lane,
      row.origin,
      row.webhook_id,
      row.session_id,
      row.kind,
      row.event_type,
      row.category,
      row.dedupe_id,
      row.bytes,
      nowMs,
      row.redacted,
      row.sealed,
      row.extras,
    ]),
  )
}

const COLUMNS = {
  id: 'text',
  event_id: 'text',
  account_id: 'text',
  shard: 'bigint',
  lane: 'text',
  origin: 'text',
  webhook_id: 'text',
  session_id: 'text',
  kind: 'text',
  event_type: 'text',
  category: 'text',
  dedupe_id: 'text',
  bytes: 'bigint',
} as const

const DELIVERIES: ListInsert = {
  table: 'deliveries',
  columns: [...Object.keys(COLUMNS), 'created_at', 'redacted', 'sealed', 'extras'],
  derived: { attempt: '0', due_at: 'given.created_at', updated_at: 'given.created_at', attempts: "'[]'" },
}

/**
 * Long values are sent as one binary value and split on the server: as elements of arrays they would be sent as text,
 * escaped and parsed again, which costs more than the insert.
 */
async function insertPacked(tx: Tx, rows: DeliveryRow[]): Promise<void> {
  const chunks: Uint8Array[] = []
  let at = 1
  const cut = (bytes: Uint8Array): { from: number; length: number } => {
    chunks.push(bytes)
    const from = at
    at += bytes.length
    return { from, length: bytes.length }
  }
  const r = tx.values(
    {
      ...COLUMNS,
      text_from: 'bigint',
      text_length: 'bigint',
      sealed_from: 'bigint',
      sealed_length: 'bigint',
      extras_from: 'bigint',
      extras_length: 'bigint',
    },
    rows.map(({ redacted, sealed, extras, ...row }) => {
      const text = cut(Buffer.from(redacted))
      const payload = sealed === null ? null : cut(sealed)
      const more = extras === null ? null : cut(extras)
      return {
        ...row,
        text_from: text.from,
        text_length: text.length,
        sealed_from: payload?.from ?? null,
        sealed_length: payload?.length ?? null,
        extras_from: more?.from ?? null,
        extras_length: more?.length ?? null,
      }
    }),
  )
  const names = Object.keys(COLUMNS)
  await tx.run(
    `insert into deliveries (${names.join(', ')}, attempt, due_at, created_at, updated_at, attempts, redacted, sealed,
       extras)
     select ${names.map(name => `r.${name}`).join(', ')}, 0, p.now, p.now, p.now, '[]',
       convert_from(substr(p.packed, r.text_from::int, r.text_length::int), 'UTF8'),
       substr(p.packed, r.sealed_from::int, r.sealed_length::int),
       substr(p.packed, r.extras_from::int, r.extras_length::int)
     from ${r.sql} r cross join (select ?::bytea as packed, ?::bigint as now) p`,
    ...r.params,
    Buffer.concat(chunks),
    tx.nowMs,
  )
}
