import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { aboutEvent } from '../actions/make-event.ts'
import { signedHeaders } from '../actions/signed-headers.ts'
import type { Context } from '../context.ts'
import type { Attempt, DeathReason } from '../domain/delivery.ts'
import { excerptRepeats } from '../domain/redact.ts'
import type { Outbound } from '../net/outbound.ts'
import type { Answer } from '../net/post.ts'
import type { DueDelivery } from '../store/units/deliveries.ts'
import type { Lane } from './lane.ts'
import type { Targets } from './targets.ts'

export interface AttemptParts extends Pick<Context, 'store' | 'seal' | 'clock'> {
  outbound: Outbound
  targets: Targets
  /** Aborted when the time to stop is over: connections are closed then, and no failure counts. */
  signal: AbortSignal
}

export type Prepared =
  | { kind: 'ready'; url: string; headers: Record<string, string>; body: Buffer }
  | { kind: 'ended'; reason: DeathReason }

/** Everything up to the request: the URL of this moment, the stored bytes, a fresh signature over them. */
export async function prepare(parts: AttemptParts, lane: Lane, delivery: DueDelivery): Promise<Prepared> {
  const target = await parts.targets.get(lane.webhookId)
  if (target === undefined) return { kind: 'ended', reason: 'webhook_deleted' }
  if (!target.active) return { kind: 'ended', reason: 'webhook_inactive' }
  const url = target.urls[lane.category]
  if (url === '') return { kind: 'ended', reason: 'category_disabled' }
  const body = await openPayload(parts, delivery)
  if (body === undefined) return { kind: 'ended', reason: 'payload_unreadable' }
  const nowMs = parts.clock.now().getTime()
  const headers = await signedHeaders(target.secretsAt(nowMs), {
    webhookId: lane.webhookId,
    dedupeId: delivery.dedupeId ?? delivery.eventId,
    seconds: Math.floor(nowMs / 1000),
    body,
  })
  return { kind: 'ready', url, headers, body }
}

/** Undefined where the payload is gone, or sealed under a key that nobody has. */
export async function openPayload(
  { store, seal }: Pick<AttemptParts, 'store' | 'seal'>,
  delivery: Pick<DueDelivery, 'eventId' | 'sealed' | 'bytes'>,
): Promise<Buffer | undefined> {
  if (delivery.bytes === null) return undefined
  const sealed = delivery.sealed ?? (await store.readPayload(delivery.eventId))
  if (sealed === undefined) return undefined
  // Reading and opening a large payload take milliseconds each: not in one go.
  if (sealed.length > LARGE_BYTES) await yieldToEvents()
  try {
    return seal.open(sealed, aboutEvent(delivery.eventId))
  } catch {
    return undefined
  }
}

const LARGE_BYTES = 262_144

/** What history keeps of an answer. An excerpt that repeats what people wrote is dropped. */
export async function toAttempt(attempt: number, atMs: number, answer: Answer, body: Uint8Array): Promise<Attempt> {
  const repeats = answer.excerpt !== '' && (await repeatsContent(body, answer.excerpt))
  return {
    attempt,
    atMs,
    delivered: answer.ok,
    code: answer.httpStatus ?? null,
    latencyMs: answer.latencyMs,
    error: answer.failure?.kind ?? null,
    excerpt: repeats ? '' : answer.excerpt,
  }
}

const MIN_RUN = 8
const OVERLAP_BYTES = 16

async function repeatsContent(body: Uint8Array, excerpt: string): Promise<boolean> {
  if (Buffer.byteLength(excerpt) < MIN_RUN) return false
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (bytes.length <= LARGE_BYTES) return excerptRepeats(JSON.parse(bytes.toString('utf8')), excerpt)
  // A large payload is searched as text, kept fields included, and a piece at a time.
  for (let start = 0; start < bytes.length; start += LARGE_BYTES) {
    if (excerptRepeats(bytes.toString('utf8', start, start + LARGE_BYTES + OVERLAP_BYTES), excerpt)) return true
    await yieldToEvents()
  }
  return false
}
