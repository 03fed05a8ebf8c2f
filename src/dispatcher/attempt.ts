import { cutFile } from '../domain/event-bytes.ts'
import { signedHeaders } from '../net/signed-headers.ts'
import { isEndpointId } from '../domain/endpoint.ts'
import type { Context } from '../context.ts'
import type { Attempt, DeathReason, DueDelivery } from '../domain/delivery.ts'
import { CHUNK_BYTES, inChunks } from '../runtime/in-chunks.ts'
import { appendFields, type Extras, fieldsFor, type IncludeWord } from '../domain/include.ts'
import { contentRepeats } from '../domain/redact.ts'
import { RUN_BYTES, searchRepeats } from '../domain/repeats.ts'
import { aboutEvent, aboutExtras } from '../domain/sealed.ts'
import type { Outbound } from '../net/outbound.ts'
import { shownHeaders } from '../net/answer-headers.ts'
import type { Answer } from '../net/post.ts'
import type { Store } from '../store/store.ts'
import type { Lane } from './lane.ts'
import type { CurrentWebhook, CurrentWebhooks } from './current-webhooks.ts'

export interface AttemptDeps extends Pick<Context, 'seal' | 'clock'> {
  store: Pick<Store, 'deliveries' | 'webhooks' | 'endpoints'>
  outbound: Outbound
  webhooks: CurrentWebhooks
  /** Aborts at the end of the shutdown: connections are closed then, and failures do not count. */
  signal: AbortSignal
}

export type Prepared =
  | {
      kind: 'ready'
      atMs: number
      url: string
      headers: Record<string, string>
      body: Buffer
      webhook: CurrentWebhook
    }
  | { kind: 'ended'; reason: DeathReason }

/** Prepares the request: the current URL, the stored bytes, a new signature over them. */
export async function prepare(deps: AttemptDeps, lane: Lane, delivery: DueDelivery): Promise<Prepared> {
  if (delivery.givenUpAt !== null) return { kind: 'ended', reason: 'given_up' }
  const webhook = await deps.webhooks.get(lane.webhookId)
  const isEndpoint = isEndpointId(lane.webhookId)
  if (webhook === undefined) return { kind: 'ended', reason: isEndpoint ? 'endpoint_deleted' : 'webhook_deleted' }
  if (!webhook.active) return { kind: 'ended', reason: isEndpoint ? 'endpoint_inactive' : 'webhook_inactive' }
  const url = webhook.urlOf(lane.category)
  if (url === '') return { kind: 'ended', reason: 'category_disabled' }
  const body = await openPayload(deps, delivery, webhook.endpoint?.include)
  if (body === undefined) return { kind: 'ended', reason: 'payload_unreadable' }
  const nowMs = deps.clock.now().getTime()
  const request = {
    webhookId: lane.webhookId,
    eventId: delivery.eventId,
    dedupeId: delivery.dedupeId,
    seconds: Math.floor(nowMs / 1000),
    body,
  }
  const signed = await signedHeaders(webhook.secretsAt(nowMs), request, webhook.endpoint?.signature)
  return { kind: 'ready', atMs: nowMs, url, headers: { ...webhook.endpoint?.headers(), ...signed }, body, webhook }
}

/**
 * The payload, with the extra fields that the endpoint includes. `undefined` if it is deleted, or sealed under an unknown
 * key.
 */
export async function openPayload(
  { store, seal }: Pick<AttemptDeps, 'store' | 'seal'>,
  delivery: Pick<DueDelivery, 'eventId' | 'sealed' | 'extras'>,
  include: readonly IncludeWord[] = [],
): Promise<Buffer | undefined> {
  const { eventId } = delivery
  const sealed = delivery.sealed ?? (await store.deliveries.readPayload(eventId))
  if (sealed === undefined) return undefined
  const isStored = delivery.sealed === null
  const extras = isStored && include.length > 0 ? await store.deliveries.readExtras(eventId) : delivery.extras
  try {
    const about = aboutEvent(eventId)
    const payload = sealed.length <= CHUNK_BYTES ? seal.open(sealed, about) : await seal.openChunks(sealed, about)
    if (extras === null || include.length === 0) return payload
    const fields = JSON.parse(seal.open(extras, aboutExtras(eventId)).toString('utf8')) as Extras
    return appendFields(payload, fieldsFor(fields, include))
  } catch {
    return undefined
  }
}

/** The part of a response that the history keeps, without texts that repeat message content. */
export async function toAttempt(
  attempt: number,
  { atMs, url, body }: { atMs: number; url: string; body: Buffer },
  answer: Answer,
): Promise<Attempt> {
  const { strict, free } = shownHeaders(answer.headers)
  const mayShowFree = !answer.ok && !(await repeatsContent(body, Object.values(free).join('\n')))
  return {
    attempt,
    atMs,
    delivered: answer.ok,
    code: answer.httpStatus ?? null,
    latencyMs: answer.latencyMs,
    error: answer.failure?.kind ?? null,
    excerpt: (await repeatsContent(body, answer.excerpt)) ? '' : answer.excerpt,
    url: url.replace(/\?.*/s, '?…'),
    headers: mayShowFree ? { ...strict, ...free } : strict,
  }
}

async function repeatsContent(body: Buffer, excerpt: string): Promise<boolean> {
  const search = searchRepeats(excerpt)
  if (search === undefined) return false
  const { rest, file } = cutFile(body)
  let found = contentRepeats(JSON.parse(rest.toString('utf8')), search)
  await inChunks(file.length, (start, end) => {
    found ||= search(file.subarray(start, end + RUN_BYTES - 1))
  })
  return found
}
