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
import { type AnswerHeaders, freeHeaders, strictHeaders } from '../net/answer-headers.ts'
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

interface Ready {
  kind: 'ready'
  atMs: number
  url: string
  headers: Record<string, string>
  body: Buffer
  webhook: CurrentWebhook
}

export type Prepared = Ready | { kind: 'ended'; reason: DeathReason }

/** Prepares the request: the current URL, the stored bytes, a new signature over them. */
export async function prepare(deps: AttemptDeps, lane: Lane, delivery: DueDelivery): Promise<Prepared> {
  if (delivery.givenUpAt !== null) return { kind: 'ended', reason: 'given_up' }
  const webhook = await deps.webhooks.get(lane.webhookId)
  const isEndpoint = isEndpointId(lane.webhookId)
  if (webhook === undefined) return { kind: 'ended', reason: isEndpoint ? 'endpoint_deleted' : 'webhook_deleted' }
  if (!webhook.active) return { kind: 'ended', reason: isEndpoint ? 'endpoint_inactive' : 'webhook_inactive' }
  // A key of the numbers that are left may have set the URL since.
  if (webhook.endpoint?.sessionIds?.includes(lane.number) === false) return { kind: 'ended', reason: 'number_removed' }
  const url = webhook.urlOf(lane.category)
  if (url === '') return { kind: 'ended', reason: 'category_disabled' }
  const body = await openPayload(deps, delivery, webhook.endpoint?.include)
  if (body === undefined) return { kind: 'ended', reason: 'payload_unreadable' }
  return await sign(deps, { webhook, url, body }, lane, delivery)
}

/** The same without waiting; `undefined` unless the webhook and the payload are in memory and nothing is unusual. */
export function prepareAtOnce(deps: AttemptDeps, lane: Lane, delivery: DueDelivery): Ready | undefined {
  const { sealed } = delivery
  const webhook = deps.webhooks.peek(lane.webhookId)
  if (
    webhook?.active !== true ||
    webhook.endpoint !== null ||
    delivery.givenUpAt !== null ||
    sealed === null ||
    sealed.length > CHUNK_BYTES
  )
    return
  const url = webhook.urlOf(lane.category)
  const body = url === '' ? undefined : openSmall(deps, delivery.eventId, sealed)
  const ready = body && sign(deps, { webhook, url, body }, lane, delivery)
  return ready instanceof Promise ? undefined : ready
}

interface Unsigned {
  webhook: CurrentWebhook
  url: string
  body: Buffer
}

function sign(
  { clock }: Pick<AttemptDeps, 'clock'>,
  { webhook, url, body }: Unsigned,
  { webhookId }: Lane,
  { eventId, dedupeId }: DueDelivery,
): Ready | Promise<Ready> {
  const nowMs = clock.now().getTime()
  const seconds = Math.floor(nowMs / 1000)
  const request = { webhookId, eventId, dedupeId, seconds, body }
  const { endpoint } = webhook
  const signed = signedHeaders(webhook.signersAt(nowMs), request, endpoint?.signature)
  const ready = (own: Record<string, string>): Ready => {
    const headers = endpoint === null ? own : { ...endpoint.headers(), ...own }
    return { kind: 'ready', atMs: nowMs, url, headers, body, webhook }
  }
  return signed instanceof Promise ? signed.then(ready) : ready(signed)
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

function openSmall({ seal }: Pick<AttemptDeps, 'seal'>, eventId: string, sealed: Uint8Array): Buffer | undefined {
  try {
    return seal.open(sealed, aboutEvent(eventId))
  } catch {
    return undefined
  }
}

type Sending = Pick<Ready, 'atMs' | 'url' | 'body' | 'webhook'>

/**
 * The part of a response that the history keeps, without texts that repeat message content or the endpoint's own headers. A
 * promise only if there are such texts.
 */
export function toAttempt(attempt: number, sending: Sending, answer: Answer): Attempt | Promise<Attempt> {
  const { atMs, url, webhook } = sending
  const query = url.indexOf('?')
  const made = {
    attempt,
    atMs,
    delivered: answer.ok,
    code: answer.httpStatus ?? null,
    latencyMs: answer.latencyMs,
    error: answer.failure?.kind ?? null,
    excerpt: '',
    url: query === -1 ? url : `${url.slice(0, query)}?…`,
    headers: strictHeaders(answer.headers),
  }
  // What an endpoint answers a message with is content.
  const hasExcerpt = answer.excerpt !== '' && !(answer.ok && webhook.endpoint?.reply === true)
  return hasExcerpt || !answer.ok ? withTexts(made, hasExcerpt, sending, answer) : made
}

async function withTexts(made: Attempt, hasExcerpt: boolean, sending: Sending, answer: Answer): Promise<Attempt> {
  const sent = { body: sending.body, headers: sending.webhook.endpoint?.headers() ?? {} }
  return {
    ...made,
    excerpt: !hasExcerpt || (await repeatsSent(sent, answer.excerpt)) ? '' : answer.excerpt,
    headers: { ...made.headers, ...(answer.ok ? {} : await explainingHeaders(sent, answer)) },
  }
}

/** What no history may show. */
interface Sent {
  body: Buffer
  headers: Readonly<Record<string, string>>
}

async function explainingHeaders(sent: Sent, answer: Answer): Promise<AnswerHeaders> {
  const free = freeHeaders(answer.headers)
  return (await repeatsSent(sent, Object.values(free).join('\n'))) ? {} : free
}

async function repeatsSent({ body, headers }: Sent, excerpt: string): Promise<boolean> {
  const search = searchRepeats(excerpt)
  if (search === undefined) return false
  // Word by word, so that a challenge may name a scheme such as Bearer.
  for (const value of Object.values(headers)) if (value.split(' ').some(word => search(Buffer.from(word)))) return true
  const { rest, file } = cutFile(body)
  let found = contentRepeats(JSON.parse(rest.toString('utf8')), search)
  await inChunks(file.length, (start, end) => {
    found ||= search(file.subarray(start, end + RUN_BYTES - 1))
  })
  return found
}
