import { cutFile } from '../domain/event-bytes.ts'
import type { Context } from '../context.ts'
import type { Attempt, DeathReason, DueDelivery } from '../domain/delivery.ts'
import { randomFraction } from '../runtime/random.ts'
import { redact, sizeMarker } from '../domain/redact.ts'
import { categoryOf } from '../domain/event.ts'
import { afterAttempt, probeDelayMs } from '../domain/retry.ts'
import type { Answer } from '../net/post.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { StoreUnavailable, DataError } from '../store/transaction.ts'
import type { DeadLetter, Next, AttemptResult, Recorded } from '../store/deliveries/attempt-result.ts'
import { retryUntilReachable } from '../store/retry-until-reachable.ts'
import { type AttemptDeps, openPayload, type Prepared, prepare, prepareAtOnce, toAttempt } from './attempt.ts'
import type { CurrentEndpoint } from './current-webhooks.ts'
import { recordHealth } from './endpoint-health.ts'
import type { Endpoint } from './endpoint.ts'
import type { FairQueue, Picked } from './fair-queue.ts'
import type { Lane } from './lane.ts'
import type { Shard, Tenure } from './shards.ts'
import { beginAttemptSpan, endAttemptSpan, type TracedDeps, traceOfEvent } from './traced-attempt.ts'
import type { Store } from '../store/store.ts'
import { mayReply, takeReply, type TakeReplyDeps } from './take-reply.ts'

export interface DeliverDeps
  extends AttemptDeps,
    TakeReplyDeps,
    Pick<Context, 'config' | 'metrics' | 'log' | 'tracing'> {
  store: AttemptDeps['store'] & TakeReplyDeps['store'] & TracedDeps['store']
  signal: AbortSignal
  queue: Pick<FairQueue, 'answered' | 'offer'>
  /** For the one line of each attempt. */
  attemptLog: Log
}

type Ended =
  | {
      attempt: Attempt
      body: Buffer | undefined
      traceId?: string | undefined
      /** The settings of an endpoint; missing for a webhook. */
      settings?: CurrentEndpoint | null
    }
  /** There was no payload, or no endpoint. */
  | { attempt: null; reason: DeathReason }

/** What the lane does next with a delivery: it forgets it, reads it at a time, or keeps its place for it. */
export type After = { kind: 'ended' } | { kind: 'due'; dueAt: number } | { kind: 'waits'; delivery: DueDelivery }

const ENDED: After = { kind: 'ended' }

/** Makes one attempt and records its result. */
export async function deliver(deps: DeliverDeps, picked: Picked, shard: Shard, tenure: () => Tenure): Promise<After> {
  const { lane, delivery } = picked
  const ended = await attempt(deps, picked, tenure)
  if (ended === undefined) return ENDED
  const attempts = JSON.parse(delivery.attempts) as Attempt[]
  if (ended.attempt !== null) attempts.push(ended.attempt)
  const decided = decide(deps, lane, delivery, ended, attempts)
  const next = decided instanceof Promise ? await decided : decided
  const result: AttemptResult = {
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    accountId: delivery.accountId,
    webhookId: lane.webhookId,
    isRecorded: delivery.eventType !== null,
    origin: delivery.origin,
    lease: shard.lease,
    attemptsBefore: delivery.attempt,
    attemptsAfter: delivery.attempt + (ended.attempt === null ? 0 : 1),
    attempts: JSON.stringify(withoutOldProbes(attempts)),
    next,
  }
  const recorded = await record(deps, result, deps.signal)
  const outcome = recorded.kind === 'stale' ? 'stale' : next.kind
  count(deps.metrics, ended.attempt, outcome, next)
  logAttempt(deps.attemptLog, picked, ended, outcome)
  if (ended.attempt !== null && ended.settings) await recordHealth(deps, picked, ended.settings, ended.attempt)
  if (recorded.kind === 'stale' || recorded.dueAt === null) return ENDED
  // One that was given up meanwhile is due, and reads so.
  if (next.kind !== 'wait' || recorded.dueAt !== delivery.dueAt) return { kind: 'due', dueAt: recorded.dueAt }
  return { kind: 'waits', delivery: { ...delivery, attempt: result.attemptsAfter, attempts: result.attempts } }
}

