import type { Attempt, Delivery, Endpoint, Webhook } from './records.ts'
import { urlOf } from './webhooks.ts'

/** The URL of the last or next attempt. The history stores it without its query, which the webhook or endpoint has. */
export function targetOf(
  delivery: Delivery,
  webhooks: readonly Webhook[] | undefined,
  endpoints: readonly Endpoint[] | undefined,
): string {
  const webhook = webhooks?.find(({ id }) => id === delivery.webhook_id)
  const now = webhook ? urlOf(webhook, delivery.category) : (endpointOf(delivery, endpoints)?.url ?? '')
  return delivery.attempts.at(-1)?.url ?? now.replace(/\?.*/s, '?…')
}

export const endpointOf = (delivery: Delivery, endpoints: readonly Endpoint[] | undefined): Endpoint | undefined =>
  endpoints?.find(({ id }) => id === delivery.endpoint_id)

const SIGNATURE = /signature$/i

/** The headers of the request as they were sent. The signature is a placeholder, because it requires the secret. */
export function requestHeaders(
  delivery: Delivery,
  attempt: Attempt | undefined,
  endpoint: Endpoint | undefined,
): [string, string][] {
  const seconds = attempt ? String(Math.floor(Date.parse(attempt.time) / 1000)) : '<seconds>'
  const own = (endpoint?.headers ?? []).map((name): [string, string] => [name, '…'])
  if (endpoint?.signature === 'standard')
    return [
      ['Content-Type', 'application/json'],
      ['webhook-id', delivery.event_id],
      ['webhook-timestamp', seconds],
      ['webhook-signature', 'v1,<HMAC-SHA256 with your secret>'],
      ...own,
    ]
  return [
    ['Content-Type', 'application/json'],
    ['X-Webhook-ID', delivery.webhook_id ?? delivery.endpoint_id ?? ''],
    ['X-Message-ID', delivery.message_id],
    ['X-Timestamp', seconds],
    ['X-Webhook-Signature', `t=${seconds},v1=<HMAC-SHA256 with your secret>`],
    ...own,
  ]
}

/** The same request as a curl command, without the secret: the user computes the signature. */
export function asCurl(delivery: Delivery, url: string, endpoint?: Endpoint): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const headers = requestHeaders(delivery, delivery.attempts.at(-1), endpoint).map(([name, value]) =>
    SIGNATURE.test(name) ? `  -H "${name}: $SIGNATURE"` : `  -H ${quoted(`${name}: ${value}`)}`,
  )
  return [`curl -X POST ${quoted(url)}`, ...headers, `  --data-raw ${quoted(JSON.stringify(delivery.payload))}`].join(
    ' \\\n',
  )
}
