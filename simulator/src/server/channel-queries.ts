import { QueryIds, XWAPaths } from 'baileys'
import { nowMs, unixSeconds } from '../clock.ts'
import { behaviourOf, isHidden } from '../behaviour.ts'
import { lidJid, numberJid } from '../jid.ts'
import { userByJid, userOf } from '../people.ts'
import type { Channel, ReactionMode } from '../world/channel.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { channelMetadata, inviteOf, type MetadataForm, roleOf } from './channel-metadata.ts'
import {
  announceChannel,
  changeFollowing,
  createChannel,
  deleteChannel,
  inviteToManage,
  saveChannel,
} from './channel.ts'
import { IqError } from './iq-error.ts'
import { requirePicture } from './picture-rules.ts'

const MAX_NAME = 100
const MAX_DESCRIPTION = 2_048
const REACTION_MODES: readonly string[] = ['ALL', 'BASIC', 'NONE']

export interface Variables {
  readonly newsletter_id?: string
  readonly user_id?: string
  readonly updates?: {
    readonly name?: string
    readonly description?: string
    /** In base64; empty removes it. */
    readonly picture?: string
    readonly settings?: { readonly reaction_codes?: { readonly value?: string } } | null
  }
  readonly input?: {
    readonly key?: string
    readonly type?: string
    readonly name?: string
    readonly description?: string | null
    readonly newsletter_id?: string
    readonly count?: number
    readonly value?: string
  }
}

type Query = (network: Network, device: LinkedDevice, variables: Variables) => Record<string, unknown>

const badRequest = (): IqError => new IqError(400, 'bad-request')
const notFound = (): IqError => new IqError(404, 'item-not-found')
const unauthorized = (): IqError => new IqError(401, 'not-authorized')

function channelOf(network: Network, jid: string | undefined): Channel {
  const channel = network.channels.get(jid ?? '')
  if (!channel || channel.state === 'DELETED') throw notFound()
  return channel
}

/** The channel, if the number manages it. */
function managed(network: Network, digits: string, jid: string | undefined, role?: 'OWNER'): Channel {
  const channel = channelOf(network, jid)
  const own = roleOf(channel, digits)
  if (own !== 'OWNER' && (role === 'OWNER' || own !== 'ADMIN')) throw unauthorized()
  return channel
}

const metadata =
  (form: MetadataForm): Query =>
  (network, { digits }, { input }) => {
    const byInvite = [...network.channels.values()].find(channel => inviteOf(channel) === input?.key)
    const channel = channelOf(network, input?.type === 'INVITE' ? byInvite?.jid : input?.key)
    return { xwa2_newsletter: channelMetadata(channel, digits, form) }
  }

/** The channels that a number follows or manages. */
const subscribed: Query = (network, { digits }) => ({
  xwa2_newsletter_subscribed: [...network.channels.values()]
    .filter(channel => channel.state !== 'DELETED' && roleOf(channel, digits) !== 'GUEST')
    .map(channel => channelMetadata(channel, digits, 'listed')),
})

const create =
  (form: MetadataForm): Query =>
  (network, { digits }, { input }) => {
    const { name = '', description } = input ?? {}
    requireWords(name, description ?? '')
    const channel = createChannel(network, { name, description: description ?? '', owner: digits })
    return { xwa2_newsletter_create: channelMetadata(channel, digits, form) }
  }

function requireWords(name: string, description: string): void {
  if (name.trim() === '' || name.length > MAX_NAME || description.length > MAX_DESCRIPTION) throw badRequest()
}

const update: Query = (network, { digits }, { newsletter_id: jid, updates = {} }) => {
  const channel = managed(network, digits, jid)
  const { name = channel.name, description = channel.description, picture, settings } = updates
  requireWords(name, description)
  const mode = settings?.reaction_codes?.value
  if (mode !== undefined && !REACTION_MODES.includes(mode)) throw badRequest()
  const file = picture ? Buffer.from(picture, 'base64') : undefined
  if (file) requirePicture(file)
  channel.name = name
  channel.description = description
  if (mode !== undefined) channel.reactionMode = mode as ReactionMode
  if (picture === '') channel.picture = undefined
  if (file) {
    const id = Math.max(unixSeconds(network), Number(channel.picture?.id ?? 0) + 1)
    channel.picture = { id: String(id), path: network.media.put(file) }
  }
  saveChannel(network, channel)
  announceChannel(network, channel, 'NotificationNewsletterUpdate', member => ({
    xwa2_notify_newsletter_on_metadata_update: channelMetadata(channel, member),
  }))
  return { xwa2_newsletter_update: channelMetadata(channel, digits) }
}

const shortly = ({ jid, state = 'ACTIVE' }: Channel) => ({ id: jid, state: { type: state } })

function following(path: string, follows: boolean): Query {
  return (network, { digits }, { newsletter_id: jid }) => {
    const channel = channelOf(network, jid)
    const role = roleOf(channel, digits)
    if (role === 'OWNER' || (!follows && role === 'ADMIN')) throw badRequest()
    changeFollowing(network, channel, digits, follows)
    return { [path]: shortly(channel) }
  }
}