/** Probes of an endpoint that are shown with a delivery. */
const PROBES_KEPT = 10

function withoutOldProbes(attempts: Attempt[]): Attempt[] {
  if (attempts.length <= PROBES_KEPT) return attempts
  const probes = attempts.filter(({ probe }) => probe)
  // The first one shows since when the endpoint fails.
  const old = new Set(probes.slice(1, -PROBES_KEPT))
  return old.size === 0 ? attempts : attempts.filter(each => !old.has(each))
}

function count(
  { attempts, deliverySeconds, deadLetters }: Metrics,
  attempt: Attempt | null,
  outcome: string,
  next: Next,
) {
  attempts.inc({ outcome })
  if (attempt !== null) deliverySeconds.observe(attempt.latencyMs / 1_000)
  if (outcome === 'dead' && next.kind === 'dead') deadLetters.inc({ reason: next.reason })
}

/**
 * `undefined` if the shutdown aborted the attempt, so that its outcome is unknown, or if the shard was lost before the
 * request, so that nothing was sent.
 */
async function attempt(deps: DeliverDeps, picked: Picked, tenure: () => Tenure): Promise<Ended | undefined> {
  const { endpoint, lane, delivery } = picked
  let starting: Starting | undefined
  try {
    starting = startAtOnce(deps, picked) ?? (await waitToStart(deps, picked, tenure))
    if (starting === undefined) return undefined
    const { prepared, parent, started } = starting
    if (prepared.kind === 'ended') return { attempt: null, reason: prepared.reason }
    const { url, headers, body } = prepared
    const span = beginAttemptSpan(deps, picked, { url, parent })
    const traced = span === null ? headers : { ...headers, traceparent: span.traceparent }
    const { endpoint: settings } = prepared.webhook
    const readsAnswer = mayReply(deps, settings, delivery)
    const responding = deps.outbound.post({ url, headers: traced, body, ...(readsAnswer && { readsAnswer }) })
    started()
    const answer = await responding
    endAttemptSpan(span, answer)
    if (deps.signal.aborted && !answer.ok) return undefined
    const isProbe = settings?.retry === 'eager' && !answer.ok && !isAtFault(picked, answer, prepared.atMs)
    endpoint.recordResult(answer.ok, prepared.atMs)
    if (isProbe) {
      if (!isDown(answer)) lane.suspect(delivery)
      endpoint.hold()
      picked.isHeld = true
    }
    const reply =
      settings === null || !readsAnswer
        ? undefined
        : await takeReply(deps, { lane, delivery, endpoint: settings, payload: body, answer })
    const shown = toAttempt(delivery.attempt + 1, prepared, answer)
    const made = shown instanceof Promise ? await shown : shown
    const attempt: Attempt = { ...made, ...(isProbe && { probe: true }), ...(reply && { reply }) }
    return { attempt, body, traceId: span?.traceId, settings }
  } catch (error) {
    if (deps.signal.aborted || error instanceof StoreUnavailable) return undefined
    deps.log.error({ err: error, delivery_id: delivery.id }, 'delivery.attempt_failed')
    return { attempt: internalFailure(deps, delivery), body: undefined }
  } finally {
    starting?.started()
    deps.queue.answered(endpoint)
  }
}

/** A request that is about to start. */
interface Starting {
  prepared: Prepared
  /** The trace that the attempt is part of. */
  parent: string | undefined
  /** Lets the next request of the endpoint start. */
  started: () => void
}

/** Usually nothing has to be read, and no earlier request of the endpoint waits. */
function startAtOnce(deps: DeliverDeps, { endpoint, lane, delivery }: Picked): Starting | undefined {
  const prepared = deps.tracing === null && !endpoint.isStarting ? prepareAtOnce(deps, lane, delivery) : undefined
  return prepared && { prepared, parent: undefined, started: () => {} }
}

