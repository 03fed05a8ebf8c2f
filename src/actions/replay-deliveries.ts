import type { Context } from '../context.ts'
import { invalid } from '../domain/errors.ts'
import { makeId } from '../domain/ids.ts'
import type { Webhook } from '../domain/webhook.ts'
import { REPLAY_FILTERS, type Replay } from '../store/units/webhooks/replays.ts'

/** Starts a job that sends a webhook's dead letters once more, or tries now what waits for a retry. */
export async function replayDeliveries(
  { store }: Pick<Context, 'store'>,
  webhook: Webhook,
  wish: { sinceMs?: number; untilMs?: number; status?: string },
): Promise<Replay> {
  const filter = REPLAY_FILTERS.find(each => each === (wish.status ?? 'dead'))
  if (filter === undefined) {
    throw invalid('status must be "dead" or "failed": the payloads of delivered events are not kept')
  }
  const sinceMs = wish.sinceMs ?? 0
  const untilMs = wish.untilMs ?? Number.MAX_SAFE_INTEGER
  if (sinceMs > untilMs) throw invalid('since must not be after until')
  return await store.webhooks.createReplay({
    id: makeId('rpl'),
    accountId: webhook.accountId,
    webhookId: webhook.id,
    filter,
    sinceMs,
    untilMs,
  })
}
