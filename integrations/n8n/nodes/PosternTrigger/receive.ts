import type { IDataObject, INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow'
import { whyNotSigned } from '../Postern/signature.ts'
import type { Kept } from './attach.ts'

interface Options {
  ignoreGroups?: boolean
  ignoreStatusPosts?: boolean
  mediaAsBinary?: boolean
}

/** Verifies the signature with the secrets of this node, and starts the workflow if the event matches. */
export async function receive(node: IWebhookFunctions): Promise<IWebhookResponseData> {
  const body = bodyOf(node)
  const why = whyNotBelieved(node, body)
  if (why !== undefined) {
    node.getResponseObject().status(401).json({ error: why })
    return { noWebhookResponse: true }
  }
  const event = JSON.parse(body.toString('utf8')) as IDataObject
  const kinds = node.getNodeParameter('kinds', []) as string[]
  const options = node.getNodeParameter('options', {}) as Options
  if (!isWanted(event, kinds, options)) return { webhookResponse: { received: true } }
  return { webhookResponse: { received: true }, workflowData: [[await itemOf(node, event, options)]] }
}

const bodyOf = (node: IWebhookFunctions): Buffer => {
  const { rawBody } = node.getRequestObject() as { rawBody?: Buffer }
  return rawBody ?? Buffer.alloc(0)
}

function whyNotBelieved(node: IWebhookFunctions, body: Buffer): string | undefined {
  const headers = node.getHeaderData() as Record<string, string | undefined>
  const { webhooks = {} } = node.getWorkflowStaticData('node') as Kept
  const id = headers['x-webhook-id'] ?? ''
  const kept = Object.hasOwn(webhooks, id) ? webhooks[id] : undefined
  if (kept === undefined) return 'the header X-Webhook-ID names no webhook of this workflow'
  const nowSeconds = Math.floor(new Date().getTime() / 1000)
  return whyNotSigned({ body, header: headers['x-webhook-signature'], secret: kept.secret, nowSeconds })
}

/** Whether an event starts the workflow. Test events of a webhook do too. */
export function isWanted(event: IDataObject, kinds: readonly string[], options: Options): boolean {
  if (!kinds.includes(String(event.kind))) return false
  const isGroup = event.is_group === true || String(event.chat_jid ?? '').endsWith('@g.us')
  if (options.ignoreGroups === true && isGroup) return false
  return !(options.ignoreStatusPosts === true && event.broadcast === true)
}

/** The event as an item, with its file as binary data if the node is set to that. */
async function itemOf(node: IWebhookFunctions, event: IDataObject, options: Options): Promise<INodeExecutionData> {
  const media = event.media as IDataObject | undefined
  if (options.mediaAsBinary === false || typeof media?.data !== 'string' || media.data === '') return { json: event }
  const { data, ...rest } = media
  const name = typeof media.filename === 'string' && media.filename !== '' ? media.filename : undefined
  const mimetype = typeof media.mimetype === 'string' ? media.mimetype.split(';')[0] : undefined
  const file = await node.helpers.prepareBinaryData(Buffer.from(data as string, 'base64'), name, mimetype)
  return { json: { ...event, media: rest }, binary: { data: file } }
}
