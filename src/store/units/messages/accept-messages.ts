import { isSamePrint } from '../../../domain/fingerprint.ts'
import type { Tx } from '../../tx.ts'
import {
  countWaiting,
  draw,
  giveBack,
  isLimited,
  lockMeters,
  type MessageLimits,
  type Meters,
  type Refusal,
  saveMeters,
} from './message-meters.ts'
import { addUsage } from '../accounts/usage.ts'

export interface AcceptRequest {
  accountId: string
  limits: MessageLimits
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
  | ({ kind: 'limited' } & Refusal)
  /** The number is not the account's any more. */
  | { kind: 'foreign' }

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
 * A known Idempotency-Key takes nothing and gets the first answer; it is looked up once the account's meter is locked,
 * so that a twin of the message that takes the last token finds it. Rows are touched in the order of (account, key), so
 * that two batches on two nodes never wait for each other in a circle.
 */
export async function acceptMessages(tx: Tx, requests: AcceptRequest[]): Promise<AcceptResult[]> {
  const results: AcceptResult[] = Array.from({ length: requests.length })
  const order = requests.map((_, i) => i).sort((a, b) => compare(orderOf(requests[a]!), orderOf(requests[b]!)))

  const limited = requests.filter(({ limits }) => isLimited(limits)).map(({ accountId }) => accountId)
  const meters = await lockMeters(tx, limited)
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

  const own = await withOwnSession(tx, requests, fresh, results)
  await countWhatWaits(tx, meters, requests, own)
  const admitted = admit(meters, requests, own, results, tx.nowMs)
  const inserted = await insertMessages(tx, requests, admitted)
  await settleRaces(tx, requests, admitted, inserted, results, meters)
  followTwins(requests, twins, results)
  await saveMeters(tx, meters)
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
  if (!isSamePrint(first.fingerprint, fingerprint)) return { kind: 'mismatch' }
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

/** A number may have moved or been deleted since the request was looked at. */
async function withOwnSession(
  tx: Tx,
  requests: AcceptRequest[],
  fresh: number[],
  results: AcceptResult[],
): Promise<number[]> {
  const nameOf = (sessionId: string, accountId: string): string => `${accountId} ${sessionId}`
  const ids = [...new Set(fresh.map(i => requests[i]!.message.sessionId))]
  const r = tx.values(
    { id: 'text' },
    ids.map(id => ({ id })),
  )
  const rows = await tx.all<{ id: string; accountId: string }>(
    `select s.id, s.account_id as "accountId" from ${r.sql} r join sessions s on s.id = r.id`,
    ...r.params,
  )
  const owned = new Set(rows.map(row => nameOf(row.id, row.accountId)))
  return fresh.filter(i => {
    const isOwn = owned.has(nameOf(requests[i]!.message.sessionId, requests[i]!.accountId))
    if (!isOwn) results[i] = { kind: 'foreign' }
    return isOwn
  })
}

async function countWhatWaits(tx: Tx, meters: Meters, requests: AcceptRequest[], own: number[]): Promise<void> {
  const more = new Map<string, { limits: MessageLimits; n: number }>()
  for (const i of own) {
    const { accountId, limits } = requests[i]!
    more.set(accountId, { limits, n: (more.get(accountId)?.n ?? 0) + 1 })
  }
  for (const [accountId, { limits, n }] of more) await countWaiting(tx, meters, { accountId, limits, more: n })
}

/** Takes a token and a place in the month for each, in order, until the account's limits are reached. */
function admit(meters: Meters, requests: AcceptRequest[], fresh: number[], results: AcceptResult[], nowMs: number) {
  return fresh.filter(i => {
    const { accountId, limits } = requests[i]!
    const refusal = draw(meters, accountId, limits, nowMs)
    if (refusal !== undefined) results[i] = { kind: 'limited', ...refusal }
    return refusal === undefined
  })
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
      queue: message.to,
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
  meters: Meters,
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
  for (const i of beaten) giveBack(meters, requests[i]!.accountId)
}

/** A twin in the same batch shares the fate of the first: refused with it, or answered like it. */
function followTwins(requests: AcceptRequest[], twins: Map<string, number>, results: AcceptResult[]): void {
  requests.forEach(({ accountId, message }, i) => {
    const leader = message.requestKey === null ? undefined : twins.get(`${accountId} ${message.requestKey}`)
    if (leader === undefined || leader === i) return
    const { kind } = results[leader]!
    if (kind === 'limited' || kind === 'foreign' || (kind !== 'accepted' && results[i]!.kind === 'replayed'))
      results[i] = results[leader]!
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
  await addUsage(
    tx,
    [...perAccount].map(([accountId, n]) => ({ accountId, metric: 'accepted', n })),
  )
  for (const sessionId of sessions) tx.notify({ about: 'commands', sessionId })
}
