import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET, type WASocket } from 'baileys'
import {
  type Channel,
  CHANNEL_STATES,
  type ChannelRole,
  type ChannelState,
  REACTION_MODES,
  type ReactionMode,
} from '../../../domain/channel.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { Unanswered } from '../errors.ts'
import { unixSeconds, wholeNumber } from '../wire/numbers.ts'

export interface ChannelInfo {
  id?: string
  state?: { type?: string } | null
  thread_metadata?: {
    name?: { text?: string } | null
    description?: { text?: string } | null
    creation_time?: string
    invite?: string | null
    picture?: { id?: string } | null
    preview?: { id?: string } | null
    subscribers_count?: string
    verification?: string
    settings?: { reaction_codes?: { value?: string } | null } | null
  } | null
  viewer_metadata?: {
    role?: string
    /** The form of older queries. */
    mute?: string
    settings?: Array<{ type?: string; value?: string }>
  } | null
}

/** A query that travels as JSON. The platform knows it by an id, which web clients replace and the platform retires. */
export interface JsonQuery {
  readonly id: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** The channels of a number, newest query first. */
export const FOLLOWED: readonly JsonQuery[] = [
  { id: '25399611239711790', variables: { fetch_status_metadata: false, fetch_wamo_sub: false } },
  { id: '6388546374527196', variables: {} },
]

/** A channel as this number sees it, by its JID or by the code of its link, newest query first. */
export function channelQueries(key: string, type: 'JID' | 'INVITE' = 'JID'): JsonQuery[] {
  const older = {
    fetch_creation_time: true,
    fetch_full_image: true,
    fetch_viewer_metadata: true,
    input: { key, type },
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
  for (const query of queries) {
    const answer = await sock.query(nodeOf(query)).then(
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

const nodeOf = ({ id, variables }: JsonQuery) => ({
  tag: 'iq',
  attrs: { type: 'get', to: S_WHATSAPP_NET, xmlns: 'w:mex' },
  content: [{ tag: 'query', attrs: { query_id: id }, content: Buffer.from(JSON.stringify({ variables })) }],
})

const BAD_REQUEST = 400

/**
 * What a user asks for: the answer of the first query that the platform takes. Throws its refusal otherwise. The platform
 * does not know retired queries, which it calls a bad request.
 */
export async function askJson(
  sock: Pick<WASocket, 'query'>,
  queries: readonly JsonQuery[],
  path: string,
): Promise<Record<string, unknown>> {
  for (const [index, query] of queries.entries()) {
    const node = (await sock.query(nodeOf(query))) as BinaryNode | undefined
    const answer = parse(node && getBinaryNodeChild(node, 'result'))
    const found = getOwn(answer?.data ?? {}, path)
    if (typeof found === 'object' && found !== null) return found as Record<string, unknown>
    const code = answer?.errors?.[0]?.extensions?.error_code
    if (code === undefined) throw new Unanswered()
    if (code !== BAD_REQUEST || index === queries.length - 1) throw new QueryRefused(code)
  }
  throw new Unanswered()
}

/** The platform's own answer: `answerIn` finds its code. */
class QueryRefused extends Error {
  override name = 'QueryRefused'
  readonly data: number

  constructor(code: number) {
    super(`the platform refused a query (${code})`)
    this.data = code
  }
}

/** Whether the number manages the channel; `undefined` if the platform does not say. */
export function isManaged({ viewer_metadata: viewer }: ChannelInfo): boolean | undefined {
  return viewer?.role === undefined ? undefined : viewer.role === 'OWNER' || viewer.role === 'ADMIN'
}

/** The channel that was followed or left according to a notification. */
export function readChange(stanza: BinaryNode): { joined?: string; left?: string } {
  if (stanza.attrs.type !== 'mex') return {}
  const data = updateIn(stanza)
  const joined = (data?.xwa2_notify_newsletter_on_join as ChannelInfo | undefined)?.id
  const state = data?.xwa2_notify_newsletter_on_state_change as ChannelInfo | undefined
  const deleted = state?.state?.type === 'DELETED' ? state.id : undefined
  const left = (data?.xwa2_notify_newsletter_on_leave as ChannelInfo | undefined)?.id ?? deleted
  return { ...(joined !== undefined && { joined }), ...(left !== undefined && { left }) }
}

/** The data of a notification that travels as JSON. */
export const updateIn = (stanza: BinaryNode): Record<string, unknown> | null | undefined =>
  parse(getBinaryNodeChild(stanza, 'update'))?.data

interface JsonAnswer {
  data?: Record<string, unknown> | null
  errors?: Array<{ extensions?: { error_code?: number } }> | null
}

function parse(node: BinaryNode | null | undefined): JsonAnswer | undefined {
  try {
    return JSON.parse(Buffer.from(node?.content as Uint8Array).toString()) as JsonAnswer
  } catch {
    return undefined
  }
}

const ROLES: Readonly<Record<string, ChannelRole>> = {
  OWNER: 'owner',
  ADMIN: 'admin',
  SUBSCRIBER: 'follower',
  GUEST: 'guest',
}

export const roleOf = (role: string | undefined): ChannelRole | null => (role !== undefined && ROLES[role]) || null

/** A channel as an answer or a notification describes it. */
export function readChannelInfo({ id, state, thread_metadata: thread, viewer_metadata: viewer }: ChannelInfo): Channel {
  const picture = thread?.picture?.id ?? thread?.preview?.id
  const mute = viewer?.settings?.find(({ type }) => type === 'MUTE_ADMIN_ACTIVITY')?.value ?? viewer?.mute
  return {
    jid: id ?? '',
    name: thread?.name?.text ?? '',
    description: thread?.description?.text ?? '',
    inviteCode: thread?.invite || null,
    role: roleOf(viewer?.role),
    followers: countOf(thread?.subscribers_count),
    isMuted: mute === undefined ? null : mute === 'ON',
    isVerified: thread?.verification === 'VERIFIED',
    state: channelStateOf(state?.type),
    reactions: reactionModeOf(thread?.settings?.reaction_codes?.value),
    pictureId: picture === undefined || picture === '0' ? null : picture,
    createdAtMs: inMs(thread?.creation_time),
  }
}

/** The platform has further states, which the API does not show. */
export const channelStateOf = (type: string | undefined): ChannelState | null =>
  CHANNEL_STATES.find(state => state.toUpperCase() === type) ?? null

const reactionModeOf = (value: string | undefined): ReactionMode | null =>
  REACTION_MODES.find(mode => mode.toUpperCase() === value) ?? null

/** `null` if the platform does not say it. */
export const countOf = (value: unknown): number | null =>
  value === undefined || value === null || value === '' ? null : (wholeNumber(value) ?? 0)

export function inMs(time: unknown): number | null {
  const seconds = unixSeconds(time)
  return seconds === undefined || seconds === 0 ? null : seconds * 1000
}
