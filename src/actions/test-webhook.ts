import type { Context } from '../context.ts'
import { wrongState } from '../domain/errors.ts'
import { CATEGORIES, type Category, dedupeIdOf, type Event } from '../domain/event.ts'
import type { ExchangeFailureKind } from '../domain/exchange-failure.ts'
import { makeId } from '../domain/ids.ts'
import { aboutWebhook } from '../domain/sealed.ts'
import { fieldOf, makeWebhookSecret, type Webhook } from '../domain/webhook.ts'
import { createOutbound, type Outbound } from '../net/outbound.ts'
import type { Answer } from '../net/post.ts'
import type { Store } from '../store/store.ts'
import { Signer } from '../domain/signature.ts'
import { signedHeaders } from '../net/signed-headers.ts'

export interface TestResult {
  category: Category
  url: string
  httpStatus: number | null
  latencyMs: number
  excerpt: string
  error: string | null
  errorKind: ExchangeFailureKind | null
}

type Deps = Pick<Context, 'seal' | 'clock' | 'config' | 'targets'> & { store: Pick<Store, 'webhooks'> }

/** The endpoints that are tested: those of a webhook, or URLs that are not saved yet. */
export type Tested = Pick<Webhook, 'id' | 'sessionId' | 'urls'>

/** Sends a sample to the endpoints of a webhook, under the same guard as deliveries. It does not appear in the history. */
export async function testWebhook(
  deps: Deps,
  webhook: Tested,
  options: { category?: Category; sign: boolean },
): Promise<TestResult[]> {
  const { category } = options
  if (category !== undefined && webhook.urls[category] === '') throw wrongState(`${fieldOf(category)} is empty`)
  const categories = CATEGORIES.filter(each => webhook.urls[each] !== '' && (category ?? each) === each)
  const secrets = options.sign ? await currentSecrets(deps, webhook.id) : []
  return await sendSamples(deps, webhook, categories, secrets)
}

/** The same with URLs that no webhook has yet, signed with a secret that is thrown away. */
export async function tryUrls(deps: Deps, tested: Omit<Tested, 'id'>): Promise<TestResult[]> {
  const categories = CATEGORIES.filter(category => tested.urls[category] !== '')
  return await sendSamples(deps, { ...tested, id: makeId('wh') }, categories, [new Signer(makeWebhookSecret())])
}

async function sendSamples(
  deps: Deps,
  webhook: Tested,
  categories: readonly Category[],
  secrets: Signer[],
): Promise<TestResult[]> {
  const outbound = createOutbound(deps.targets, { clock: deps.clock, timeoutMs: deps.config.deliveryTimeoutMs })
  try {
    return await Promise.all(categories.map(each => testCategory(deps, outbound, webhook, each, secrets)))
  } finally {
    await outbound.close()
  }
}

async function currentSecrets({ store, seal }: Deps, webhookId: string): Promise<Signer[]> {
  const sealed = await store.webhooks.getWebhookSecrets(webhookId)
  return sealed.map(secret => new Signer(seal.open(secret, aboutWebhook(webhookId)).toString('utf8')))
}

async function testCategory(
  { clock }: Deps,
  outbound: Outbound,
  webhook: Tested,
  category: Category,
  secrets: Signer[],
): Promise<TestResult> {
  const seconds = Math.floor(clock.now().getTime() / 1000)
  const sample = SAMPLES[category](webhook.sessionId, seconds)
  const body = Buffer.from(JSON.stringify(sample))
  const url = webhook.urls[category]
  const eventId = makeId('evt')
  const dedupeId = dedupeIdOf(sample, eventId)
  const headers = await signedHeaders(secrets, { webhookId: webhook.id, eventId, dedupeId, seconds, body })
  return resultOf(category, url, await outbound.post({ url, headers, body }))
}

export function resultOf(category: Category, url: string, answer: Answer): TestResult {
  return {
    category,
    url,
    httpStatus: answer.httpStatus ?? null,
    latencyMs: answer.latencyMs,
    excerpt: answer.excerpt,
    error: answer.failure?.text ?? null,
    errorKind: answer.failure?.kind ?? null,
  }
}

const CONTACT = '15550100100@s.whatsapp.net'

export const SAMPLES: Record<Category, (sessionId: string, seconds: number) => Event> = {
  messages: (session_id, timestamp_unix) => ({
    kind: 'message',
    message_id: 'TEST00000000000000000001',
    session_id,
    sender_jid: CONTACT,
    sender_name: 'Test contact',
    chat_jid: CONTACT,
    is_group: false,
    broadcast: false,
    type: 'text',
    text: 'This is a test of your webhook.',
    timestamp_unix,
  }),
  status: (session_id, timestamp_unix) => ({
    kind: 'status',
    session_id,
    request_id: 'test-request',
    message_id: 'msg_test',
    messenger_message_id: 'TEST00000000000000000002',
    to: CONTACT,
    status: 'sent',
    timestamp_unix,
  }),
  connection: (session_id, timestamp_unix) => ({ kind: 'connection', session_id, event: 'connected', timestamp_unix }),
  events: session_id => ({ kind: 'presence', session_id, contact_jid: CONTACT, online: true, last_seen_unix: 0 }),
}
