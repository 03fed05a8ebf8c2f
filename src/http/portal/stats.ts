import { Type } from '../type.ts'
import { bucketMsOf, bucketsOf, RANGES, summarize } from '../../domain/stats.ts'
import { healthOf, type WebhookHealth } from '../../domain/webhook-health.ts'
import { route } from '../route.ts'
import { iso, Nullable, OneOf, Strict, Time } from '../schemas.ts'
import { FailureKind } from '../v1/deliveries.ts'

const counts = {
  accepted: Type.Integer(),
  sent: Type.Integer(),
  failed: Type.Integer(),
  received: Type.Integer(),
  delivered: Type.Integer(),
  delivery_failed: Type.Integer({ description: 'The number of failed attempts.' }),
  latency_p50_ms: Nullable(Type.Number()),
  latency_p95_ms: Nullable(Type.Number()),
}

const showHealth = ({ webhookId, delivered, failed, isFailing, lastFailure, spark }: WebhookHealth) => ({
  webhook_id: webhookId,
  delivered,
  failed,
  failing: isFailing,
  last_failure: lastFailure && { at: iso(lastFailure.atMs), code: lastFailure.code, error: lastFailure.error },
  spark: spark.map(bucket => [bucket.delivered, bucket.failed]),
})

/** Only for the portal: the latencies are those that the delivery history still has. */
export const getStats = route({
  method: 'GET',
  path: '/v1/stats',
  tag: 'Account',
  summary: 'Get counts and latencies over time, for charts',
  scope: 'read',
  query: Strict({ range: Type.Optional(OneOf(RANGES, { default: '24h' })) }),
  status: 200,
  work: 'heavy',
  response: Strict({
    buckets: Type.Array(Strict({ at: Time, ...counts })),
    totals: Strict(counts),
    dead_letters: Type.Integer(),
    numbers: Strict({ connected: Type.Integer(), total: Type.Integer() }),
    webhooks: Type.Array(
      Strict({
        webhook_id: Type.String(),
        delivered: Type.Integer(),
        failed: Type.Integer({ description: 'The number of failed attempts.' }),
        failing: Type.Boolean({ description: 'Whether the latest attempt failed.' }),
        last_failure: Nullable(Strict({ at: Time, code: Nullable(Type.Integer()), error: Nullable(FailureKind) })),
        spark: Type.Array(Type.Array(Type.Integer()), {
          description: 'Per bucket: how many were delivered and how many failed.',
        }),
      }),
      { description: 'Computed from the delivery history, with failing endpoints first.' },
    ),
  }),
  async handler({ identity, query }, { store }) {
    const range = query.range ?? '24h'
    const nowMs = await store.now()
    const measured = await store.usage.readStats({
      accountId: identity.account.id,
      fromMs: bucketsOf(range, nowMs)[0]!,
      bucketMs: bucketMsOf(range),
    })
    const { buckets, totals } = summarize(range, nowMs, measured)
    return {
      buckets: buckets.map(({ atMs, ...rest }) => ({ at: iso(atMs), ...rest })),
      totals,
      dead_letters: measured.deadLetters,
      numbers: measured.numbers,
      webhooks: healthOf(measured.attempts, bucketsOf(range, nowMs)).map(showHealth),
    }
  },
})
