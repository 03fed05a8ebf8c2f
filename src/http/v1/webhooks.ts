import { Type } from '../type.ts'
import {
  checkedUrls,
  createWebhook as create,
  rotateSecret as rotate,
  updateWebhook as update,
} from '../../actions/edit-webhooks.ts'
import { notFound } from '../../domain/errors.ts'
import type { Webhook } from '../../domain/webhook.ts'
import type { Store } from '../../store/store.ts'
import { type Identity, requireOwn } from '../identity.ts'
import { pagesOf } from '../page.ts'
import { route } from '../route.ts'
import { ById, iso, listOf, pageQuery, Strict, Time } from '../schemas.ts'

const Url = (kinds: string) =>
  Type.String({
    maxLength: 4096,
    description: `The URL that receives ${kinds}. If it is empty, the gateway does not send the category.`,
  })

const urlFields = {
  messages_url: Url('kind message'),
  status_url: Url('kinds receipt and status'),
  connection_url: Url('kind connection'),
  events_url: Url('kinds poll_vote, typing, presence, call and newsletter_message'),
}

export const optionalUrls = {
  messages_url: Type.Optional(urlFields.messages_url),
  status_url: Type.Optional(urlFields.status_url),
  connection_url: Type.Optional(urlFields.connection_url),
  events_url: Type.Optional(urlFields.events_url),
}

const configFields = {
  id: Type.String(),
  phone: Type.String(),
  session_id: Type.String(),
  ...urlFields,
  active: Type.Boolean(),
  created_at: Time,
}
const Config = Strict(configFields)
const ConfigWithSecret = Strict({
  ...configFields,
  secret: Type.String({ description: 'Only this response has the secret.' }),
})

const showWebhook = (webhook: Webhook) => ({
  id: webhook.id,
  phone: webhook.phone,
  session_id: webhook.sessionId,
  messages_url: webhook.urls.messages,
  status_url: webhook.urls.status,
  connection_url: webhook.urls.connection,
  events_url: webhook.urls.events,
  active: webhook.active,
  created_at: iso(webhook.createdAt),
})

/** The caller's webhook: 404 if there is none, 403 if it is another account's. */
export async function ownWebhook(
  { store }: { store: Pick<Store, 'webhooks'> },
  identity: Identity,
  id: string,
): Promise<Webhook> {
  const webhook = await store.webhooks.getWebhook(id)
  if (webhook === undefined) throw notFound('webhook')
  requireOwn(identity, webhook)
  return webhook
}

export const createWebhook = route({
  method: 'POST',
  path: '/v1/webhooks',
  tag: 'Webhooks',
  summary: 'Create the webhook of a number',
  description:
    'A number has one webhook. URLs that you leave out are empty, and you can set them later with PUT /v1/webhooks/{id}.',
  scope: 'manage',
  body: Strict({ session_id: Type.String({ minLength: 1, maxLength: 100 }), ...optionalUrls }),
  status: 201,
  response: ConfigWithSecret,
  example: {
    body: {
      session_id: '999100200300:1@s.whatsapp.net',
      messages_url: 'http://127.0.0.1:9000/hooks',
      status_url: 'http://127.0.0.1:9000/hooks',
    },
  },
  async handler({ identity, body }, deps) {
    const { session_id, ...urls } = body
    checkedUrls(deps, urls)
    const session = await deps.sessions.own(identity, 'session_id', session_id)
    const { webhook, secret } = await create(deps, session, urls)
    return { ...showWebhook(webhook), secret }
  },
})

export const listWebhooks = route({
  method: 'GET',
  path: '/v1/webhooks',
  tag: 'Webhooks',
  summary: 'List the webhooks of the account',
  description: 'Each number has at most one webhook. The response has no secrets.',
  scope: 'read',
  query: Strict(pageQuery),
  status: 200,
  work: 'heavy',
  response: listOf(Config),
  async handler({ identity, query }, deps) {
    const pages = pagesOf(deps, identity, 'webhooks', query)
    const sessionIds = identity.sessionIds === null ? null : [...identity.sessionIds]
    const page = await deps.store.webhooks.listWebhooks({
      accountId: identity.account.id,
      sessionIds,
      ...pages.request,
    })
    return pages.answer(page, showWebhook)
  },
})

export const getWebhook = route({
  method: 'GET',
  path: '/v1/webhooks/:id',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  description: 'The response has its number, its URL of each category and whether it is active, but not its secret.',
  scope: 'read',
  params: ById,
  status: 200,
  response: Config,
  errors: [404],
  handler: async ({ identity, params }, deps) => showWebhook(await ownWebhook(deps, identity, params.id)),
})

export const updateWebhook = route({
  method: 'PUT',
  path: '/v1/webhooks/:id',
  tag: 'Webhooks',
  summary: 'Change the URLs of a webhook',
  description:
    'URLs that you leave out and the secret do not change. Waiting deliveries go to the new URLs. In production, a URL must use https. The gateway rejects a URL that does not lead to a public or allowed address.',
  scope: 'manage',
  params: ById,
  body: Strict(optionalUrls),
  status: 200,
  response: Config,
  errors: [404],
  example: { body: { events_url: 'http://127.0.0.1:9000/hooks' } },
  async handler({ identity, params, body }, deps) {
    checkedUrls(deps, body)
    await ownWebhook(deps, identity, params.id)
    return showWebhook(await update(deps, params.id, body))
  },
})

export const deleteWebhook = route({
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description:
    'Its waiting deliveries become dead letters. The number stays linked. The gateway posts no events of it until it has a webhook again.',
  scope: 'manage',
  params: ById,
  status: 200,
  response: Strict({ id: Type.String(), deleted: Type.Boolean() }),
  errors: [404],
  async handler({ identity, params }, deps) {
    await ownWebhook(deps, identity, params.id)
    if (!(await deps.store.webhooks.deleteWebhook(params.id))) throw notFound('webhook')
    return { id: params.id, deleted: true }
  },
})

export const rotateSecret = route({
  method: 'POST',
  path: '/v1/webhooks/:id/rotate-secret',
  tag: 'Webhooks',
  summary: 'Rotate the secret of a webhook',
  description:
    'Only this response has the new secret. During the overlap, each delivery has one signature by the old secret and one by the new secret, so that you can change your receiver without rejecting a delivery.',
  scope: 'manage',
  params: ById,
  body: Strict({ overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800, default: 0 })) }),
  status: 200,
  response: ConfigWithSecret,
  errors: [404],
  example: { body: { overlap_seconds: 86_400 } },
  async handler({ identity, params, body }, deps) {
    await ownWebhook(deps, identity, params.id)
    const { webhook, secret } = await rotate(deps, params.id, body.overlap_seconds ?? 0)
    return { ...showWebhook(webhook), secret }
  },
})
