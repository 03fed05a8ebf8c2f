import type { DueSend } from '../../domain/command.ts'
import { type Deferred, LOCKED } from '../deferred.ts'
import type { Tx } from '../transaction.ts'
import { addUsage } from '../usage/usage.ts'
import { keepTraces, type TraceOf } from '../traces/traces.ts'
import { insertMessages, type NewMessage, requestIdOf } from './insert-messages.ts'
import {
  countWaiting,
  takeForMessage,
  giveBack,
  isLimited,
  lockFreeMeters,
  lockMeters,
  type MessageLimits,
  type Meters,
  type MeterRejection,
  saveMeters,
} from './message-meters.ts'
import { answerRepeat, keyName, type Original, readOriginals, type RepeatResult } from './repeated-requests.ts'

export interface AcceptRequest extends NewMessage {
  limits: MessageLimits
  /** The trace that it is part of, with tracing on; stored only with an accepted message. */
  traceparent?: string | null
}

export type AcceptResult =
  | { kind: 'accepted' }
  | RepeatResult
  | ({ kind: 'limited' } & MeterRejection)
  /** The number no longer belongs to the account. */
  | { kind: 'foreign' }

/** A request that is being decided. */
interface Candidate {
  readonly request: AcceptRequest
  /** The name of its Idempotency-Key; `null` if it has none. */
  readonly key: string | null
  /** Rows are touched in this order. */
  readonly rank: string
  /** The first of this batch with the same key, if that is another. */
  twinOf: Candidate | undefined
  result: AcceptResult | undefined
}

/**
 * Accepts messages, each with its content and its command, its token and its quota, in one transaction. It never waits
 * for a lock: if another process has locked an account's meter, that account's messages are deferred.
 */
export async function acceptMessages(tx: Tx, requests: AcceptRequest[]): Promise<Array<AcceptResult | Deferred>> {
  return await acceptUnder(tx, requests, await lockFreeMeters(tx, limitedAccounts(requests)))
}

/** Accepts messages of one account and waits for the lock of its meter. */
export async function acceptWaiting(tx: Tx, requests: AcceptRequest[]): Promise<Array<AcceptResult | Deferred>> {
  return await acceptUnder(tx, requests, await lockMeters(tx, limitedAccounts(requests)))
}

/**
 * A known Idempotency-Key uses no quota and gets the first result. Usually all keys are new and the limits allow all
 * messages: then the insert itself finds the exceptions. Otherwise the keys are read first, after the account's meter is
 * locked, so that a duplicate of the message that used the last token finds it. Rows are locked in the order of (account,
 * key), so that two batches cannot deadlock.
 */
async function acceptUnder(tx: Tx, requests: AcceptRequest[], meters: Meters): Promise<Array<AcceptResult | Deferred>> {
  const all = requests.map(toCandidate)
  const candidates = all.filter(({ request: { accountId, limits } }) => !isLimited(limits) || meters.has(accountId))
  const ranked = candidates.toSorted((a, b) => compare(a.rank, b.rank))

  let fresh = await admit(tx, ranked, meters)
  if (candidates.some(({ result }) => result !== undefined)) {
    for (const { request } of open(fresh)) giveBack(meters, request.accountId, request.limits)
    for (const candidate of candidates) candidate.result = candidate.twinOf = undefined
    await answerRepeats(tx, candidates)
    fresh = await admit(tx, open(ranked), meters)
  }
  const beaten = await accept(tx, open(fresh), meters)
  // A duplicate of one of them may be the correct repetition.
  if (beaten.size > 0)
    await answerRepeats(
      tx,
      candidates.filter(each => beaten.has(each.twinOf ?? each)),
    )
  answerTwins(candidates)

  await saveMeters(tx, meters)
  await charge(tx, fresh)
  return all.map(({ result }) => result ?? LOCKED)
}

