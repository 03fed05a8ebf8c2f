import type { Attempt, Delivery, Webhook } from './records.ts'
import { urlOf } from './webhooks.ts'

/** The URL of the last or next attempt. The history stores it without its query, which the webhook has. */
export function targetOf(delivery: Delivery, webhooks: readonly Webhook[] | undefined): string {
  const webhook = webhooks?.find(({ id }) => id === delivery.webhook_id)
  const now = webhook ? urlOf(webhook, delivery.category) : ''
  return delivery.attempts.at(-1)?.url ?? now.replace(/\?.*/s, '?…')
}

/** The headers of the request as they were sent. The signature is a placeholder, because it requires the secret. */
export function requestHeaders(delivery: Delivery, attempt: Attempt | undefined): [string, string][] {
  const seconds = attempt ? String(Math.floor(Date.parse(attempt.time) / 1000)) : '<seconds>'
  return [
    ['Content-Type', 'application/json'],
    ['X-Webhook-ID', delivery.webhook_id ?? delivery.endpoint_id ?? ''],
    ['X-Message-ID', delivery.message_id],
    ['X-Timestamp', seconds],
    ['X-Webhook-Signature', `t=${seconds},v1=<HMAC-SHA256 with your secret>`],
  ]
}

/** The same request as a curl command, without the secret: the user computes the signature. */
export function asCurl(delivery: Delivery, url: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const headers = requestHeaders(delivery, delivery.attempts.at(-1)).map(([name, value]) =>
    name === 'X-Webhook-Signature' ? `  -H "${name}: $SIGNATURE"` : `  -H ${quoted(`${name}: ${value}`)}`,
  )
  return [`curl -X POST ${quoted(url)}`, ...headers, `  --data-raw ${quoted(JSON.stringify(delivery.payload))}`].join(
    ' \\\n',
  )
}
