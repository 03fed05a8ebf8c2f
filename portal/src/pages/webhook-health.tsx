import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { endpointsQuery, nameOfEndpoint } from '../api/endpoints.ts'
import { failureWords } from '../api/failures.ts'
import type { Stats } from '../api/records.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { classes } from '../ui/classes.ts'
import { count, percent } from '../ui/numbers-format.ts'
import { Spark } from '../ui/spark.tsx'
import { Time } from '../ui/time.tsx'
import { t } from '../t.ts'

const SHOWN = 8

type Health = Stats['webhooks'][number]
const shown = (health: Health, name: string, to: '/webhooks/$id' | '/endpoints/$id') => ({ health, name, to })

/** The webhooks and endpoints with recent deliveries, and their results. */
export function WebhookHealth({ stats }: { stats: Stats | undefined }) {
  const webhooks = useQuery(webhooksQuery).data
  const endpoints = useQuery(endpointsQuery).data
  const nameOfNumber = useNumberNames()
  const known = (stats?.webhooks ?? []).flatMap(health => {
    const { webhook_id: id } = health
    const webhook = webhooks?.find(each => each.id === id)
    const endpoint = endpoints?.find(each => each.id === id)
    if (webhook) return [shown(health, nameOfNumber(webhook.session_id), '/webhooks/$id')]
    return endpoint ? [shown(health, nameOfEndpoint(endpoint), '/endpoints/$id')] : []
  })
  if (known.length === 0) return null
  return (
    <section className="card" aria-labelledby="webhook-health">
      <header className="border-b px-5 py-3">
        <h2 id="webhook-health" className="font-semibold">
          {endpoints?.length ? t('Webhooks and endpoints') : t('Webhooks')}
        </h2>
      </header>
      <ul className="divide-y">
        {known.slice(0, SHOWN).map(({ health, name, to }) => (
          <li
            key={health.webhook_id}
            className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 px-5 py-2.5 md:grid-cols-[minmax(0,1fr)_7rem_minmax(0,1.4fr)_10rem]"
          >
            <Link
              to={to}
              params={{ id: health.webhook_id }}
              className="truncate font-medium text-accent underline-offset-2 hover:underline"
            >
              {name}
            </Link>
            <span
              className={classes('text-right text-[13px] md:text-left', health.failing && 'font-medium text-danger')}
            >
              {t('{delivered} delivered', { delivered: percent(health.delivered, health.delivered + health.failed) })}
            </span>
            <span className="truncate text-[13px] text-muted max-md:col-span-2">
              {health.last_failure ? (
                <>
                  {failureWords(health.last_failure).name}, <Time at={health.last_failure.at} />
                </>
              ) : (
                t('No failures')
              )}
            </span>
            <span className="max-md:col-span-2">
              <Spark
                values={health.spark}
                label={t('{delivered} delivered and {failed} failed attempts over time', {
                  delivered: count(health.delivered),
                  failed: count(health.failed),
                })}
              />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
