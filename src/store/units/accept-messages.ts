import { type Bucket, dayOf, monthOf, msToNextMonth, take } from '../../domain/rate-limit.ts'
import type { Tx } from '../tx.ts'
import { addUsage } from './usage.ts'

export interface AcceptRequest {
  accountId: string
  limits: { perSecond: number | null; burst: number | null; perMonth: number | null }
  message: {
    id: string
    sessionId: string
    /** `null` where the caller gave no Idempotency-Key. */
    requestKey: string | null
    fingerprint: Uint8Array | null
    requestId: string
    to: string
    type: string
    platformId: string
    sendAt: number | null
  }
  sealedContent: Uint8Array
  commandId: string
}

export type AcceptResult =
  | { kind: 'accepted' }
  | { kind: 'replayed'; first: FirstAnswer }
  | { kind: 'mismatch' }
  | { kind: 'limited'; retryAfterMs: number; quota: boolean }

export interface FirstAnswer {
  messageId: string
  requestId: string
  sessionId: string
  to: string
  serverId: number | null
}

interface KnownRow {
  id: string
  account_id: string
  request_key: string
  fingerprint: Uint8Array
  request_id: string
  session_id: string
  recipient: string
  server_id: number | null
}

/**
 * Accepts messages: each with its content and its command, the tokens and the quota that it takes, in one commit.
 * A known Idempotency-Key takes nothing and gets the first answer. Rows are touched in the order of (account, key), so
 * that two batches on two nodes never wait for each other in a circle.
 */
export async function acceptMessages(tx: Tx, requests: AcceptRequest[]): Promise<AcceptResult[]> {
  const results = new Array<AcceptResult>(requests.length)
  const order = requests.map((_, i) => i).sort((a, b) => compare(orderOf(requests[a]!), orderOf(requests[b]!)))

  const known = await readKnown(tx, requests)
  const twins = new Map<string, number>()
  const fresh: number[] = []
  for (const i of order) {
    const { accountId, message } = requests[i]!
    const key = message.requestKey === null ? null : `${accountId} ${message.requestKey}`
    const first = key === null ? undefined : known.get(key)
    if (first !== undefined) results[i] = answerTwin(first, message.fingerprint!)
    else if (key !== null && twins.has(key))
      results[i] = answerTwin(toKnown(requests[twins.get(key)!]!), message.fingerprint!)
    else {
      if (key !== null) twins.set(key, i)
      fresh.push(i)
    }
  }

  const admitted = await admit(tx, requests, fresh, results)
  const inserted = await insertMessages(tx, requests, admitted)
  await settleRaces(tx, requests, admitted, inserted, results)
  followTwins(requests, twins, results)
  await charge(
    tx,
    requests,
    admitted.filter(i => results[i]!.kind === 'accepted'),
  )
  return results
}

const orderOf = ({ accountId, message }: AcceptRequest): string => `${accountId} ${message.requestKey ?? message.id}`
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

async function readKnown(tx: Tx, requests: AcceptRequest[]): Promise<Map<string, KnownRow>> {
  const keyed = requests.filter(request => request.message.requestKey !== null)
  if (keyed.length === 0) return new Map()
  const r = tx.values(
    { account_id: 'text', request_key: 'text' },
    keyed.map(({ accountId, message }) => ({ account_id: accountId, request_key: message.requestKey })),
  )
  const rows = await tx.all<KnownRow>(
    `select m.id, m.account_id, m.request_key, m.fingerprint, m.request_id, m.session_id, m.recipient, m.server_id
     from ${r.sql} r join messages m on m.account_id = r.account_id and m.request_key = r.request_key`,
    ...r.params,
  )
  return new Map(rows.map(row => [`${row.account_id} ${row.request_key}`, row]))
}

function answerTwin(first: KnownRow, fingerprint: Uint8Array): AcceptResult {
  if (!Buffer.from(first.fingerprint).equals(fingerprint)) return { kind: 'mismatch' }
  return { kind: 'replayed', first: toFirst(first) }
}

