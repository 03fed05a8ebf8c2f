import { Type } from '../type.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import { getOwn } from '../../runtime/get-own.ts'
import type { Message } from '../../domain/message.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { ById, Nullable, Strict } from '../schemas.ts'
import { Delivery, ownDelivery, showDelivery } from '../v1/deliveries.ts'
import { ownMessage } from '../v1/messages.ts'

/** How much of the history is searched: all of it if an account has few dead letters. */
const MAX_SEARCHED = 1_000
/** Clocks of processes differ slightly. */
const EARLIER_MS = 5_000

/** Only for the portal: a message and its events on one screen. */
export const listMessageDeliveries = route({
  method: 'GET',
  path: '/v1/messages/:id/deliveries',
  tag: 'Account',
  summary: 'List the deliveries of the events of a message, oldest first',
  scope: 'read',
  params: ById,
  status: 200,
  work: 'heavy',
  response: Strict({ data: Type.Array(Delivery) }),
  errors: [404],
  async handler({ identity, params }, deps) {
    const message = await ownMessage(deps, identity, params.id)
    const { data } = await deps.store.deliveries.listDeliveries({
      accountId: identity.account.id,
      sessionIds: null,
      sessionId: message.sessionId,
      sinceMs: message.createdAt - EARLIER_MS,
      limit: MAX_SEARCHED,
      cursor: null,
    })
    return {
      data: data
        .filter(entry => isAbout(message, entry))
        .reverse()
        .map(showDelivery),
    }
  },
})

export const getDeliveryMessage = route({
  method: 'GET',
  path: '/v1/deliveries/:id/message',
  tag: 'Account',
  summary: 'Get the sent message that a delivery is about',
  scope: 'read',
  params: ById,
  status: 200,
  response: Strict({ message_id: Nullable(Type.String()) }),
  errors: [404],
  async handler({ identity, params }, deps) {
    const entry = await ownDelivery(deps, identity, params.id)
    const message = await messageOf(deps, entry)
    return { message_id: message?.accountId === identity.account.id ? message.id : null }
  },
})

async function messageOf({ store, platformIds }: Deps, entry: DeliveryEntry): Promise<Message | undefined> {
  const ids = idsOf(entry)
  const own = [...ids].find(id => id.startsWith('msg_'))
  if (own !== undefined) return await store.messages.getMessage(own)
  for (const sent of platformIds.sentIds(ids)) {
    const message = await store.messages.findMessage({ sessionId: entry.sessionId, ...sent })
    if (message !== undefined) return message
  }
  return undefined
}

const isAbout = (message: Message, entry: DeliveryEntry): boolean => {
  const ids = idsOf(entry)
  return ids.has(message.id) || ids.has(message.requestId) || ids.has(message.platformId)
}

/** Fields by which an event refers to a sent message. */
const NAMES = [
  'message_id',
  'messenger_message_id',
  'request_id',
  'poll_message_id',
  'poll_request_id',
  'quoted_message_id',
  'reacted_message_id',
]

function idsOf({ redacted }: DeliveryEntry): Set<string> {
  const payload = (JSON.parse(redacted) ?? {}) as Record<string, unknown>
  return new Set(
    NAMES.map(name => getOwn(payload, name)).filter((id): id is string => typeof id === 'string' && id !== ''),
  )
}
