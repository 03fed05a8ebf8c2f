import { cutFile } from '../actions/event-bytes.ts'
import type { Context } from '../context.ts'
import type { Attempt, DeathReason, DueDelivery } from '../domain/delivery.ts'
import { randomFraction } from '../domain/random.ts'
import { redact, sizeMarker } from '../domain/redact.ts'
import { afterAttempt } from '../domain/retry.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { StoreUnavailable } from '../store/tx.ts'
import type { DeadLetter, Next } from '../store/units/delivery/attempt-result.ts'
import { whenReachable } from '../store/when-reachable.ts'
import { type AttemptParts, openPayload, prepare, toAttempt } from './attempt.ts'
import type { FairQueue, Picked } from './fair-queue.ts'
import type { Lane } from './lane.ts'
import { record } from './record.ts'
import type { Shard } from './shards.ts'
import { beginAttemptSpan, endAttemptSpan, type TracedParts, traceOfEvent } from './traced-attempt.ts'

export interface DeliverParts extends AttemptParts, Pick<Context, 'config' | 'metrics' | 'log' | 'tracing'> {
  store: AttemptParts['store'] & TracedParts['store']
  queue: Pick<FairQueue, 'answered'>
  /** For the one line of each attempt. */
  attemptLog: Log
}

type Ended =
  | { attempt: Attempt; body: Buffer | undefined; traceId?: string | undefined }
  /** There was nothing to send, or nobody to send it to. */
  | { attempt: null; reason: DeathReason }

/** One attempt from its beginning to its durable result. Answers when the next one is due; `null` when there is none. */
export async function deliver(
  parts: DeliverParts,
  picked: Picked,
  shard: Shard,
  isOurs: () => boolean,
): Promise<number | null> {
  const { lane, delivery } = picked
  const ended = await attempt(parts, picked, isOurs)
  if (ended === undefined) return null
  const attempts = JSON.parse(delivery.attempts) as Attempt[]
  if (ended.attempt !== null) attempts.push(ended.attempt)
  const next = await decide(parts, lane, delivery, ended)
  const recorded = await record(
    parts,
    {
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      accountId: delivery.accountId,
      webhookId: lane.webhookId,
      isRecorded: delivery.eventType !== null,
      origin: delivery.origin,
      lease: shard.lease,
      attemptsBefore: delivery.attempt,
      attemptsAfter: delivery.attempt + (ended.attempt === null ? 0 : 1),
      attempts: JSON.stringify(attempts),
      next,
    },
    parts.signal,
  )
  const outcome = recorded.kind === 'stale' ? 'stale' : next.kind
  count(parts.metrics, ended.attempt, outcome, next)
  logAttempt(parts.attemptLog, picked, ended, outcome)
  return recorded.kind === 'recorded' ? recorded.dueAt : null
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
 * Undefined where the attempt was cut off by the end of the process: nobody knows what came of it. Also where the
 * database was away until the delivery was no longer ours: nothing was sent.
 */
async function attempt(parts: DeliverParts, picked: Picked, isOurs: () => boolean): Promise<Ended | undefined> {
  const { endpoint, lane, delivery } = picked
  // Between what is known to be ours and its request nothing is read.
  const tracing = traceOfEvent(parts, delivery)
  const started = await endpoint.inOrder()
  try {
    const parent = await tracing
    const prepared = await whenReachable(parts.clock, () => prepare(parts, lane, delivery), {
      signal: parts.signal,
      makesSense: isOurs,
    })
    if (prepared.kind === 'ended') return { attempt: null, reason: prepared.reason }
    const { url, headers, body } = prepared
    const span = beginAttemptSpan(parts, picked, { url, parent })
    const traced = span === null ? headers : { ...headers, traceparent: span.traceparent }
    const answering = parts.outbound.post({ url, headers: traced, body })
    started()
    const answer = await answering
    endAttemptSpan(span, answer)
    if (parts.signal.aborted && !answer.ok) return undefined
    endpoint.learn(answer.ok)
    return { attempt: await toAttempt(delivery.attempt + 1, prepared, answer), body, traceId: span?.traceId }
  } catch (error) {
    if (parts.signal.aborted || error instanceof StoreUnavailable) return undefined
    parts.log.error({ err: error, delivery_id: delivery.id }, 'delivery.broke')
    return { attempt: internalFailure(parts, delivery), body: undefined }
  } finally {
    started()
    parts.queue.answered(endpoint)
  }
}

/** Our own fault spends an attempt too, so that what we cannot handle ends among the dead letters and not in a circle. */
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

async function decide(parts: DeliverParts, lane: Lane, delivery: DueDelivery, ended: Ended): Promise<Next> {
  if (ended.attempt === null) return await dead(parts, lane, delivery, undefined, ended.reason)
  const after = afterAttempt({
    attempt: ended.attempt.attempt,
    delivered: ended.attempt.delivered,
    delaysMs: parts.config.retryDelaysMs,
    random: randomFraction,
  })
  if (after.next === 'delivered') return { kind: 'delivered' }
  if (after.next === 'retry') return { kind: 'retry', delayMs: after.delayMs }
  return await dead(parts, lane, delivery, ended.body, 'attempts_exhausted')
}

async function dead(
  parts: DeliverParts,
  lane: Lane,
  delivery: DueDelivery,
  body: Buffer | undefined,
  reason: DeathReason,
): Promise<Next> {
  const payload =
    body ?? (await whenReachable(parts.clock, () => openPayload(parts, delivery), { signal: parts.signal }))
  const facts = await whenReachable(parts.clock, () => parts.store.delivery.readEventFacts(delivery.id), {
    signal: parts.signal,
  })
  const deadLetter: DeadLetter = {
    webhookId: lane.webhookId,
    sessionId: facts?.sessionId ?? '',
    kind: facts?.kind ?? 'message',
    eventType: delivery.eventType,
    category: lane.category,
    dedupeId: delivery.dedupeId,
    createdAt: facts?.createdAt ?? delivery.dueAt,
    redacted: payload === undefined ? 'null' : redactedText(payload),
  }
  return { kind: 'dead', reason, deadLetter }
}

/** A file is only measured: reading megabytes of it as JSON would hold up the event loop. */
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