/** What followers hear of: only `MUTE_ADMIN_ACTIVITY` is of posts. */
const changeSetting: Query = (network, { digits }, { input = {} }) => {
  const { newsletter_id: jid, type = '', value = '' } = input
  const channel = channelOf(network, jid)
  const isRight = ['MUTE_ADMIN_ACTIVITY', 'MUTE_FOLLOWER_ACTIVITY'].includes(type) && ['ON', 'OFF'].includes(value)
  if (!isRight || roleOf(channel, digits) === 'GUEST') throw badRequest()
  if (type === 'MUTE_ADMIN_ACTIVITY') {
    if (value === 'ON') channel.muted?.add(digits)
    else channel.muted?.delete(digits)
    saveChannel(network, channel)
  }
  return { xwa2_newsletter_update_user_setting: shortly(channel) }
}

const followers: Query = (network, { digits }, { input = {} }) => {
  const channel = managed(network, digits, input.newsletter_id)
  const people = [channel.owner, ...(channel.admins ?? []), ...channel.followers]
  const edges = [...new Set(people)].slice(0, input.count ?? 50).map(one => {
    const user = userOf(network, one)
    const pn = isHidden(user) ? null : numberJid(one)
    return {
      admin_profile: null,
      follow_time: String(channel.created),
      node: { id: lidJid(user.lid), pn, display_name: user.name, username_info: null },
      role: roleOf(channel, one),
    }
  })
  return { xwa2_newsletter_followers: { followers: { edges } } }
}

const adminInfo: Query = (network, { digits }, { newsletter_id: jid }) => {
  const channel = managed(network, digits, jid)
  const admin_count = 1 + (channel.admins?.size ?? 0)
  return { xwa2_newsletter_admin: { admin_count, admin_profile: null, id: channel.jid } }
}

const demote: Query = (network, { digits }, { newsletter_id: jid, user_id: person }) => {
  const channel = managed(network, digits, jid, 'OWNER')
  const user = userByJid(network, person)
  if (!user || !channel.admins?.delete(user.digits)) throw badRequest()
  channel.followers.add(user.digits)
  saveChannel(network, channel)
  return { xwa2_newsletter_admin_demote: { __typename: 'XWA2NewsletterMutationResponse', id: channel.jid } }
}

const mutated = (path: string, { jid }: Channel) => ({
  [path]: { __typename: 'XWA2NewsletterMutationResponse', id: jid },
})

const inviteAdmin: Query = (network, { digits }, { newsletter_id: jid, user_id: person }) => {
  const channel = managed(network, digits, jid, 'OWNER')
  const user = userByJid(network, person)
  if (!user || behaviourOf(user) === 'absent') throw notFound()
  if (['OWNER', 'ADMIN'].includes(roleOf(channel, user.digits))) throw badRequest()
  const until = inviteToManage(network, channel, user.digits)
  return { xwa2_newsletter_admin_invite_create: { id: channel.jid, invite_expiration_time: String(until) } }
}

const revokeAdminInvite: Query = (network, { digits }, { newsletter_id: jid, user_id: person }) => {
  const channel = managed(network, digits, jid, 'OWNER')
  if (!channel.invited?.delete(userByJid(network, person)?.digits ?? '')) throw notFound()
  saveChannel(network, channel)
  return mutated('xwa2_newsletter_admin_invite_revoke', channel)
}

const acceptAdminInvite: Query = (network, { digits }, { newsletter_id: jid }) => {
  const channel = channelOf(network, jid)
  const until = channel.invited?.get(digits) ?? 0
  if (until <= unixSeconds(network)) throw new IqError(403, 'forbidden')
  channel.invited?.delete(digits)
  channel.admins?.add(digits)
  channel.followers.delete(digits)
  saveChannel(network, channel)
  return mutated('xwa2_newsletter_admin_invite_accept', channel)
}

const pendingInvites: Query = (network, { digits }, { newsletter_id: jid }) => {
  const channel = managed(network, digits, jid)
  const open = [...(channel.invited ?? [])].filter(([, until]) => until > unixSeconds(network))
  const pending_admin_invites = open.map(([one]) => {
    const user = userOf(network, one)
    return { user: { id: lidJid(user.lid), pn: isHidden(user) ? null : numberJid(one) } }
  })
  return { xwa2_newsletter_admin: { id: channel.jid, pending_admin_invites } }
}

const remove: Query = (network, { digits }, { newsletter_id: jid }) => {
  const channel = managed(network, digits, jid, 'OWNER')
  deleteChannel(network, channel)
  return { xwa2_newsletter_delete_v2: shortly(channel) }
}

/** By id. Where web clients use another one today, the older has the older form. */
export const CHANNEL_QUERIES: Readonly<Record<string, Query>> = {
  [QueryIds.METADATA]: metadata('older'),
  '27456920720571478': metadata('whole'),
  '6388546374527196': subscribed,
  '25399611239711790': subscribed,
  [QueryIds.CREATE]: create('older'),
  '25149874324715067': create('whole'),
  [QueryIds.UPDATE_METADATA]: update,
  [QueryIds.FOLLOW]: following('xwa2_newsletter_join_v2', true),
  [QueryIds.UNFOLLOW]: following('xwa2_newsletter_leave_v2', false),
  [QueryIds.DELETE]: remove,
  '31938993655691868': changeSetting,
  '27472091235714801': followers,
  '26278439461859188': adminInfo,
  '9880997548630971': demote,
  '9387141988078609': inviteAdmin,
  '9656078347839416': revokeAdminInvite,
  '9580828702035549': acceptAdminInvite,
  '9783111038412085': pendingInvites,
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
