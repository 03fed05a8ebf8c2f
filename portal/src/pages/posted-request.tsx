import { useQuery } from '@tanstack/react-query'
import { asCurl, requestHeaders, targetOf } from '../api/posted-request.ts'
import type { Delivery } from '../api/records.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { CopyButton } from '../ui/copy.tsx'
import { JsonTree } from '../ui/json-tree.tsx'

/** What was posted: URL, headers and body, as far as the history keeps them. */
export function PostedRequest({ delivery }: { delivery: Delivery }) {
  const url = targetOf(delivery, useQuery(webhooksQuery).data)
  const last = delivery.attempts.at(-1)
  return (
    <section className="space-y-3">
      <header className="flex items-center justify-between gap-3">
        <h3 className="font-semibold">Request</h3>
        <CopyButton text={asCurl(delivery, url)} label="Copy as curl" />
      </header>
      <div className="overflow-hidden rounded-lg border bg-raised font-mono text-[12px]">
        <p className="border-b px-3 py-2 break-all">
          <b>POST</b> {url || 'no URL at the moment'}
        </p>
        <dl className="space-y-0.5 px-3 py-2" aria-label="Request headers">
          {requestHeaders(delivery, last).map(([name, value]) => (
            <div key={name} className="break-all">
              <dt className="inline text-muted">{name}:</dt> <dd className="inline">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p className="text-[13px] text-muted">{arrived(delivery)}</p>
      <JsonTree label="Redacted payload" value={delivery.payload} />
    </section>
  )
}

/** Failures after which nothing can have been read at the other side. */
const NEVER_REACHED = new Set(['dns', 'refused', 'tls', 'address_not_allowed', 'internal'])
const KEPT = 'The history keeps its shape; content is replaced by its size.'

/** Whether the endpoint has seen it, by what is known. */
function arrived({ attempts }: Delivery): string {
  if (attempts.length === 0) return `It has not been sent yet. ${KEPT}`
  if (attempts.some(({ status }) => status === 'delivered')) return `Your endpoint received it in full. ${KEPT}`
  if (attempts.some(({ code }) => code !== null)) return `Your endpoint was reached and refused it. ${KEPT}`
  if (attempts.every(({ error }) => NEVER_REACHED.has(error ?? ''))) return `It never reached your endpoint. ${KEPT}`
  return `No answer came, so your endpoint may or may not have read it. ${KEPT}`
}