const toKnown = ({ accountId, message }: AcceptRequest): KnownRow => ({
  id: message.id,
  account_id: accountId,
  request_key: message.requestKey!,
  fingerprint: message.fingerprint!,
  request_id: message.requestId,
  session_id: message.sessionId,
  recipient: message.to,
  server_id: null,
})

const toFirst = (row: KnownRow): FirstAnswer => ({
  messageId: row.id,
  requestId: row.request_id,
  sessionId: row.session_id,
  to: row.recipient,
  serverId: row.server_id,
})

interface Meter extends Bucket {
  month: string
  monthMessages: number
}

/** Takes a token and a place in the month for each, in order, until the account's limits are reached. */
async function admit(tx: Tx, requests: AcceptRequest[], fresh: number[], results: AcceptResult[]): Promise<number[]> {
  const limited = fresh.filter(i => isLimited(requests[i]!))
  const meters = await lockMeters(tx, [...new Set(limited.map(i => requests[i]!.accountId))])
  const admitted: number[] = []
  for (const i of fresh) {
    const request = requests[i]!
    const refusal = isLimited(request) ? draw(meters.get(request.accountId)!, request, tx.nowMs) : undefined
    if (refusal === undefined) admitted.push(i)
    else results[i] = refusal
  }
  await saveMeters(tx, meters)
  return admitted
}

const isLimited = ({ limits }: AcceptRequest): boolean => limits.perSecond !== null || limits.perMonth !== null

function draw(meter: Meter, { limits }: AcceptRequest, nowMs: number): AcceptResult | undefined {
  if (limits.perMonth !== null && meter.monthMessages >= limits.perMonth) {
    return { kind: 'limited', retryAfterMs: msToNextMonth(nowMs), quota: true }
  }
  if (limits.perSecond !== null) {
    const burst = limits.burst ?? limits.perSecond
    const taken = take(meter.tokens < 0 ? undefined : meter, { perSecond: limits.perSecond, burst }, nowMs)
    meter.tokens = taken.bucket.tokens
    meter.at = taken.bucket.at
    if (!taken.ok) return { kind: 'limited', retryAfterMs: taken.retryAfterMs, quota: false }
  }
  meter.monthMessages++
  return undefined
}

/** A meter that has never been used has tokens below zero: its first use fills it. */
async function lockMeters(tx: Tx, accountIds: string[]): Promise<Map<string, Meter>> {
  const meters = new Map<string, Meter>()
  const month = monthOf(tx.nowMs)
  if (accountIds.length === 0) return meters
  await tx.insert(
    'account_meters',
    accountIds.map(id => ({ account_id: id, tokens: -1, tokens_at: 0, month, month_messages: 0 })),
    'on conflict (account_id) do nothing',
  )
  const r = tx.values(
    { id: 'text' },
    accountIds.map(id => ({ id })),
  )
  const rows = await tx.all<{
    account_id: string
    tokens: number
    tokens_at: number
    month: string
    month_messages: number
  }>(
    `select * from account_meters where account_id in (select id from ${r.sql} r) order by account_id${tx.forUpdate}`,
    ...r.params,
  )
  for (const row of rows) {
    const monthMessages = row.month === month ? row.month_messages : 0
    meters.set(row.account_id, { tokens: row.tokens, at: row.tokens_at, month, monthMessages })
  }
  return meters
}

async function saveMeters(tx: Tx, meters: Map<string, Meter>): Promise<void> {
  if (meters.size === 0) return
  const rows = [...meters].map(([id, meter]) => ({
    id,
    tokens: meter.tokens,
    at: meter.at,
    month: meter.month,
    n: meter.monthMessages,
  }))
  const r = tx.values({ id: 'text', tokens: 'double precision', at: 'bigint', month: 'text', n: 'bigint' }, rows)
  await tx.run(
    `update account_meters set tokens = r.tokens, tokens_at = r.at, month = r.month, month_messages = r.n
     from ${r.sql} r where account_meters.account_id = r.id`,
    ...r.params,
  )
}

