import type { IHookFunctions } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import type { Values } from '../Postern/call.ts'
import { fetchAllPages, get, sendRequest } from '../Postern/transport.ts'
import { brings, leadsTo, phoneOf, urlsFor, type WebhookConfig } from '../Postern/webhook-config.ts'
import { takeWebhooks, type WebhookCalls, type WithSecret } from './take-webhooks.ts'

/** The webhooks that the node created: their secrets by id. */
export interface Kept {
  webhooks?: Record<string, { secret: string; sessionId: string }>
}

interface Wanted {
  sessions: string[]
  kinds: string[]
  url: string
  mayTakeOver: boolean
}

function wantedBy(node: IHookFunctions): Wanted {
  const sessions = node.getNodeParameter('sessions', []) as string[]
  const kinds = node.getNodeParameter('kinds', []) as string[]
  const url = node.getNodeWebhookUrl('default') ?? ''
  if (sessions.length === 0)
    throw refused(node, 'No number is chosen', 'Choose at least one number in Number Names or IDs.')
  if (kinds.length === 0) throw refused(node, 'No kind of event is chosen', 'Choose at least one in Events.')
  const isTest = node.getMode() === 'manual'
  return { sessions, kinds, url, mayTakeOver: !isTest && node.getNodeParameter('options.takeOver', false) === true }
}

const refused = (node: IHookFunctions, message: string, description: string): NodeOperationError =>
  new NodeOperationError(node.getNode(), message, { description })

const keptBy = (node: IHookFunctions): Kept => node.getWorkflowStaticData('node') as Kept

const webhooksOf = async (node: IHookFunctions): Promise<WebhookConfig[]> =>
  (await fetchAllPages(node, get('/v1/webhooks'))) as unknown as WebhookConfig[]

const post = (node: IHookFunctions, path: string, body: Values): Promise<unknown> =>
  sendRequest(node, { ...get(path), method: 'POST', body })

/** Whether exactly the chosen numbers have a webhook that sends the chosen kinds to this workflow. */
export async function isAttached(node: IHookFunctions): Promise<boolean> {
  const { sessions, kinds, url } = wantedBy(node)
  const kept = Object.entries(keptBy(node).webhooks ?? {})
  const phones = new Set(sessions.map(phoneOf))
  const isSame = kept.length === phones.size && kept.every(([, { sessionId }]) => phones.has(phoneOf(sessionId)))
  if (!isSame) return false
  const live = new Map((await webhooksOf(node)).map(config => [config.id, config]))
  return kept.every(([id]) => {
    const config = live.get(id)
    return config !== undefined && brings(config, kinds, url)
  })
}

/** Creates the webhook of every chosen number. If one fails, it deletes those that it created. */
export async function attach(node: IHookFunctions): Promise<void> {
  await detach(node)
  const wanted = wantedBy(node)
  const live = await webhooksOf(node)
  const places = wanted.sessions.map(sessionId => ({
    sessionId,
    existing: live.find(({ phone, session_id }) => phone === phoneOf(sessionId) || session_id === sessionId),
  }))
  for (const { existing } of places) refuseOfAnother(node, wanted, existing)
  const kept: NonNullable<Kept['webhooks']> = {}
  keptBy(node).webhooks = kept
  try {
    await takeWebhooks(callsOf(node), places, urlsFor(wanted.kinds, wanted.url), (sessionId, { id, secret }) => {
      kept[id] = { secret, sessionId }
    })
  } catch (error) {
    await detach(node)
    throw error
  }
}

function refuseOfAnother(
  node: IHookFunctions,
  { url, mayTakeOver }: Wanted,
  existing: WebhookConfig | undefined,
): void {
  if (existing === undefined || mayTakeOver || leadsTo(existing, url)) return
  throw refused(
    node,
    `The number ${existing.phone} already has a webhook (${existing.id}) that leads somewhere else`,
    'A number has one webhook. Deactivate the workflow that has it, delete it at the gateway, set the option Take Over Webhook, or test with a sandbox number.',
  )
}

const callsOf = (node: IHookFunctions): WebhookCalls => ({
  create: async (sessionId, urls) =>
    (await post(node, '/v1/webhooks', { session_id: sessionId, ...urls })) as WithSecret,
  change: (id, urls) => sendRequest(node, { ...get(`/v1/webhooks/${id}`), method: 'PUT', body: { ...urls } }),
  renewSecret: async id => (await post(node, `/v1/webhooks/${id}/rotate-secret`, {})) as WithSecret,
})

/** Deletes the webhooks that this node created, except those that have other URLs by now. */
export async function detach(node: IHookFunctions): Promise<void> {
  const kept = keptBy(node)
  const ids = Object.keys(kept.webhooks ?? {})
  if (ids.length > 0) {
    const url = node.getNodeWebhookUrl('default') ?? ''
    const own = (await webhooksOf(node)).filter(config => ids.includes(config.id) && leadsTo(config, url))
    for (const { id } of own) await sendRequest(node, { ...get(`/v1/webhooks/${id}`), method: 'DELETE' })
  }
  delete kept.webhooks
}
