import { Type } from '../type.ts'
import { isEndpointId } from '../../domain/endpoint.ts'
import type { Category } from '../../domain/event.ts'
import { REPLAY_FILTERS } from '../../store/replays/replays.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { Nullable, OneOf, Strict } from '../schemas.ts'
import { receiverOf, timeOf } from '../v1/deliveries.ts'

/** Only for the portal: shows what a replay would send before it starts. */
export const countReplayable = route({
  method: 'GET',
  path: '/v1/replayable',
  tag: 'Account',
  summary: 'Count the deliveries that a replay would send now, by webhook and endpoint',
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
        webhook_id: Nullable(Type.String({ description: 'Null for an endpoint.' })),
        endpoint_id: Nullable(Type.String({ description: 'Null for a webhook.' })),
        deliveries: Type.Integer({ description: 'How many the replay can send now.' }),
        held_back: Type.Integer({
          description: 'How many have an inactive webhook or endpoint, or a webhook without a URL for them.',
        }),
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
    const counts = new Map<string, Counted>()
    for (const { webhookId, category, n } of found) {
      const canSend = await accepts(store, webhookId, category)
      if (canSend === undefined) continue
      const row = counts.get(webhookId) ?? { ...receiverOf({ webhookId }), deliveries: 0, held_back: 0 }
      row[canSend ? 'deliveries' : 'held_back'] += n
      counts.set(webhookId, row)
    }
    return { data: [...counts.values()] }
  },
})

type Counted = ReturnType<typeof receiverOf> & { deliveries: number; held_back: number }

/** Whether the webhook or endpoint takes deliveries of the category now; undefined if it is deleted. */
async function accepts({ webhooks, endpoints }: Deps['store'], id: string, category: Category) {
  if (isEndpointId(id)) return (await endpoints.getEndpoint(id))?.active
  const webhook = await webhooks.getWebhook(id)
  return webhook && webhook.active && webhook.urls[category] !== ''
}
