import { getBinaryNodeChild } from 'baileys'
import type { CommandResult, ProfileRequest } from '../../../domain/command.ts'
import { digitsOf } from '../../../domain/jid.ts'
import { mediaIdOf } from '../../../domain/media.ts'
import type { PlatformError } from '../../platform.ts'
import { mediaFailed, transient, Unanswered } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import { node, queryPeople, queryServer, userWithPhone } from '../remembered/contact-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { examiner } from '../to-message/examine-media.ts'
import { withFetchedMedia } from '../to-message/fetch-media.ts'
import { MAX_PIXELS, PICTURE_HEAD_BYTES, pictureSize } from '../to-message/picture-size.ts'
import { protocolsOfProfile, readShown } from './contacts.ts'

type Of<Kind extends ProfileRequest['kind']> = Extract<ProfileRequest, { kind: Kind }>

/** How long the file of a picture may take to arrive; a request has nine seconds in all. */
const FETCH_MS = 6_000

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
  const file = url === null ? undefined : await squareOf(context, url, signal)
  const content = file && [node('picture', { type: 'image' }, file)]
  const answer = await queryServer(sock, 'set', 'w:profile:picture', content)
  return { kind: 'profile_picture', id: getBinaryNodeChild(answer, 'picture')?.attrs.id ?? null }
}

/** The middle of a picture, in the only form that the platform takes: a square JPEG. */
async function squareOf(context: SessionContext, url: string, signal: AbortSignal): Promise<Buffer> {
  const field = mediaIdOf(url) === undefined ? 'media_url' : 'media_id'
  const tooSlow = AbortSignal.timeout(FETCH_MS)
  const ending = AbortSignal.any([signal, tooSlow])
  const fetching = withFetchedMedia({ url, mediaType: 'image' }, context.download, ending, async media => {
    const size = pictureSize(await media.head(PICTURE_HEAD_BYTES))
    if (size === undefined || size.width * size.height > MAX_PIXELS || !media.file) return undefined
    return (await examiner.examine(context.sessionId, { about: 'square', ...media.file }, ending)).square
  })
  const square = await fetching.catch((error: unknown) => {
    throw tooSlow.aborted ? tooLate(field) : error
  })
  if (square !== undefined) return Buffer.from(square, 'base64')
  throw tooSlow.aborted ? tooLate(field) : mediaFailed(`${field}: the picture cannot be read`)
}

const tooLate = (field: string): PlatformError => transient(`${field}: the picture could not be read in time`)
