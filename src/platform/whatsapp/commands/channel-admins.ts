import type { ChannelAdmin } from '../../../domain/channel.ts'
import type { ChannelRequest, CommandResult } from '../../../domain/command.ts'
import { makePlatformId } from '../../../domain/ids.ts'
import { PlatformError } from '../../platform.ts'
import { refused } from '../errors.ts'
import { channelQueries, inMs } from '../remembered/channel-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { unixSeconds } from '../wire/numbers.ts'
import { addressOf } from './addressing.ts'
import { ask, readChannelNow, readFollowers } from './channels.ts'
import { sendAndAwaitAck } from './send-and-await-ack.ts'

type Of<Kind extends ChannelRequest['kind']> = Extract<ChannelRequest, { kind: Kind }>

const DONE: CommandResult = { kind: 'done' }

const DEMOTE = '9880997548630971'
const INVITE = '9387141988078609'
const REVOKE = '9656078347839416'
const ACCEPT = '9580828702035549'
const PENDING = '9783111038412085'

/** The newest followers that the platform shows; those who manage the channel are among them. */
const SHOWN = 100

/** The owner, the admins, and the people who are invited. */
export async function listAdmins(
  context: SessionContext,
  { channelJid }: Of<'channel_admins'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const admins: ChannelAdmin[] = []
  for (const { jid, phone, name, role } of await readFollowers(context, channelJid, SHOWN))
    if (role === 'owner' || role === 'admin') admins.push({ jid, phone, name, role })
  const variables = { newsletter_id: channelJid }
  const { pending_admin_invites: pending } = await ask(sock, [{ id: PENDING, variables }], 'xwa2_newsletter_admin')
  for (const { user } of (Array.isArray(pending) ? (pending as Pending[]) : []).slice(0, SHOWN)) {
    if (user?.id === undefined) continue
    await context.lids.remember(user.id, user.pn ?? undefined, 'lookup')
    const phone = (await context.lids.phoneOf(user.id)) ?? null
    admins.push({ jid: user.id, phone, name: null, role: 'invited' })
  }
  return { kind: 'channel_admins', admins }
}

interface Pending {
  user?: { id?: string; pn?: string | null } | null
}

/** Creates the invitation and sends it as a message, as phones do. Both may be repeated. */
export async function inviteAdmin(
  context: SessionContext,
  { channelJid, person, caption }: Of<'channel_invite'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const { sock } = connection
  const { name } = await readChannelNow(sock, channelQueries(channelJid))
  const variables = await about(context, channelJid, person)
  const made = await ask(sock, [{ id: INVITE, variables }], 'xwa2_newsletter_admin_invite_create')
  const expires = unixSeconds(made.invite_expiration_time)
  const newsletterAdminInviteMessage = {
    newsletterJid: channelJid,
    newsletterName: name,
    ...(caption !== '' && { caption }),
    ...(expires !== undefined && { inviteExpiration: expires }),
  }
  const address = await addressOf(context, connection, person)
  const message = { newsletterAdminInviteMessage }
  const prepared = { address, platformId: makePlatformId(), message }
  await sendAndAwaitAck(context, connection, prepared, AbortSignal.timeout(context.ackTimeoutMs))
  return { kind: 'channel_invited', expiresAtMs: inMs(made.invite_expiration_time) }
}

export async function revokeAdminInvite(
  context: SessionContext,
  { channelJid, person }: Of<'channel_uninvite'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const variables = await about(context, channelJid, person)
  await ask(sock, [{ id: REVOKE, variables }], 'xwa2_newsletter_admin_invite_revoke')
  return DONE
}

/** The number manages the channel from then on. */
export async function acceptAdminInvite(
  context: SessionContext,
  { channelJid }: Of<'channel_accept'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const variables = { newsletter_id: channelJid }
  await ask(sock, [{ id: ACCEPT, variables }], 'xwa2_newsletter_admin_invite_accept').catch((error: unknown) => {
    const isForbidden =
      error instanceof PlatformError && error.failure.kind === 'permanent' && error.failure.code === 'not_channel_admin'
    throw isForbidden ? refused('the number has no open invitation to manage the channel', 'invite_invalid') : error
  })
  context.managedChannels.set(channelJid, true)
  return { kind: 'channel', channel: await readChannelNow(sock, channelQueries(channelJid)) }
}

export async function demoteAdmin(
  context: SessionContext,
  { channelJid, person }: Of<'channel_demote'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const variables = await about(context, channelJid, person)
  await ask(sock, [{ id: DEMOTE, variables }], 'xwa2_newsletter_admin_demote')
  return DONE
}

const about = async ({ lids }: SessionContext, channelJid: string, person: string) => ({
  newsletter_id: channelJid,
  user_id: (await lids.lidOf(person)) ?? person,
})
