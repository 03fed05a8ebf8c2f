import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { lookUp } from '../../../domain/look-up.ts'
import type { BoundedCache } from '../bounded-cache.ts'
import type { Connection } from '../link/connection.ts'
import type { RememberedSet } from './remembered-set.ts'

/** The channels that the number follows and does not manage: their live updates are asked for while it is connected. */
export interface FollowedChannels {
  /** A new connection: the platform forgets with the old one what was asked for on it. */
  resume(connection: Connection): Promise<void>
  /** Takes note when a notification tells of a channel that was followed or left. */
  notice(stanza: BinaryNode): void
  /** A post came from this channel, so it is followed. */
  saw(channel: string): void
}

export interface FollowedChannelsOptions {
  remembered: RememberedSet
  managed: BoundedCache<boolean>
  connection(): Connection | undefined
}

/** The library knows no query for the channels of a number; this one is the web client's. */
const SUBSCRIBED = { id: '6388546374527196', path: 'xwa2_newsletter_subscribed' }
const DEFAULT_DURATION_MS = 300_000
// Asked for again in good time before they end.
const RENEW_AFTER = 0.8
const SHORTEST_MS = 500

interface ChannelInfo {
  id?: string
  viewer_metadata?: { role?: string }
}

export function createFollowedChannels({ remembered, managed, connection }: FollowedChannelsOptions): FollowedChannels {
  let timer: NodeJS.Timeout | undefined

  async function renew(current: Connection, channels: readonly string[]): Promise<void> {
    let shortestMs = DEFAULT_DURATION_MS
    for (const channel of channels) {
      if (!current.isOpen()) return
      shortestMs = Math.min(shortestMs, await askFor(current, channel))
    }
    if (channels.length > 0) renewLater(current, Math.max(SHORTEST_MS, shortestMs * RENEW_AFTER))
  }

  /** All of them together; one that was followed meanwhile is renewed with the others. */
  function renewLater(current: Connection, waitMs: number): void {
    if (timer !== undefined || !current.isOpen()) return
    timer = setTimeout(() => {
      timer = undefined
      remembered
        .all()
        .then(channels => renew(current, channels))
        .catch(() => renewLater(current, waitMs))
    }, waitMs)
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  async function learn(current: Connection): Promise<void> {
    const followed = await readFollowed(current)
    if (!followed) return
    for (const { id, viewer_metadata: viewer } of followed) {
      if (id === undefined) continue
      const isManaged = viewer?.role === 'OWNER' || viewer?.role === 'ADMIN'
      managed.set(id, isManaged)
      if (!isManaged) await remembered.add(id)
    }
    const listed = new Set(followed.flatMap(({ id }) => (id === undefined || managed.get(id) === true ? [] : [id])))
    for (const channel of await remembered.all()) if (!listed.has(channel)) await remembered.delete(channel)
  }

  async function follow(channel: string): Promise<void> {
    if (await remembered.has(channel)) return
    await remembered.add(channel)
    const current = connection()
    if (current) await renew(current, [channel])
  }

  return {
    async resume(current) {
      stop()
      void current.ended.then(stop)
      await learn(current)
      await renew(current, await remembered.all())
    },
    notice(stanza) {
      const { joined, left } = readChange(stanza)
      if (joined !== undefined) void follow(joined).catch(() => {})
      if (left !== undefined) void remembered.delete(left).catch(() => {})
    },
    saw: channel => void follow(channel).catch(() => {}),
  }
}

/** How long the platform will tell of the channel. One that it refuses is tried again with the others. */
async function askFor({ sock }: Connection, channel: string): Promise<number> {
  const answer = await sock.subscribeNewsletterUpdates(channel).catch(() => null)
  const seconds = Number(answer?.duration)
  return seconds > 0 ? seconds * 1000 : DEFAULT_DURATION_MS
}

/** `undefined` where the platform does not say: then those of before are taken for true. */
async function readFollowed({ sock }: Connection): Promise<ChannelInfo[] | undefined> {
  const query = {
    tag: 'iq',
    attrs: { type: 'get', to: 's.whatsapp.net', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: SUBSCRIBED.id }, content: Buffer.from('{"variables":{}}') }],
  }
  const answer = (await sock.query(query).catch(() => undefined)) as BinaryNode | undefined
  const parsed = parse(answer && getBinaryNodeChild(answer, 'result'))
  const followed = lookUp(parsed?.data ?? {}, SUBSCRIBED.path)
  return Array.isArray(followed) ? (followed as ChannelInfo[]) : undefined
}

function readChange(stanza: BinaryNode): { joined?: string; left?: string } {
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
