import { Type } from '../type.ts'
import { REPLAY_FILTERS } from '../../store/replays/replays.ts'
import { route } from '../route.ts'
import { OneOf, Strict } from '../schemas.ts'
import { timeOf } from '../v1/deliveries.ts'

/** Only for the portal: shows what a replay would send before it starts. */
export const countReplayable = route({
  method: 'GET',
  path: '/v1/replayable',
  tag: 'Account',
  summary: 'Count the deliveries that a replay would send now, by webhook',
  scope: 'read',
  query: Strict({
    status: Type.Optional(OneOf(REPLAY_FILTERS, { default: 'dead' })),
    since: Type.Optional(Type.String({ maxLength: 40 })),
    until: Type.Optional(Type.String({ maxLength: 40 })),
  }),
  status: 200,
  work: 'heavy',
  response: Strict({
    data: Type.Array(
      Strict({
        webhook_id: Type.String(),
        deliveries: Type.Integer({ description: 'How many the replay can send now.' }),
        held_back: Type.Integer({ description: 'How many have an inactive webhook, or one without a URL for them.' }),
      }),
    ),
  }),
  async handler({ identity, query }, { store }) {
    const found = await store.replays.countReplayable({
      accountId: identity.account.id,
      filter: query.status ?? 'dead',
      sinceMs: timeOf('since', query.since) ?? 0,
      untilMs: timeOf('until', query.until) ?? Number.MAX_SAFE_INTEGER,
    })
    const counts = new Map<string, { webhook_id: string; deliveries: number; held_back: number }>()
    for (const { webhookId, category, n } of found) {
      const webhook = await store.webhooks.getWebhook(webhookId)
      if (webhook === undefined) continue
      const row = counts.get(webhookId) ?? { webhook_id: webhookId, deliveries: 0, held_back: 0 }
      row[webhook.active && webhook.urls[category] !== '' ? 'deliveries' : 'held_back'] += n
      counts.set(webhookId, row)
    }
    return { data: [...counts.values()] }
  },
})
