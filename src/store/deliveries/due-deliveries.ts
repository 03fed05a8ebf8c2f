import type { DueDelivery } from '../../domain/delivery.ts'
import type { AnyKind } from '../../domain/event.ts'
import type { Reader } from '../transaction.ts'
import { COUNTED } from '../page.ts'
import { IS_OPEN } from './dead-letters.ts'

/** The place to read a lane after, in the order of due time and id. */
export interface LaneCursor {
  shard: number
  lane: string
  dueAt: number
  id: string
  limit: number
  /** The lane is known to be long: it is read with a separate query. */
  deep: boolean
}

const DUE_COLUMNS = `d.id, d.event_id as "eventId", d.account_id as "accountId", d.lane, d.origin, d.attempt, d.attempts,
  d.due_at as "dueAt", d.event_type as "eventType", d.dedupe_id as "dedupeId", d.bytes, d.sealed, d.extras,
  d.given_up_at as "givenUpAt"`

/** The first due deliveries of each lane, by the database's clock. */
export async function readDue(reader: Reader, lanes: LaneCursor[]): Promise<DueDelivery[]> {
  return reader.dialect === 'postgres' ? await dueByLateral(reader, lanes) : await dueInMemory(reader, lanes)
}

async function dueByLateral(reader: Reader, lanes: LaneCursor[]): Promise<DueDelivery[]> {
  const r = reader.values(
    { shard: 'bigint', lane: 'text', due_at: 'bigint', id: 'text', most: 'bigint' },
    lanes.map(({ shard, lane, dueAt, id, limit }) => ({ shard, lane, due_at: dueAt, id, most: limit })),
  )
  return await reader.all<DueDelivery>(
    `select ${DUE_COLUMNS} from ${r.sql} r
     cross join lateral (
       select * from deliveries q where q.shard = r.shard and q.lane = r.lane and (q.due_at, q.id) > (r.due_at, r.id)
         and q.due_at <= ${reader.nowSql} order by q.due_at, q.id limit r.most) d
     order by d.due_at, d.id`,
    ...r.params,
  )
}

/** Queries cost more than rows here: short lanes are read together, long ones separately. */
async function dueInMemory(reader: Reader, lanes: LaneCursor[]): Promise<DueDelivery[]> {
  const now = await reader.now()
  const shallow = lanes.filter(lane => !lane.deep)
  const together = await dueTogether(reader, shallow, now)
  const alone = together === undefined ? lanes : lanes.filter(lane => lane.deep)
  const due = together ?? []
  for (const lane of alone) due.push(...(await dueInLane(reader, lane, now)))
  return due
}

/** `undefined` if there are more rows than expected. */
async function dueTogether(reader: Reader, lanes: LaneCursor[], now: number): Promise<DueDelivery[] | undefined> {
  if (lanes.length === 0) return []
  const most = lanes.length * 8 + 64
  const r = reader.values(
    { shard: 'bigint', lane: 'text', due_at: 'bigint', id: 'text' },
    lanes.map(({ shard, lane, dueAt, id }) => ({ shard, lane, due_at: dueAt, id })),
  )
  const rows = await reader.all<DueDelivery>(
    `select ${DUE_COLUMNS} from ${r.sql} r
     cross join deliveries d on d.shard = r.shard and d.lane = r.lane and d.due_at >= r.due_at
       and (d.due_at > r.due_at or d.id > r.id) and d.due_at <= ? limit ?`,
    ...r.params,
    now,
    most,
  )
  return rows.length < most ? rows : undefined
}

async function dueInLane(reader: Reader, lane: LaneCursor, now: number): Promise<DueDelivery[]> {
  return await reader.all<DueDelivery>(
    `select ${DUE_COLUMNS} from deliveries d
     where d.shard = ? and d.lane = ? and (d.due_at, d.id) > (?, ?) and d.due_at <= ?
     order by d.due_at, d.id limit ?`,
    lane.shard,
    lane.lane,
    lane.dueAt,
    lane.id,
    now,
    lane.limit,
  )
}

/** A lane with waiting deliveries. */
export interface LaneHead {
  shard: number
  lane: string
  /** The due time of its first delivery. */
  dueAt: number
  /** The due time of its next delivery in the future; `null` if all are due. */
  nextDueAt: number | null
}

/** A shard, and the lane to continue after. */
export interface LanePlace {
  shard: number
  after: string
}

/** Lanes that one query reads: if it returns as many, each shard may have more behind its last one. */
export const LANES_READ = 400

/**
 * The lanes of these shards with deliveries: the query steps from lane to lane in the index, without reading their
 * rows.
 */
