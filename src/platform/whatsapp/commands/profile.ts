import { getBinaryNodeChild } from 'baileys'
import type { CommandResult, ProfileRequest } from '../../../domain/command.ts'
import { digitsOf } from '../../../domain/jid.ts'
import { Unanswered } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import { node, queryPeople, queryServer, userWithPhone } from '../remembered/contact-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { profilePicture } from '../to-message/profile-picture.ts'
import { protocolsOfProfile, readShown } from './contacts.ts'

type Of<Kind extends ProfileRequest['kind']> = Extract<ProfileRequest, { kind: Kind }>

/** What the number shows of itself. */
export async function showProfile(context: SessionContext): Promise<CommandResult> {
  const connection = openConnection(context)
  const { sock } = connection
  const jid = context.sessionId
  const [user] = await queryPeople(sock, [userWithPhone(digitsOf(jid))], protocolsOfProfile())
  if (!user) throw new Unanswered()
  const { hidden: _, ...shown } = await readShown(context, connection, jid, user)
  return { kind: 'profile', profile: { jid, name: sock.authState.creds.me?.name || null, ...shown } }
}

/** The platform takes name and about one by one: if it refuses the about, the new name stays. */
export async function changeProfile(
  context: SessionContext,
  { name, about }: Of<'profile_change'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  if (name !== undefined) await changeName(context, connection, name)
  if (about !== undefined) await queryServer(connection.sock, 'set', 'status', [node('status', {}, Buffer.from(about))])
  return await showProfile(context)
}

/** The name is a setting that the devices of the number share; each device says it to the platform. */
async function changeName(context: SessionContext, connection: Connection, name: string): Promise<void> {
  const { me } = connection.sock.authState.creds
  if (me?.name === name) return
  const value = { timestamp: context.clock.now().getTime(), pushNameSetting: { name } }
  await context.settings.change(connection, 'critical_block', [{ index: ['setting_pushName'], value, version: 1 }], [])
  if (me) connection.sock.ev.emit('creds.update', { me: { ...me, name } })
}

/** Sets the picture of the number, or removes it. */
export async function changePicture(
  context: SessionContext,
  { url }: Of<'profile_picture'>,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const file = url === null ? undefined : await profilePicture(context, url, signal)
  const content = file && [node('picture', { type: 'image' }, file)]
  const answer = await queryServer(sock, 'set', 'w:profile:picture', content)
  return { kind: 'profile_picture', id: getBinaryNodeChild(answer, 'picture')?.attrs.id ?? null }
}
