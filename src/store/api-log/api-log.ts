import { type ApiLogFilter, fits, type LoggedRequest, type PackedRequest, unpack } from '../../domain/api-log.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { firstIdAt } from '../../domain/ids.ts'
import type { Reader, Tx, Value } from '../transaction.ts'
import type { Page, PageRequest } from '../page.ts'

/** Requests of one account that ended close to each other: one row for all of them costs little more than for one. */
export interface LogChunk {
  id: string
  accountId: string
  fromMs: number
  untilMs: number
  n: number
  /** Packed requests as JSON, in the order of their responses. */
  requests: string
  /** Whether the oldest requests beyond the limit are deleted too. */
  trims: boolean
}

/** A request with its position: `<chunk>.<place>`, places counted from 0000. */
export type StoredRequest = LoggedRequest & { id: string }

export async function addApiLog(tx: Tx, chunks: LogChunk[]): Promise<void> {
  const rows = chunks.map(({ id, accountId, fromMs, untilMs, n, requests }) => ({
    id,
    account_id: accountId,
    from_at: fromMs,
    until_at: untilMs,
    n,
    requests,
  }))
  await tx.insert('api_log', rows)
  for (const { accountId } of chunks.filter(({ trims }) => trims)) await dropBeyond(tx, accountId)
}

/** More than are added between two clean-ups. */
const DROP_BATCH = 6_000
/** Rows that one query adds up: an account may have as many rows as requests. */
const COUNTED_ROWS = 20_000

/** Deletes the oldest requests beyond the limit: some at a time, since it runs often. */
async function dropBeyond(tx: Tx, accountId: string): Promise<void> {
  const last = await firstBeyond(tx, accountId)
  if (last === undefined) return
  await tx.run(
    `delete from api_log where id in (
       select id from api_log where account_id = ? and id <= ? order by id limit ${DROP_BATCH})`,
    accountId,
    last,
  )
}

/** The newest row beyond the limit. Rows are read from the newest on: usually few of them reach the limit. */
async function firstBeyond(tx: Tx, accountId: string): Promise<string | undefined> {
  let kept = 0
  let before: string | null = null
  for (;;) {
    const rows = `select id, n from api_log where account_id = ? ${before === null ? '' : 'and id < ?'}
      order by id desc limit ${COUNTED_ROWS}`
    const params: Value[] = before === null ? [accountId] : [accountId, before]
    const some: { total: number | null; oldest: string | null } = (await tx.get(
      `select sum(n) as total, min(id) as oldest from (${rows}) r`,
      ...params,
    ))!
    if (some.oldest === null) return undefined
    if (kept + Number(some.total) > BOUNDS.loggedRequests) {
      const found: { id: string } | undefined = await tx.get(
        `select max(id) as id from (select id, sum(n) over (order by id desc) as through from (${rows}) r) s
         where through > ?`,
        ...params,
        BOUNDS.loggedRequests - kept,
      )
      return found!.id
    }
    kept += Number(some.total)
    before = some.oldest
  }
}

/** Rows that one query reads, and requests that are read for one page: if few match, the page is short. */
const ROWS = 100
const SCANNED = 5_000
const MAX_READS = 10
const SKEW_MS = 60_000

/** The account's requests, newest first. */
export async function listApiLog(
  reader: Reader,
  { accountId, limit, cursor, ...filter }: ApiLogFilter & PageRequest & { accountId: string },
): Promise<Page<StoredRequest>> {
  const found: StoredRequest[] = []
  let [before, scanned] = [cursor, 0]
  for (let reads = 0; reads < MAX_READS && scanned < SCANNED; reads++) {
    const from = before
    const rows = await readChunks(reader, accountId, filter, from)
    for (const { id, requests } of rows) {
      for (const request of newestFirst(id, requests, from)) {
        scanned++
        before = request.id
        if (!fits(filter, request)) continue
        if (found.length === limit) return { data: found, nextCursor: found.at(-1)!.id }
        found.push(request)
      }
    }
    if (rows.length < ROWS) return { data: found, nextCursor: null }
  }
  return { data: found, nextCursor: before }
}

interface ChunkRow {
  id: string
  requests: string
}

async function readChunks(
  reader: Reader,
  accountId: string,
  { sinceMs, untilMs }: ApiLogFilter,
  before: string | null,
): Promise<ChunkRow[]> {
  const conditions = ['account_id = ?']
  const params: Value[] = [accountId]
  const where = (condition: string, value: Value | undefined): void => {
    if (value === undefined) return
    conditions.push(condition)
    params.push(value)
  }
  // The chunk in which the last page ended may have more.
  where('id <= ?', before === null ? undefined : chunkOf(before))
  // It was written after its response, perhaps by another clock.
  where('id >= ?', sinceMs === undefined ? undefined : firstIdAt('log', sinceMs - SKEW_MS))
  where('until_at >= ?', sinceMs)
  where('from_at <= ?', untilMs)
  return await reader.all<ChunkRow>(
    `select id, requests from api_log where ${conditions.join(' and ')} order by id desc limit ${ROWS}`,
    ...params,
  )
}

const chunkOf = (id: string): string => id.split('.')[0]!

/** The requests of one chunk after the cursor. */
function newestFirst(chunk: string, requests: string, cursor: string | null): StoredRequest[] {
  const all = (JSON.parse(requests) as PackedRequest[]).map((packed, place) => ({
    ...unpack(packed),
    id: `${chunk}.${String(place).padStart(4, '0')}`,
  }))
  return all.reverse().filter(({ id }) => cursor === null || id < cursor)
}

export async function getLoggedRequest(
  reader: Reader,
  { accountId, id }: { accountId: string; id: string },
): Promise<StoredRequest | undefined> {
  const chunk = await reader.get<ChunkRow>(
    'select id, requests from api_log where id = ? and account_id = ?',
    chunkOf(id),
    accountId,
  )
  return chunk && newestFirst(chunk.id, chunk.requests, null).find(request => request.id === id)
}
