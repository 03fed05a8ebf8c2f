/** One attempt, with what the health of its webhook needs. */
export interface WebhookAttempt {
  webhookId: string
  atMs: number
  delivered: boolean
  code: number | null
  error: string | null
}

export interface WebhookHealth {
  webhookId: string
  delivered: number
  failed: number
  /** Whether the latest attempt has failed. */
  isFailing: boolean
  lastFailure: WebhookAttempt | null
  /** Deliveries and failed attempts by bucket. */
  spark: { delivered: number; failed: number }[]
}

/** The health of the endpoints of each webhook, failing ones first. */
export function healthOf(attempts: readonly WebhookAttempt[], buckets: readonly number[]): WebhookHealth[] {
  const byWebhook = new Map<string, WebhookAttempt[]>()
  for (const attempt of attempts)
    byWebhook.set(attempt.webhookId, [...(byWebhook.get(attempt.webhookId) ?? []), attempt])
  return [...byWebhook]
    .map(([webhookId, own]) =>
      oneOf(
        webhookId,
        own.toSorted((a, b) => a.atMs - b.atMs),
        buckets,
      ),
    )
    .toSorted((a, b) => Number(b.isFailing) - Number(a.isFailing) || b.failed - a.failed)
}

function oneOf(webhookId: string, attempts: readonly WebhookAttempt[], buckets: readonly number[]): WebhookHealth {
  const failures = attempts.filter(({ delivered }) => !delivered)
  const spark = buckets.map((from, at) => {
    const own = attempts.filter(({ atMs }) => atMs >= from && atMs < (buckets[at + 1] ?? Number.POSITIVE_INFINITY))
    const failed = own.filter(({ delivered }) => !delivered).length
    return { delivered: own.length - failed, failed }
  })
  return {
    webhookId,
    delivered: attempts.length - failures.length,
    failed: failures.length,
    isFailing: attempts.at(-1)?.delivered === false,
    lastFailure: failures.at(-1) ?? null,
    spark,
  }
}