async function insertMessages(tx: Tx, requests: AcceptRequest[], admitted: number[]): Promise<Set<string>> {
  const rows = admitted.map(i => {
    const { accountId, message } = requests[i]!
    return {
      id: message.id,
      account_id: accountId,
      session_id: message.sessionId,
      request_key: message.requestKey,
      fingerprint: message.fingerprint,
      request_id: message.requestId,
      recipient: message.to,
      type: message.type,
      state: message.sendAt === null ? 'queued' : 'scheduled',
      platform_id: message.platformId,
      send_at: message.sendAt,
      created_at: tx.nowMs,
      updated_at: tx.nowMs,
    }
  })
  const inserted = await tx.insert<{ id: string }>(
    'messages',
    rows,
    'on conflict (account_id, request_key) do nothing returning id',
  )
  const ids = new Set(inserted.map(row => row.id))
  const accepted = admitted.map(i => requests[i]!).filter(request => ids.has(request.message.id))
  await tx.insert(
    'message_contents',
    accepted.map(({ message, sealedContent }) => ({ message_id: message.id, sealed: sealedContent, expires_at: null })),
  )
  await tx.insert(
    'commands',
    accepted.map(({ message, commandId }) => ({
      id: commandId,
      session_id: message.sessionId,
      lane: message.to,
      kind: 'send',
      message_id: message.id,
      attempt: 0,
      due_at: message.sendAt ?? tx.nowMs,
      created_at: tx.nowMs,
    })),
  )
  return ids
}

/** Another node may have accepted the same key between our reading and our inserting: it was first. */
async function settleRaces(
  tx: Tx,
  requests: AcceptRequest[],
  admitted: number[],
  inserted: Set<string>,
  results: AcceptResult[],
): Promise<void> {
  const beaten = admitted.filter(i => !inserted.has(requests[i]!.message.id))
  const known = await readKnown(
    tx,
    beaten.map(i => requests[i]!),
  )
  for (const i of admitted) {
    const { accountId, message } = requests[i]!
    results[i] = inserted.has(message.id)
      ? { kind: 'accepted' }
      : answerTwin(known.get(`${accountId} ${message.requestKey}`)!, message.fingerprint!)
  }
  const refunds = beaten.map(i => requests[i]!).filter(isLimited)
  for (const { accountId } of refunds) {
    await tx.run(
      'update account_meters set tokens = tokens + 1, month_messages = month_messages - 1 where account_id = ?',
      accountId,
    )
  }
}

/** A twin in the same batch shares the fate of the first: refused with it, or answered like it. */
function followTwins(requests: AcceptRequest[], twins: Map<string, number>, results: AcceptResult[]): void {
  requests.forEach(({ accountId, message }, i) => {
    if (message.requestKey === null || results[i]!.kind !== 'replayed') return
    const leader = twins.get(`${accountId} ${message.requestKey}`)
    if (leader === undefined || leader === i) return
    if (results[leader]!.kind !== 'accepted') results[i] = results[leader]!
  })
}

async function charge(tx: Tx, requests: AcceptRequest[], accepted: number[]): Promise<void> {
  const perAccount = new Map<string, number>()
  const sessions = new Set<string>()
  for (const i of accepted) {
    const { accountId, message } = requests[i]!
    perAccount.set(accountId, (perAccount.get(accountId) ?? 0) + 1)
    sessions.add(message.sessionId)
  }
  const day = dayOf(tx.nowMs)
  await addUsage(
    tx,
    [...perAccount].map(([accountId, n]) => ({ accountId, day, metric: 'accepted', n })),
  )
  for (const sessionId of sessions) tx.notify('commands', sessionId)
}
