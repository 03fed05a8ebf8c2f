import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import type { CommandResult } from '../../../domain/command.ts'
import { answerIn, mediaFailed, refused, Unanswered } from '../errors.ts'
import { node, query, queryPicture } from '../remembered/contact-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { profilePicture } from '../to-message/profile-picture.ts'
import { fetchPicture } from './contacts.ts'
import { type GroupRequestOf, inGroup, readGroup } from './groups.ts'

/** The platform does not say whether a group that hides its picture exists; its answer about the group does. */
export async function showGroupPicture(
  context: SessionContext,
  { groupJid, size }: GroupRequestOf<'group_picture'>,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const found = await queryPicture(context, connection.sock, groupJid, size)
  if (found === 'none' || found === 'hidden') {
    await readGroup(context, connection, groupJid)
    throw refused('the group has no picture', 'not_found')
  }
  return { kind: 'picture', picture: await fetchPicture(context, found) }
}

/** Sets or removes the picture; the result has the id of the new one. */
export async function changeGroupPicture(
  context: SessionContext,
  { groupJid, mediaUrl }: GroupRequestOf<'group_picture_change'>,
  signal: AbortSignal,
): Promise<CommandResult> {
  const connection = openConnection(context)
  const file = mediaUrl === null ? undefined : await profilePicture(context, mediaUrl, signal)
  const content = file && [node('picture', { type: 'image' }, file)]
  const attrs = { target: groupJid, type: 'set', xmlns: 'w:profile:picture' }
  const answer = await inGroup(context, connection, groupJid, () =>
    query(connection.sock, attrs, content).catch((error: unknown): BinaryNode => {
      throw answerIn(error) === NOT_ACCEPTABLE ? mediaFailed('the platform does not take the picture') : error
    }),
  )
  const id = getBinaryNodeChild(answer, 'picture')?.attrs.id
  if (file !== undefined && id === undefined) throw new Unanswered()
  return { kind: 'picture_changed', id: id ?? null }
}

const NOT_ACCEPTABLE = 406
