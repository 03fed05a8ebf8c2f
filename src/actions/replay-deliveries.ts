import { conflicting, invalid, tooManyReplays, wrongState } from '../domain/errors.ts'
import { makeId } from '../domain/ids.ts'
import type { Webhook } from '../domain/webhook.ts'
import type { Store } from '../store/store.ts'
import { REPLAY_FILTERS, type Replay } from '../store/replays/replays.ts'

/** Starts a job that sends a webhook's dead letters again, or retries its failed deliveries now. */
export async function replayDeliveries(
  { store }: { store: Pick<Store, 'replays'> },
  webhook: Webhook,
  wish: { sinceMs?: number; untilMs?: number; status?: string },
): Promise<Replay> {
  const filter = REPLAY_FILTERS.find(each => each === (wish.status ?? 'dead'))
  if (filter === undefined) {
    throw invalid('status must be "dead" or "failed": the payloads of delivered events are not kept', 'status')
  }
  const sinceMs = wish.sinceMs ?? 0
  const untilMs = wish.untilMs ?? Number.MAX_SAFE_INTEGER
  if (sinceMs > untilMs) throw conflicting('since must not be after until', 'since')
  const created = await store.replays.createReplay({
    id: makeId('rpl'),
    accountId: webhook.accountId,
    webhookId: webhook.id,
    filter,
    sinceMs,
    untilMs,
  })
  switch (created.kind) {
    case 'created':
      return created.replay
    case 'running':
      throw wrongState(
        `replay ${created.replayId} of this webhook is still running: wait until it is done, or cancel it`,
      )
    case 'too_many':
      throw tooManyReplays()
    case 'nowhere':
      throw wrongState('the webhook is not active or has no URL: nothing could be sent')
    default: {
      const never: never = created
      return never
    }
  }
}