export async function readLanes(reader: Reader, places: LanePlace[]): Promise<LaneHead[]> {
  const r = reader.values(
    { shard: 'bigint', after: 'text' },
    places.map(({ shard, after }) => ({ shard, after })),
  )
  return await reader.all<LaneHead>(
    `with recursive heads(shard, lane) as (
       select r.shard, (select min(d.lane) from deliveries d where d.shard = r.shard and d.lane > r.after) from ${r.sql} r
       union all
       select h.shard, (select min(d.lane) from deliveries d where d.shard = h.shard and d.lane > h.lane)
       from heads h where h.lane is not null)
     select h.shard, h.lane,
       (select min(d.due_at) from deliveries d where d.shard = h.shard and d.lane = h.lane) as "dueAt",
       (select min(d.due_at) from deliveries d where d.shard = h.shard and d.lane = h.lane
          and d.due_at > ${reader.nowSql}) as "nextDueAt"
     from heads h where h.lane is not null limit ${LANES_READ}`,
    ...r.params,
  )
}

/** The next due time of each lane after this time; lanes without one are left out. */
export async function readNextDue(
  reader: Reader,
  input: { lanes: Array<{ shard: number; lane: string }>; afterMs: number },
): Promise<Array<{ lane: string; dueAt: number }>> {
  const r = reader.values({ shard: 'bigint', lane: 'text' }, input.lanes)
  const rows = await reader.all<{ lane: string; dueAt: number | null }>(
    `select r.lane, (select min(d.due_at) from deliveries d where d.shard = r.shard and d.lane = r.lane
       and d.due_at > ?) as "dueAt" from ${r.sql} r`,
    input.afterMs,
    ...r.params,
  )
  return rows.flatMap(({ lane, dueAt }) => (dueAt === null ? [] : [{ lane, dueAt }]))
}

/** The facts about a delivery that its dead letter keeps, besides the payload. */
export interface EventFacts {
  sessionId: string
  kind: AnyKind
  createdAt: number
}

export async function readEventFacts(reader: Reader, deliveryId: string): Promise<EventFacts | undefined> {
  return await reader.get<EventFacts>(
    `select session_id as "sessionId", kind, created_at as "createdAt" from deliveries where id = ?`,
    deliveryId,
  )
}

export async function readPayload(reader: Reader, eventId: string): Promise<Uint8Array | undefined> {
  if (reader.dialect === 'postgres') return await readChunks(reader, eventId)
  return (await reader.get<{ sealed: Uint8Array }>('select sealed from events where id = ?', eventId))?.sealed
}

/** The extra fields that are stored with an event. */
export async function readExtras(reader: Reader, eventId: string): Promise<Uint8Array | null> {
  return (
    (await reader.get<{ extras: Uint8Array | null }>('select extras from events where id = ?', eventId))?.extras ?? null
  )
}

/** PostgreSQL sends bytes as text: a chunk of this size is decoded in one or two milliseconds. */
const CHUNK_BYTES = 262_144

/** The first bytes of a sealed value, which differ each time it is sealed. */
const MARK_BYTES = 17

async function readChunks(reader: Reader, eventId: string): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  for (let mark: string | undefined; ; ) {
    const row = await reader.get<{ mark: string; chunk: Uint8Array }>(
      `select encode(substr(sealed, 1, ${MARK_BYTES}), 'hex') as mark, substr(sealed, ?, ${CHUNK_BYTES}) as chunk
       from events where id = ?`,
      chunks.length * CHUNK_BYTES + 1,
      eventId,
    )
    if (row === undefined) return undefined
    if (mark !== undefined && row.mark !== mark) {
      // Sealed again meanwhile: the chunks so far belong to the old bytes.
      chunks.length = 0
      mark = undefined
      continue
    }
    mark = row.mark
    chunks.push(row.chunk)
    if (row.chunk.length < CHUNK_BYTES) return Buffer.concat(chunks)
  }
}

export interface DeliveryDepth {
  /** Deliveries in the queue, and the due ones among them. */
  queued: number
  due: number
  oldestDueAt: number | null
  deadLetters: number
}

export async function readDeliveryDepth(reader: Reader): Promise<DeliveryDepth> {
  const now = await reader.now()
  // Every delivery has a shard; the condition lets both engines use the index, which is only for queries that name it.
  return (await reader.get<DeliveryDepth>(
    `select count(*) as queued, coalesce(sum(case when due_at <= ? then 1 else 0 end), 0) as due,
       min(case when due_at <= ? then due_at end) as "oldestDueAt",
       (select count(*) from (select 1 as one from dead_letters where ${IS_OPEN} limit ${COUNTED}) l) as "deadLetters"
     from (select due_at from deliveries where shard >= 0 order by shard, lane, due_at, id limit ${COUNTED}) d`,
    now,
    now,
  ))!
}
