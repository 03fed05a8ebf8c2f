import type { Context } from '../context.ts'
import { DEFAULT_KINDS, type Endpoint } from '../domain/endpoint.ts'
import { notFound } from '../domain/errors.ts'
import { CATEGORIES, type Category, categoryOf, dedupeIdOf } from '../domain/event.ts'
import { makeId } from '../domain/ids.ts'
import { aboutEndpoint, aboutHeaders } from '../domain/sealed.ts'
import { createOutbound } from '../net/outbound.ts'
import { Signer } from '../domain/signature.ts'
import { signedHeaders } from '../net/signed-headers.ts'
import type { Store } from '../store/store.ts'
import { resultOf, SAMPLES, type TestResult } from './test-webhook.ts'

type Deps = Pick<Context, 'seal' | 'clock' | 'config' | 'targets'> & { store: Pick<Store, 'endpoints'> }

/** A number that no account has, for the sample of an endpoint of all numbers. */
const SAMPLE_NUMBER = '15550100200@s.whatsapp.net'

/** Sends a sample to an endpoint, under the same guard as deliveries. It does not appear in the history. */
export async function testEndpoint(
  { store, seal, clock, config, targets }: Deps,
  endpoint: Endpoint,
  options: { category?: Category; sign: boolean },
): Promise<TestResult> {
  const [current] = await store.endpoints.readCurrentEndpoints([endpoint.id])
  if (current === undefined) throw notFound('endpoint')
  const nowMs = clock.now().getTime()
  const seconds = Math.floor(nowMs / 1_000)
  const overlaps = current.oldSecret !== null && nowMs < (current.oldSecretUntil ?? 0)
  const sealed = overlaps ? [current.secret, current.oldSecret!] : [current.secret]
  const signers = options.sign
    ? sealed.map(each => new Signer(seal.open(each, aboutEndpoint(endpoint.id)).toString('utf8')))
    : []
  const category = options.category ?? firstCategory(endpoint)
  const sample = SAMPLES[category](endpoint.sessionIds?.[0] ?? SAMPLE_NUMBER, seconds)
  const body = Buffer.from(JSON.stringify(sample))
  const eventId = makeId('evt')
  const request = { webhookId: endpoint.id, eventId, dedupeId: dedupeIdOf(sample, eventId), seconds, body }
  const signed = await signedHeaders(signers, request, current.signature)
  const own =
    current.headers === null
      ? {}
      : (JSON.parse(seal.open(current.headers, aboutHeaders(endpoint.id)).toString('utf8')) as Record<string, string>)
  const outbound = createOutbound(targets, { clock, timeoutMs: config.deliveryTimeoutMs })
  try {
    const answer = await outbound.post({ url: endpoint.url, headers: { ...own, ...signed }, body })
    return resultOf(category, endpoint.url, answer)
  } finally {
    await outbound.close()
  }
}

const firstCategory = ({ kinds }: Endpoint): Category =>
  CATEGORIES.find(category => (kinds ?? DEFAULT_KINDS).some(kind => categoryOf(kind) === category)) ?? 'messages'
