import type { Plan } from '../../domain/account.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { shardOf } from '../../domain/delivery.ts'
import {
  type Direction,
  type Endpoint,
  type EndpointFilter,
  maxKeepHours,
  type RetryMode,
  type SignatureScheme,
} from '../../domain/endpoint.ts'
import type { AnyKind } from '../../domain/event.ts'
import type { IncludeWord } from '../../domain/include.ts'
import { notifyNumbers } from '../listeners/listeners.ts'
import { deleteStream } from '../listeners/streams.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'
import type { Reader, Tx, Value } from '../transaction.ts'

/** The filter of an endpoint; lists are JSON. */
export interface FilterColumns {
  kinds: string | null
  session_ids: string | null
  direction: Direction | null
  include: string
}

interface EndpointRow extends FilterColumns {
  id: string
  account_id: string
  url: string
  keep_hours: number | null
  description: string
  header_names: string
  signature: SignatureScheme
  retry: RetryMode
  reply: number
  active: number
  failing_since: number | null
  switched_off_at: number | null
  created_at: number
  updated_at: number
}

const COLUMNS = `id, account_id, url, keep_hours, description, kinds, session_ids, direction, include, header_names, signature, retry,
  reply, active, failing_since, switched_off_at, created_at, updated_at`

/** Headers in their stored form. */
export interface StoredHeaders {
  names: string[]
  /** `null` without headers. */
  sealed: Uint8Array | null
}

/** What a customer may change. */
export interface EndpointSettings extends EndpointFilter {
  /** Empty for a pull endpoint. */
  url: string
  /** `null` for an endpoint with a URL. */
  keepHours: number | null
  description: string
  headers: StoredHeaders
  signature: SignatureScheme
  retry: RetryMode
  reply: boolean
  active: boolean
}

export interface NewEndpoint extends EndpointSettings {
  id: string
  accountId: string
  sealedSecret: Uint8Array
  /** The Idempotency-Key of the request and the fingerprint of its body. */
  request?: { key: string; fingerprint: Uint8Array } | null
}

/** An endpoint that an earlier request with the same key has created. */
export interface RepeatedEndpoint {
  repeats: Endpoint
  fingerprint: Uint8Array
  sealedSecret: Uint8Array
}

/** How long a key is remembered: the response to a repeated request has the secret. */
const KEY_MS = 86_400_000

/** The lock puts concurrent requests of an account in order, so that the limit holds and a key creates one endpoint. */
export async function createEndpoint(
  tx: Tx,
  input: NewEndpoint,
): Promise<Endpoint | RepeatedEndpoint | 'keeps_too_long' | 'too_many' | 'too_many_pull'> {
  const account = await tx.get<{ plan: Plan }>(`select plan from accounts where id = ?${tx.forUpdate}`, input.accountId)
  const repeated = input.request && (await findRepeated(tx, input.accountId, input.request.key))
  if (repeated) return repeated
  if (account !== undefined && (input.keepHours ?? 0) > maxKeepHours(account.plan)) return 'keeps_too_long'
  const { n } = (await tx.get<{ n: number }>(
    'select count(*) as n from endpoints where account_id = ?',
    input.accountId,
  ))!
  if (n >= BOUNDS.endpoints) return 'too_many'
  if (input.keepHours !== null) {
    if (await isAtPullLimit(tx, input.accountId)) return 'too_many_pull'
    await tx.insert('streams', [{ id: input.id, seq: 0, total: 0, acked: 0, listened_until: null, secret: null }])
  }
  const row = {
    id: input.id,
    account_id: input.accountId,
    ...columnsOf(input),
    failing_since: null,
    switched_off_at: null,
    created_at: tx.nowMs,
    updated_at: tx.nowMs,
  }
  const request = { request_key: input.request?.key ?? null, fingerprint: input.request?.fingerprint ?? null }
  await tx.insert('endpoints', [{ ...row, ...request, secret: input.sealedSecret }])
  await notifyNumbers(tx, input.accountId)
  return (await getEndpoint(tx, input.id))!
}

async function isAtPullLimit(tx: Tx, accountId: string): Promise<boolean> {
  const { n } = (await tx.get<{ n: number }>(
    'select count(*) as n from endpoints where account_id = ? and keep_hours is not null',
    accountId,
  ))!
  return n >= BOUNDS.pullEndpoints
}

/** An account has few endpoints, so this needs no index of its own. */
async function findRepeated(tx: Tx, accountId: string, key: string): Promise<RepeatedEndpoint | undefined> {
  const row = await tx.get<EndpointRow & { fingerprint: Uint8Array; secret: Uint8Array }>(
    `select ${COLUMNS}, fingerprint, secret from endpoints
     where account_id = ? and request_key = ? and created_at > ?`,
    accountId,
    key,
    tx.nowMs - KEY_MS,
  )
  return row && { repeats: toEndpoint(row), fingerprint: row.fingerprint, sealedSecret: row.secret }
}

/** Switching an endpoint on clears its failures. Switching it off makes its waiting deliveries dead letters. */
export async function updateEndpoint(
  tx: Tx,
  { id, changes }: { id: string; changes: Partial<EndpointSettings> },
): Promise<Endpoint | undefined> {
  const row = await tx.get<EndpointRow>(`select ${COLUMNS} from endpoints where id = ?${tx.forUpdate}`, id)
  if (row === undefined) return undefined
  const columns: Record<string, Value> = { ...columnsOf(changes), updated_at: tx.nowMs }
  if (changes.active === true && row.active === 0)
    Object.assign(columns, { failing_since: null, notified_at: null, switched_off_at: null })
  const names = Object.keys(columns)
  await tx.run(
    `update endpoints set ${names.map(name => `${name} = ?`).join(', ')} where id = ?`,
    ...Object.values(columns),
    id,
  )
  if (changes.active === false && row.active === 1) await endEndpointDeliveries(tx, id)
  tx.notify({ about: 'webhooks', webhookId: id })
  await notifyNumbers(tx, row.account_id)
  return await getEndpoint(tx, id)
}

