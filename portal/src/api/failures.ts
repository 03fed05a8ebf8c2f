import { lookUp } from '../look-up.ts'
import type { Attempt, Delivery } from './records.ts'
import { t } from '../t.ts'

interface Words {
  name: string
  cure: string
}

/** Every kind of failure has a name and something that a person can do about it. */
const BY_KIND: Record<string, Words> = {
  dns: { name: t('The host name could not be resolved'), cure: t('Check the spelling of the URL and the DNS record.') },
  refused: {
    name: t('The connection was refused'),
    cure: t('Nothing listens at that address. Start the service, or check the port and the firewall.'),
  },
  reset: {
    name: t('The connection was closed before an answer came'),
    cure: t('Check the service and the proxy in front of it: one of them closed the connection.'),
  },
  tls: {
    name: t('The TLS handshake failed'),
    cure: t('Check the certificate: its name, its end date and that the whole chain is sent.'),
  },
  timeout: {
    name: t('No answer in time'),
    cure: t('Answer 2xx first and work afterwards: the gateway waits only a few seconds.'),
  },
  redirect: {
    name: t('The endpoint answered with a redirect'),
    cure: t('The gateway does not follow redirects. Enter the final address in the webhook.'),
  },
  http_4xx: {
    name: t('The endpoint refused the request'),
    cure: t('A 401 or 403 often means that the signature check fails: compare the secret. A 404 means a wrong path.'),
  },
  http_5xx: { name: t('The endpoint failed'), cure: t('Check the service and its log.') },
  address_not_allowed: {
    name: t('The address is not allowed'),
    cure: t(
      'Webhooks may not point at private addresses, unless the operator allows the range in POSTERN_ALLOWED_TARGETS.',
    ),
  },
  internal: {
    name: t('The gateway could not make the request'),
    cure: t('Your endpoint is not the cause. The gateway’s log names the error; resend when it is fixed.'),
  },
  invalid_response: {
    name: t('The answer was not valid HTTP'),
    cure: t(
      'Something other than a web server listens there. Check the port, and whether the URL needs http or https.',
    ),
  },
}

const UNKNOWN: Words = { name: t('The attempt failed'), cure: t('Check the endpoint, then resend.') }

export function failureWords(attempt: Pick<Attempt, 'code' | 'error'>): Words {
  const words = lookUp(BY_KIND, attempt.error ?? '') ?? byCode(attempt.code) ?? UNKNOWN
  if (attempt.code !== null)
    return { ...words, name: t('{name} with {code}', { name: words.name, code: attempt.code }) }
  return words
}

function byCode(code: number | null): Words | undefined {
  if (code === null) return undefined
  if (code >= 500) return BY_KIND['http_5xx']
  return code >= 400 ? BY_KIND['http_4xx'] : BY_KIND['redirect']
}

const DEATHS: Record<string, string> = {
  attempts_exhausted: t('All four attempts failed.'),
  category_disabled: t('The URL of this category was removed before the event could be delivered.'),
  webhook_deleted: t('The webhook was deleted before the event could be delivered.'),
  webhook_inactive: t('The number was unlinked or moved, which made the webhook inactive.'),
  endpoint_deleted: t('The endpoint was deleted before the event could be delivered.'),
  endpoint_inactive: t('The endpoint was switched off before the event could be delivered.'),
  number_removed: t('The number was taken out of the endpoint before the event could be delivered.'),
  payload_unreadable: t('The stored payload can no longer be read.'),
}

export const deathWords = (delivery: Pick<Delivery, 'reason'>): string =>
  lookUp(DEATHS, delivery.reason ?? '') ?? t('There are no further attempts.')