/** Rejects what may not be accepted, and uses tokens and quota of the others. Returns the first candidate of each key. */
async function admit(tx: Tx, ranked: Candidate[], meters: Meters): Promise<Candidate[]> {
  await rejectForeign(tx, ranked)
  const fresh = firstOfEachKey(open(ranked))
  await countWaitingMessages(tx, meters, fresh)
  takeFromMeters(meters, fresh, tx.nowMs)
  return fresh
}

/** In the order in which rows are locked, for all ways to accept messages. */
export function inOrder(requests: AcceptRequest[]): AcceptRequest[] {
  const ranked = requests.map(request => ({ request, rank: rankOf(request) }))
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ request }) => request)
}

export const tracesIn = (requests: AcceptRequest[]): TraceOf[] =>
  requests.flatMap(({ traceparent, message: { id, sendAt } }) =>
    traceparent ? [{ id, traceparent, fromMs: sendAt }] : [],
  )

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const rankOf = ({ accountId, message: { requestKey, id } }: AcceptRequest): string =>
  keyName(accountId, requestKey ?? id)

function toCandidate(request: AcceptRequest): Candidate {
  const rank = rankOf(request)
  return {
    request,
    key: request.message.requestKey === null ? null : rank,
    rank,
    twinOf: undefined,
    result: undefined,
  }
}

/** The requests without a result. */
const open = (candidates: Candidate[]): Candidate[] => candidates.filter(({ result }) => result === undefined)

const limitedAccounts = (requests: AcceptRequest[]): string[] =>
  requests.filter(({ limits }) => isLimited(limits)).map(({ accountId }) => accountId)

/** The keys of existing messages. */
async function answerRepeats(tx: Tx, candidates: Candidate[]): Promise<void> {
  const originals = await originalsOf(tx, candidates)
  if (originals.size === 0) return
  for (const candidate of candidates) {
    const original = candidate.key === null ? undefined : originals.get(candidate.key)
    if (original !== undefined) candidate.result = answerRepeat(original, candidate.request.message.fingerprint!)
  }
}

const originalsOf = (tx: Tx, candidates: Candidate[]): Promise<Map<string, Original>> =>
  readOriginals(
    tx,
    candidates.flatMap(({ request: { accountId, message } }) =>
      message.requestKey === null ? [] : [{ accountId, requestKey: message.requestKey }],
    ),
  )

/** The first of several requests with the same key continues; the others are its duplicates. */
function firstOfEachKey(candidates: Candidate[]): Candidate[] {
  const firsts = new Map<string, Candidate>()
  return candidates.filter(candidate => {
    if (candidate.key === null) return true
    candidate.twinOf = firsts.get(candidate.key)
    if (candidate.twinOf === undefined) firsts.set(candidate.key, candidate)
    return candidate.twinOf === undefined
  })
}

/** The number may have moved or been deleted since the request was checked. */
async function rejectForeign(tx: Tx, candidates: Candidate[]): Promise<void> {
  const nameOf = (sessionId: string, accountId: string): string => `${accountId} ${sessionId}`
  const ids = new Set(candidates.map(({ request }) => request.message.sessionId))
  const r = tx.ids([...ids])
  const rows = await tx.all<{ id: string; accountId: string }>(
    `select s.id, s.account_id as "accountId" from ${r.sql} r join sessions s on s.id = r.id`,
    ...r.params,
  )
  const owned = new Set(rows.map(row => nameOf(row.id, row.accountId)))
  for (const candidate of candidates) {
    const { accountId, message } = candidate.request
    if (!owned.has(nameOf(message.sessionId, accountId))) candidate.result = { kind: 'foreign' }
  }
}

async function countWaitingMessages(tx: Tx, meters: Meters, candidates: Candidate[]): Promise<void> {
  const perAccount = new Map<string, { limits: MessageLimits; more: number }>()
  for (const { request } of candidates) {
    const { accountId, limits } = request
    perAccount.set(accountId, { limits, more: (perAccount.get(accountId)?.more ?? 0) + 1 })
  }
  for (const [accountId, { limits, more }] of perAccount) await countWaiting(tx, meters, { accountId, limits, more })
}

