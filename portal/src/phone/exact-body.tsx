import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Delivery } from '../api/records.ts'
import { CopyButton } from '../ui/copy.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { bodyQuery } from './watched.ts'
import { t } from '../t.ts'

const VIEWS = [
  { value: 'tree', label: t('Tree') },
  { value: 'raw', label: t('Exact body') },
] as const

/** The exact body that the endpoint receives. For deliveries before this page was open, only the redacted form exists. */
export function ExactBody({ delivery }: { delivery: Delivery }) {
  const { data: body, isPending } = useQuery(bodyQuery(delivery.id))
  const [view, setView] = useState<'tree' | 'raw'>('tree')
  if (isPending) return <div aria-hidden className="skeleton h-40" />
  if (typeof body !== 'string') {
    return (
      <>
        <p className="text-[13px] text-muted">
          {t(
            'Shown as the history stores it. Only events that are posted while this page is open show their full body.',
          )}
        </p>
        <JsonTree label={t('Payload')} value={delivery.payload} />
      </>
    )
  }
  return (
    <>
      <div className="flex items-center justify-between gap-2">
        <Segmented label={t('View')} value={view} choices={VIEWS} onChange={setView} />
        <CopyButton text={body} label={t('Copy the body')} />
      </div>
      {view === 'tree' ? (
        <JsonTree label={t('Payload')} value={JSON.parse(body) as unknown} />
      ) : (
        <pre
          tabIndex={0}
          aria-label={t('Exact body')}
          className="max-h-80 overflow-auto rounded-lg border bg-raised px-3 py-2.5 font-mono text-[12px] leading-5 break-all whitespace-pre-wrap"
        >
          {body}
        </pre>
      )}
    </>
  )
}
