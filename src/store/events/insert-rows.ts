import { arrayOf, Pieces } from '../postgres/parameters.ts'
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

const TYPES = {
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

const COLUMNS = Object.keys(TYPES) as Array<keyof typeof TYPES>

const DELIVERIES: ListInsert = {
  table: 'deliveries',
  columns: [...COLUMNS, 'created_at', 'redacted', 'sealed', 'extras'],
  derived: { attempt: '0', due_at: 'given.created_at', updated_at: 'given.created_at', attempts: "'[]'" },
}

const PACKED = `insert into deliveries (${COLUMNS.join(', ')}, attempt, due_at, created_at, updated_at, attempts, redacted,
    sealed, extras)
  select ${COLUMNS.map(name => `r.${name}`).join(', ')}, 0, p.now, p.now, p.now, '[]',
    convert_from(substr(p.packed, r.text_from, r.text_length), 'UTF8'), substr(p.packed, r.sealed_from, r.sealed_length),
    substr(p.packed, r.extras_from, r.extras_length)
  from unnest(${COLUMNS.map(name => `?::${TYPES[name]}[]`).join(', ')},
      ?::int[], ?::int[], ?::int[], ?::int[], ?::int[], ?::int[])
      as r(${COLUMNS.join(', ')}, text_from, text_length, sealed_from, sealed_length, extras_from, extras_length)
    cross join (select ?::bytea as packed, ?::bigint as now) p`

/** Each column is an array; the long values of all rows are one (see `Pieces`). */
async function insertPacked(tx: Tx, rows: DeliveryRow[]): Promise<void> {
  const pieces = new Pieces()
  const texts = rows.map(({ redacted }) => pieces.add(Buffer.from(redacted)))
  const sealed = rows.map(row => pieces.add(row.sealed))
  const extras = rows.map(row => pieces.add(row.extras))
  const columns = COLUMNS.map(name => arrayOf(rows.map(row => row[name])))
  const places = [texts, sealed, extras].flatMap(placed => [
    arrayOf(placed.map(({ from }) => from)),
    arrayOf(placed.map(({ length }) => length)),
  ])
  await tx.run(PACKED, ...columns, ...places, pieces.all(), tx.nowMs)
}
