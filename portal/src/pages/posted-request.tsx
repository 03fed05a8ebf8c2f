import { useQuery } from '@tanstack/react-query'
import { endpointsQuery } from '../api/endpoints.ts'
import { asCurl, endpointOf, requestHeaders, targetOf } from '../api/posted-request.ts'
import type { Delivery } from '../api/records.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { CopyButton } from '../ui/copy.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { t } from '../t.ts'

/** The posted request: URL, headers and body, as far as the history stores them. */
export function PostedRequest({ delivery }: { delivery: Delivery }) {
  const endpoints = useQuery(endpointsQuery).data
  const endpoint = endpointOf(delivery, endpoints)
  const url = targetOf(delivery, useQuery(webhooksQuery).data, endpoints)
  const last = delivery.attempts.at(-1)
  return (
    <section className="space-y-3">
      <header className="flex items-center justify-between gap-3">
        <h3 className="font-semibold">{t('Request')}</h3>
        <CopyButton text={asCurl(delivery, url, endpoint)} label={t('Copy as curl')} />
      </header>
      <div className="overflow-hidden rounded-lg border bg-raised font-mono text-[12px]">
        <p className="border-b px-3 py-2 break-all">
          <b>{METHOD}</b> {url || t('no URL at the moment')}
        </p>
        <dl className="space-y-0.5 px-3 py-2" aria-label={t('Request headers')}>
          {requestHeaders(delivery, last, endpoint).map(([name, value]) => (
            <div key={name} className="break-all">
              <dt className="inline text-muted">{name}:</dt> <dd className="inline">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p className="text-[13px] text-muted">
        {arrived(delivery)} {KEPT}
      </p>
      <JsonTree label={t('Redacted payload')} value={delivery.payload} />
    </section>
  )
}

/** Failures after which the endpoint cannot have read anything. */
const NEVER_REACHED = new Set(['dns', 'refused', 'tls', 'address_not_allowed', 'internal'])
const METHOD = 'POST'
const KEPT = t('The history keeps the structure, with sizes instead of content.')

/** Whether the endpoint has received the request, as far as is known. */
function arrived({ attempts }: Delivery): string {
  if (attempts.length === 0) return t('It has not been sent yet.')
  if (attempts.some(({ status }) => status === 'delivered')) return t('Your endpoint received it in full.')
  if (attempts.some(({ code }) => code !== null)) return t('Your endpoint was reached and refused it.')
  if (attempts.every(({ error }) => NEVER_REACHED.has(error ?? ''))) return t('It never reached your endpoint.')
  return t('Your endpoint did not answer, so it may or may not have read the event.')
}