/** How often a waiting delivery checks the lease of its shard: thousands of them may wait during an outage. */
const TENURE_POLL_MS = 250

/**
 * Waits for its turn, for the lease and for the database. The delivery keeps its turn while it waits, because a later one
 * must not overtake it. `undefined` if the shard was lost.
 */
async function waitToStart(
  deps: DeliverDeps,
  { endpoint, lane, delivery }: Picked,
  tenure: () => Tenure,
): Promise<Starting | undefined> {
  // The trace is read first: nothing is read between the check of the shard and the request.
  const tracing = traceOfEvent(deps, delivery)
  const started = await endpoint.waitForTurn()
  try {
    const parent = await tracing
    while (tenure() !== 'lost' && !deps.signal.aborted) {
      // What is prepared before the lease is certain would be out of date, and keeps the heartbeat waiting.
      if (tenure() === 'uncertain') {
        await deps.clock.sleep(TENURE_POLL_MS, deps.signal)
        continue
      }
      const prepared = await retryUntilReachable(deps.clock, () => prepare(deps, lane, delivery), {
        signal: deps.signal,
        mayRetry: () => tenure() !== 'lost',
      })
      if (tenure() === 'held') return { prepared, parent, started }
    }
    started()
    return undefined
  } catch (error) {
    started()
    throw error
  }
}

/** A proxy or the server itself says that it reaches no program, or to wait. */
const DOWN_CODES: readonly number[] = [429, 502, 503, 504]
const DOWN_ERRORS: readonly string[] = ['dns', 'refused', 'reset', 'tls', 'address_not_allowed']

const isDown = ({ httpStatus, failure }: Answer): boolean =>
  DOWN_CODES.includes(httpStatus ?? 0) || DOWN_ERRORS.includes(failure?.kind ?? '')

/** How long an endpoint may answer a delivery with errors of its own until the delivery is at fault. */
const AT_FAULT_AFTER_MS = 86_400_000

/**
 * Whether a delivery fails for what it contains: the endpoint has accepted another one since its last failure. One that
 * began while this one failed proves it only if the endpoint answered at all, since it may have gone down just then. From
 * then on the delivery is retried by the schedule, like that of a webhook.
 */
function isAtFault({ endpoint, delivery }: Picked, answer: Answer, nowMs: number): boolean {
  const attempts = JSON.parse(delivery.attempts) as Attempt[]
  const [first, last] = [attempts[0], attempts.at(-1)]
  if (first === undefined || last === undefined) return false
  if (attempts.some(({ probe }) => !probe)) return true
  if (isDown(answer)) return endpoint.hasAnsweredSince(last.atMs + last.latencyMs)
  return endpoint.hasAnsweredSince(last.atMs) || nowMs - first.atMs > AT_FAULT_AFTER_MS
}

/** Lets a failing endpoint be probed after a pause. Its failed deliveries have their places in the lanes again. */
export function probeLater(deps: Pick<DeliverDeps, 'clock' | 'config' | 'signal' | 'queue'>, endpoint: Endpoint): void {
  const failingForMs = deps.clock.now().getTime() - (endpoint.failingSince ?? Number.POSITIVE_INFINITY)
  const delayMs = probeDelayMs(failingForMs, deps.config.retryDelaysMs)
  endpoint.probeAfter(delayMs)
  void deps.clock.sleep(delayMs, deps.signal).then(() => deps.queue.offer(endpoint))
}

/** An internal error counts as an attempt, so that the delivery becomes a dead letter and is not retried for ever. */
const internalFailure = ({ clock }: Pick<Context, 'clock'>, delivery: DueDelivery): Attempt => ({
  attempt: delivery.attempt + 1,
  atMs: clock.now().getTime(),
  delivered: false,
  code: null,
  latencyMs: 0,
  error: 'internal',
  excerpt: '',
})

