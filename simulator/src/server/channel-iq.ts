import { QueryIds, XWAPaths } from 'baileys'
import { nowMs } from '../clock.ts'
import { getOwn } from '../get-own.ts'
import { type BinaryNode, child, children, node, textOf } from '../wire/node.ts'
import type { Channel } from '../world/channel.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { channelMetadata } from './channel-metadata.ts'
import { changeFollowing, createChannel, postsAfter, saveChannel } from './channel.ts'
import { IqError } from './iq-error.ts'

/** Answers a device's request to a channel: for live updates, or for posts it has missed. */
export function answerChannel(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] | undefined {
  const channel = network.channels.get(iq.attrs.to ?? '')
  if (!channel) throw new IqError(404, 'item-not-found')
  const [request] = children(iq)
  if (request?.tag === 'live_updates') {
    const { liveUpdatesMs } = network.timing
    device.liveUpdates.set(channel.jid, nowMs(network) + liveUpdatesMs)
    return [node('live_updates', { duration: String(Math.ceil(liveUpdatesMs / 1000)) })]
  }
  const posts = postsAfter(channel, Number(request?.attrs.after ?? 0), Number(request?.attrs.count ?? 50))
  const messages = node('messages', { jid: channel.jid, t: String(channel.created) }, posts)
  return request?.tag === 'message_updates' ? [node('message_updates', {}, [messages])] : [messages]
}

interface Variables {
  readonly newsletter_id?: string
  readonly updates?: { readonly name?: string; readonly description?: string }
  readonly input?: { readonly key?: string; readonly name?: string; readonly description?: string | null }
}

type Query = (network: Network, device: LinkedDevice, variables: Variables) => Record<string, unknown>

function channelOf(network: Network, jid: string | undefined): Channel {
  const channel = network.channels.get(jid ?? '')
  if (!channel) throw new IqError(404, 'item-not-found')
  return channel
}

function following(path: string, follows: boolean): Query {
  return (network, device, { newsletter_id: jid }) => {
    const channel = channelOf(network, jid)
    changeFollowing(network, channel, device.digits, follows)
    return { [path]: channelMetadata(channel, device.digits) }
  }
}

const metadata: Query = (network, device, { input }) => ({
  [XWAPaths.xwa2_newsletter_metadata]: channelMetadata(channelOf(network, input?.key), device.digits),
})

/** The channels that a number follows or manages. The library does not know this query. */
const subscribed: Query = (network, { digits }) => ({
  xwa2_newsletter_subscribed: [...network.channels.values()]
    .filter(channel => channel.owner === digits || channel.followers.has(digits))
    .map(channel => channelMetadata(channel, digits)),
})

/** By id; where there are two, web clients use the second today. */
const QUERIES: Readonly<Record<string, Query>> = {
  [QueryIds.METADATA]: metadata,
  '27456920720571478': metadata,
  '6388546374527196': subscribed,
  '25399611239711790': subscribed,
  [QueryIds.CREATE]: (network, device, { input }) => {
    const options = { name: input?.name ?? '', description: input?.description ?? '', owner: device.digits }
    return { [XWAPaths.xwa2_newsletter_create]: channelMetadata(createChannel(network, options), device.digits) }
  },
  [QueryIds.UPDATE_METADATA]: (network, device, { newsletter_id: jid, updates }) => {
    const channel = channelOf(network, jid)
    channel.name = updates?.name ?? channel.name
    channel.description = updates?.description ?? channel.description
    saveChannel(network, channel)
    return { xwa2_newsletter_update: channelMetadata(channel, device.digits) }
  },
  [QueryIds.FOLLOW]: following(XWAPaths.xwa2_newsletter_join_v2, true),
  [QueryIds.UNFOLLOW]: following(XWAPaths.xwa2_newsletter_leave_v2, false),
  [QueryIds.SUBSCRIBERS]: (network, _device, { newsletter_id: jid }) => ({
    [XWAPaths.xwa2_newsletter_subscribers]: { subscribers: channelOf(network, jid).followers.size },
  }),
  [QueryIds.ADMIN_COUNT]: () => ({ [XWAPaths.xwa2_newsletter_admin_count]: { admin_count: 1 } }),
  [QueryIds.MUTE]: () => ({ [XWAPaths.xwa2_newsletter_mute_v2]: {} }),
  [QueryIds.UNMUTE]: () => ({ [XWAPaths.xwa2_newsletter_unmute_v2]: {} }),
  [QueryIds.REACHOUT_TIMELOCK]: (network, device) => {
    const { untilMs = 0, type } = network.faults.restrictions.get(device.digits) ?? {}
    const lock =
      untilMs > nowMs(network)
        ? { is_active: true, time_enforcement_ends: String(Math.ceil(untilMs / 1000)), enforcement_type: type }
        : { is_active: false }
    return { [XWAPaths.xwa2_fetch_account_reachout_timelock]: lock }
  },
  [QueryIds.MESSAGE_CAPPING_INFO]: (network, device) => ({
    [XWAPaths.xwa2_message_capping_info]: network.faults.newChats.get(device.digits) ?? { capping_status: 'NONE' },
  }),
}

/** Answers the queries that travel as JSON; an id that the platform does not know, or no longer, gets an error. */
export function answerChannelQuery(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const query = child(iq, 'query')
  const id = query?.attrs.query_id ?? ''
  const { variables } = JSON.parse(textOf(query)) as { readonly variables: Variables }
  const answer = network.faults.retiredQueries.has(id) ? undefined : getOwn(QUERIES, id)
  const result = answer ? { data: answer(network, device, variables) } : UNKNOWN_QUERY
  return [node('result', {}, Buffer.from(JSON.stringify(result)))]
}

const UNKNOWN_QUERY = { data: null, errors: [{ message: 'unknown query', extensions: { error_code: 400 } }] }
