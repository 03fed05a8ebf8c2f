import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET, type WASocket } from 'baileys'
import { getOwn } from '../../../runtime/get-own.ts'

export interface ChannelInfo {
  id?: string
  viewer_metadata?: { role?: string }
}

/** A query that travels as JSON. The platform knows it by an id, which web clients replace and the platform retires. */
interface JsonQuery {
  readonly id: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** The channels of a number, newest query first. */
const FOLLOWED: readonly JsonQuery[] = [
  { id: '25399611239711790', variables: { fetch_status_metadata: false, fetch_wamo_sub: false } },
  { id: '6388546374527196', variables: {} },
]

/** A channel as this number sees it, newest query first. */
function channelQueries(channel: string): JsonQuery[] {
  const older = {
    fetch_creation_time: true,
    fetch_full_image: true,
    fetch_viewer_metadata: true,
    input: { key: channel, type: 'JID' },
  }
  const newer = { fetch_pinned_messages: false, fetch_status_metadata: false, fetch_wamo_sub: false }
  return [
    { id: '27456920720571478', variables: { ...older, ...newer } },
    { id: '6563316087068696', variables: older },
  ]
}

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
  const followed = await firstAnswer(sock, FOLLOWED, 'xwa2_newsletter_subscribed')
  return Array.isArray(followed) ? (followed as ChannelInfo[]) : undefined
}

/** `undefined` if the platform does not answer. */
export async function readChannel(sock: Pick<WASocket, 'query'>, channel: string): Promise<ChannelInfo | undefined> {
  const found = await firstAnswer(sock, channelQueries(channel), 'xwa2_newsletter')
  return typeof found === 'object' && found !== null ? (found as ChannelInfo) : undefined
}

/** What the first query that the platform knows returns at this path. A timeout or an ended link ends the attempts. */
async function firstAnswer(
  sock: Pick<WASocket, 'query'>,
  queries: readonly JsonQuery[],
  path: string,
): Promise<unknown> {
  for (const { id, variables } of queries) {
    const query = {
      tag: 'iq',
      attrs: { type: 'get', to: S_WHATSAPP_NET, xmlns: 'w:mex' },
      content: [{ tag: 'query', attrs: { query_id: id }, content: Buffer.from(JSON.stringify({ variables })) }],
    }
    const answer = await sock.query(query).then(
      (node: unknown) => node as BinaryNode | undefined,
      // The error of an answer has its code; without one the link has ended.
      (error: unknown) => (typeof (error as { data?: unknown }).data === 'number' ? null : undefined),
    )
    if (answer === undefined) return undefined
    const found = getOwn(parse(answer && getBinaryNodeChild(answer, 'result'))?.data ?? {}, path)
    if (found !== undefined && found !== null) return found
  }
  return undefined
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

function parse(node: BinaryNode | null | undefined): { data?: Record<string, unknown> | null } | undefined {
  try {
    return JSON.parse(Buffer.from(node?.content as Uint8Array).toString()) as { data?: Record<string, unknown> | null }
  } catch {
    return undefined
  }
}
