import { type BinaryNode, getBinaryNodeChild, type WASocket } from 'baileys'
import { getOwn } from '../../../runtime/get-own.ts'

export interface ChannelInfo {
  id?: string
  viewer_metadata?: { role?: string }
}

/** The library has no query for the channels of a number; this one is the web client's. */
const SUBSCRIBED = { id: '6388546374527196', path: 'xwa2_newsletter_subscribed' }

export const DEFAULT_DURATION_MS = 300_000

/** Returns how long the platform sends updates of the channel. A rejected subscription is renewed with the others. */
export async function subscribeToUpdates(
  sock: Pick<WASocket, 'subscribeNewsletterUpdates'>,
  channel: string,
): Promise<number> {
  const answer = await sock.subscribeNewsletterUpdates(channel).catch(() => null)
  const seconds = Number(answer?.duration)
  return seconds > 0 ? seconds * 1000 : DEFAULT_DURATION_MS
}

/** `undefined` if the platform does not answer; then the stored channels stay in use. */
export async function readFollowed(sock: Pick<WASocket, 'query'>): Promise<ChannelInfo[] | undefined> {
  const query = {
    tag: 'iq',
    attrs: { type: 'get', to: 's.whatsapp.net', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: SUBSCRIBED.id }, content: Buffer.from('{"variables":{}}') }],
  }
  const answer = (await sock.query(query).catch(() => undefined)) as BinaryNode | undefined
  const parsed = parse(answer && getBinaryNodeChild(answer, 'result'))
  const followed = getOwn(parsed?.data ?? {}, SUBSCRIBED.path)
  return Array.isArray(followed) ? (followed as ChannelInfo[]) : undefined
}

/** Whether the number manages the channel; `undefined` if the platform does not say. */
export function isManaged({ viewer_metadata: viewer }: ChannelInfo): boolean | undefined {
  return viewer?.role === undefined ? undefined : viewer.role === 'OWNER' || viewer.role === 'ADMIN'
}

/** The channel that was followed or left according to a notification. */
export function readChange(stanza: BinaryNode): { joined?: string; left?: string } {
  if (stanza.attrs.type !== 'mex') return {}
  const data = parse(getBinaryNodeChild(stanza, 'update'))?.data
  const joined = (data?.xwa2_notify_newsletter_on_join as ChannelInfo | undefined)?.id
  const left = (data?.xwa2_notify_newsletter_on_leave as ChannelInfo | undefined)?.id
  return { ...(joined !== undefined && { joined }), ...(left !== undefined && { left }) }
}

function parse(node: BinaryNode | undefined): { data?: Record<string, unknown> | null } | undefined {
  try {
    return JSON.parse(Buffer.from(node?.content as Uint8Array).toString()) as { data?: Record<string, unknown> | null }
  } catch {
    return undefined
  }
}