function logAttempt(log: Log, { lane, delivery }: Picked, ended: Ended, outcome: string): void {
  const { attempt } = ended
  log.info(
    {
      delivery_id: delivery.id,
      event_id: delivery.eventId,
      account: delivery.accountId,
      webhook_id: lane.webhookId,
      category: lane.category,
      attempt: attempt?.attempt ?? null,
      outcome,
      status: attempt?.code ?? null,
      ms: attempt?.latencyMs ?? null,
      reason: attempt === null ? ended.reason : attempt.error,
      ...(attempt === null || ended.traceId === undefined ? {} : { trace_id: ended.traceId }),
    },
    'delivery.attempted',
  )
}

/** The attempts that were no probes; `undefined` if there were no probes. */
function countOf(attempts: readonly Attempt[]): number | undefined {
  const own = attempts.filter(({ probe }) => !probe).length
  return own === attempts.length ? undefined : own
}

/** A promise only if the delivery is dead. */
function decide(
  deps: DeliverDeps,
  lane: Lane,
  delivery: DueDelivery,
  ended: Ended,
  attempts: readonly Attempt[],
): Next | Promise<Next> {
  if (ended.attempt === null) return dead(deps, lane, delivery, undefined, ended.reason)
  if (ended.attempt.probe) return { kind: 'wait' }
  const after = afterAttempt({
    attempt: countOf(attempts) ?? ended.attempt.attempt,
    delivered: ended.attempt.delivered,
    delaysMs: deps.config.retryDelaysMs,
    random: randomFraction,
  })
  if (after.next === 'delivered') return { kind: 'delivered' }
  if (after.next === 'retry') return { kind: 'retry', delayMs: after.delayMs }
  return dead(deps, lane, delivery, ended.body, 'attempts_exhausted')
}

async function dead(
  deps: DeliverDeps,
  lane: Lane,
  delivery: DueDelivery,
  body: Buffer | undefined,
  reason: DeathReason,
): Promise<Next> {
  const payload =
    body ?? (await retryUntilReachable(deps.clock, () => openPayload(deps, delivery), { signal: deps.signal }))
  const facts = await retryUntilReachable(deps.clock, () => deps.store.deliveries.readEventFacts(delivery.id), {
    signal: deps.signal,
  })
  const deadLetter: DeadLetter = {
    webhookId: lane.webhookId,
    sessionId: facts?.sessionId ?? '',
    kind: facts?.kind ?? 'message',
    eventType: delivery.eventType,
    category: lane.category ?? categoryOf(facts?.kind ?? 'message'),
    dedupeId: delivery.dedupeId,
    createdAt: facts?.createdAt ?? delivery.dueAt,
    redacted: payload === undefined ? 'null' : redactedText(payload),
  }
  return { kind: 'dead', reason, deadLetter }
}

/** Only the size of a file is shown: parsing megabytes of JSON would block the event loop. */
function redactedText(payload: Buffer): string {
  try {
    const { rest, file } = cutFile(payload)
    const event = redact(JSON.parse(rest.toString('utf8'))) as { media?: { data: string } }
    if (file.length > 0 && event.media !== undefined) event.media.data = sizeMarker(file.length)
    return JSON.stringify(event)
  } catch {
    return 'null'
  }
}

const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2_000

/**
 * Records a result, however long the database is unreachable: a lost result would mean a second request. Stops only when the
 * signal aborts; the next owner of the shard repeats the attempt.
 */
async function record(
  { store, log, clock }: Pick<Context, 'log' | 'clock'> & { store: Pick<Store, 'deliveries'> },
  result: AttemptResult,
  signal: AbortSignal,
): Promise<Recorded> {
  let waitMs = FIRST_WAIT_MS
  let attempt = result
  while (!signal.aborted) {
    try {
      return await store.deliveries.recordAttempt(attempt)
    } catch (error) {
      log.warn({ err: error, delivery_id: result.deliveryId }, 'delivery.record_failed')
      // The text of a response must never prevent its result from being recorded.
      if (error instanceof DataError) attempt = { ...attempt, attempts: '[]' }
      await clock.sleep(waitMs, signal)
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
    }
  }
  return { kind: 'stale' }
}
