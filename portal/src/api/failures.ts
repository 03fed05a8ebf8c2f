import { lookUp } from '../look-up.ts'
import type { Attempt, Delivery } from './records.ts'

interface Words {
  name: string
  cure: string
}

/** Every kind of failure has a name and something that a person can do about it. */
const BY_KIND: Record<string, Words> = {
  dns: { name: 'The host name could not be resolved', cure: 'Check the spelling of the URL and the DNS record.' },
  refused: {
    name: 'The connection was refused',
    cure: 'Nothing listens at that address. Start the service, or check the port and the firewall.',
  },
  reset: {
    name: 'The connection was closed before an answer came',
    cure: 'Look at the service and the proxy before it: one of them hung up.',
  },
  tls: {
    name: 'The TLS handshake failed',
    cure: 'Check the certificate: its name, its end date and that the whole chain is sent.',
  },
  timeout: {
    name: 'No answer in time',
    cure: 'Answer 2xx first and work afterwards: the whole request has a few seconds.',
  },
  redirect: {
    name: 'The endpoint answered with a redirect',
    cure: 'Redirects are not followed. Enter the final address in the webhook.',
  },
  http_4xx: {
    name: 'The endpoint refused the request',
    cure: 'A 401 or 403 often means that the signature check fails: compare the secret. A 404 means a wrong path.',
  },
  http_5xx: { name: 'The endpoint failed', cure: 'Check the service and its log.' },
  address_not_allowed: {
    name: 'The address is not allowed',
    cure: 'Webhooks may not point at private addresses, unless the operator allows the range in POSTERN_ALLOWED_TARGETS.',
  },
  internal: {
    name: 'The gateway could not make the request',
    cure: 'The fault is not the endpoint’s. The gateway’s log names it; resend when it is mended.',
  },
  invalid_response: {
    name: 'The answer was not valid HTTP',
    cure: 'Something else than a web server listens there. Check the port, and http against https.',
  },
}

const UNKNOWN: Words = { name: 'The attempt failed', cure: 'Check the endpoint, then resend.' }

export function failureWords(attempt: Pick<Attempt, 'code' | 'error'>): Words {
  const words = lookUp(BY_KIND, attempt.error ?? '') ?? byCode(attempt.code) ?? UNKNOWN
  if (attempt.code !== null) return { ...words, name: `${words.name} with ${attempt.code}` }
  return words
}

function byCode(code: number | null): Words | undefined {
  if (code === null) return undefined
  if (code >= 500) return BY_KIND['http_5xx']
  return code >= 400 ? BY_KIND['http_4xx'] : BY_KIND['redirect']
}

const DEATHS: Record<string, string> = {
  attempts_exhausted: 'All four attempts failed.',
  category_disabled: 'The URL of this category was emptied before the event could be delivered.',
  webhook_deleted: 'The webhook was deleted before the event could be delivered.',
  webhook_inactive: 'The number was unlinked or moved, which made the webhook inactive.',
  payload_unreadable: 'The stored payload can no longer be read.',
}

export const deathWords = (delivery: Pick<Delivery, 'reason'>): string =>
  lookUp(DEATHS, delivery.reason ?? '') ?? 'Nothing more is tried.'