/** Uses a token and the monthly quota for each, in order, until the account's limits are reached. */
function takeFromMeters(meters: Meters, candidates: Candidate[], nowMs: number): void {
  for (const candidate of candidates) {
    const { accountId, limits } = candidate.request
    const rejection = takeForMessage(meters, accountId, limits, nowMs)
    if (rejection !== undefined) candidate.result = { kind: 'limited', ...rejection }
  }
}

/** Returns those that the insert leaves out: their keys belong to earlier messages. */
async function accept(tx: Tx, candidates: Candidate[], meters: Meters): Promise<Set<Candidate>> {
  if (candidates.length === 0) return new Set()
  const requests = candidates.map(({ request }) => request)
  const stored = await insertMessages(tx, requests)
  candidates.forEach((candidate, i) => {
    if (stored[i]) candidate.result = { kind: 'accepted' }
  })
  const traces = tracesIn(requests.filter((_, i) => stored[i]))
  if (traces.length > 0) await keepTraces(tx, traces)
  const beaten = open(candidates)
  for (const { request } of beaten) giveBack(meters, request.accountId, request.limits)
  return new Set(beaten)
}

function answerTwins(candidates: Candidate[]): void {
  for (const candidate of open(candidates))
    if (candidate.twinOf !== undefined) candidate.result = twinResult(candidate.request, candidate.twinOf)
}

/** A duplicate in the same batch shares the result of the first. */
function twinResult({ message }: AcceptRequest, { request, result }: Candidate): AcceptResult | undefined {
  if (result === undefined || result.kind === 'limited' || result.kind === 'foreign') return result
  const repeat = answerRepeat(originalOf(request), message.fingerprint!)
  return repeat.kind === 'repeated' && result.kind !== 'accepted' ? result : repeat
}

const originalOf = ({ message }: AcceptRequest): Original => ({
  messageId: message.id,
  requestId: requestIdOf(message),
  sessionId: message.sessionId,
  to: message.to,
  serverId: null,
  fingerprint: message.fingerprint!,
})

async function charge(tx: Tx, candidates: Candidate[]): Promise<void> {
  const perAccount = new Map<string, number>()
  const perSession = new Map<string, AcceptRequest[]>()
  for (const { request, result } of candidates) {
    if (result?.kind !== 'accepted') continue
    const { accountId, message } = request
    perAccount.set(accountId, (perAccount.get(accountId) ?? 0) + 1)
    perSession.set(message.sessionId, [...(perSession.get(message.sessionId) ?? []), request])
  }
  await addUsage(
    tx,
    [...perAccount].map(([accountId, n]) => ({ accountId, metric: 'accepted', n })),
  )
  for (const [sessionId, accepted] of perSession)
    tx.notify({ about: 'commands', sessionId, ...freshCommands(tx, accepted) })
}

/** Contents up to this size are passed on to the host in memory. */
const PASSED_BYTES = 16_384

/**
 * The commands of messages that are due now, for the number's host. Only the embedded database has them: it has one writer,
 * so that a host gets all commits in their order.
 */
function freshCommands(tx: Tx, requests: AcceptRequest[]): { fresh?: DueSend[] } {
  const isPassed = ({ message, sealedContent }: AcceptRequest): boolean =>
    message.sendAt === null && sealedContent.length <= PASSED_BYTES
  if (tx.dialect !== 'sqlite' || !requests.every(isPassed)) return {}
  const fresh = requests.map(({ accountId, message, sealedContent }) => ({
    id: message.id,
    sessionId: message.sessionId,
    queue: message.to,
    kind: 'send' as const,
    attempt: 0,
    dueAt: tx.nowMs,
    messageId: message.id,
    accountId,
    requestId: requestIdOf(message),
    recipient: message.to,
    platformId: message.platformId,
    content: sealedContent,
    priority: message.priority ?? null,
  }))
  return { fresh: fresh.sort((a, b) => compare(a.id, b.id)) }
}