export async function deleteEndpoint(tx: Tx, id: string): Promise<boolean> {
  const deleted = await tx.get<{ accountId: string }>(
    'delete from endpoints where id = ? returning account_id as "accountId"',
    id,
  )
  if (deleted === undefined) return false
  await endEndpointDeliveries(tx, id)
  await deleteStream(tx, id)
  tx.notify({ about: 'webhooks', webhookId: id })
  await notifyNumbers(tx, deleted.accountId)
  return true
}

/** Deliveries that one transaction changes, so that it stays short; the others become due within half an hour. */
const BATCH = 500

/** Makes the waiting deliveries of an endpoint due: the dispatcher makes each a dead letter with its reason. */
export async function endEndpointDeliveries(tx: Tx, id: string): Promise<void> {
  const lanes = await tx.all<{ lane: string }>(
    `update deliveries set due_at = ? where due_at > ? and id in (
       select id from deliveries where shard = ? and lane >= ? and lane < ? and due_at > ? limit ${BATCH})
     returning lane`,
    tx.nowMs,
    tx.nowMs,
    shardOf(id),
    `${id}:`,
    `${id};`,
    tx.nowMs,
  )
  for (const lane of new Set(lanes.map(row => row.lane))) tx.notify({ about: 'deliveries', lane, dueAt: tx.nowMs })
}

/** The old secret signs too, until `overlapMs` has passed. */
export async function rotateEndpointSecret(
  tx: Tx,
  input: { id: string; sealedSecret: Uint8Array; overlapMs: number },
): Promise<Endpoint | undefined> {
  const row = await tx.get<{ secret: Uint8Array }>(`select secret from endpoints where id = ?${tx.forUpdate}`, input.id)
  if (row === undefined) return undefined
  await tx.run(
    'update endpoints set secret = ?, old_secret = ?, old_secret_until = ?, updated_at = ? where id = ?',
    input.sealedSecret,
    input.overlapMs > 0 ? row.secret : null,
    input.overlapMs > 0 ? tx.nowMs + input.overlapMs : null,
    tx.nowMs,
    input.id,
  )
  tx.notify({ about: 'webhooks', webhookId: input.id })
  return await getEndpoint(tx, input.id)
}

export async function getEndpoint(reader: Reader, id: string): Promise<Endpoint | undefined> {
  const row = await reader.get<EndpointRow>(`select ${COLUMNS} from endpoints where id = ?`, id)
  return row && toEndpoint(row)
}

/** The endpoints of an account, oldest first: all of them fit into one page. */
export async function listEndpoints(
  reader: Reader,
  input: { accountId: string } & PageRequest,
): Promise<Page<Endpoint>> {
  const rows = await reader.all<EndpointRow>(
    `select ${COLUMNS} from endpoints where account_id = ? and id > ? order by id limit ?`,
    input.accountId,
    input.cursor ?? '',
    input.limit + 1,
  )
  return toPage(rows, input.limit, row => row.id, toEndpoint)
}

export const toFilter = (row: FilterColumns): EndpointFilter => ({
  kinds: row.kinds === null ? null : (JSON.parse(row.kinds) as AnyKind[]),
  sessionIds: row.session_ids === null ? null : (JSON.parse(row.session_ids) as string[]),
  direction: row.direction,
  include: JSON.parse(row.include) as IncludeWord[],
})

const toEndpoint = (row: EndpointRow): Endpoint => ({
  id: row.id,
  accountId: row.account_id,
  url: row.url,
  keepHours: row.keep_hours,
  description: row.description,
  ...toFilter(row),
  headerNames: JSON.parse(row.header_names) as string[],
  signature: row.signature,
  retry: row.retry,
  reply: row.reply === 1,
  active: row.active === 1,
  failingSince: row.failing_since,
  switchedOffAt: row.switched_off_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** The columns of the given settings. */
function columnsOf(given: Partial<EndpointSettings>): Record<string, Value> {
  const columns: Record<string, Value> = {}
  if (given.url !== undefined) columns.url = given.url
  if (given.keepHours !== undefined) columns.keep_hours = given.keepHours
  if (given.description !== undefined) columns.description = given.description
  if (given.kinds !== undefined) columns.kinds = given.kinds === null ? null : JSON.stringify(given.kinds)
  if (given.sessionIds !== undefined)
    columns.session_ids = given.sessionIds === null ? null : JSON.stringify(given.sessionIds)
  if (given.direction !== undefined) columns.direction = given.direction
  if (given.include !== undefined) columns.include = JSON.stringify(given.include)
  if (given.headers !== undefined) {
    columns.headers = given.headers.sealed
    columns.header_names = JSON.stringify(given.headers.names)
  }
  if (given.signature !== undefined) columns.signature = given.signature
  if (given.retry !== undefined) columns.retry = given.retry
  if (given.reply !== undefined) columns.reply = given.reply ? 1 : 0
  if (given.active !== undefined) columns.active = given.active ? 1 : 0
  return columns
}
