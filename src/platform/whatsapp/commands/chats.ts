import type { ChatRequest, CommandResult } from '../../../domain/command.ts'
import { jidKind } from '../../../domain/jid.ts'
import { changesOf, settingsFor } from '../app-state/chat-settings.ts'
import { COLLECTIONS, type CollectionName } from '../app-state/collection.ts'
import { refused } from '../errors.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { namesOf, seenIn } from '../to-event/names.ts'
import { lastNameOf } from './addressing.ts'

type Of<Kind extends ChatRequest['kind']> = Extract<ChatRequest, { kind: Kind }>

/** Changes a chat on all devices of the number, its phone included. */
export async function changeChat(context: SessionContext, request: Of<'chat_change'>): Promise<CommandResult> {
  const connection = openConnection(context)
  const nowMs = context.clock.now().getTime()
  const jid = await context.lids.phoneFirst(request.jid)
  const wanted = settingsFor(request.change, request.labels, nowMs)
  for (const name of COLLECTIONS) {
    const settings = []
    for (const { collection, setting } of wanted)
      if (collection === name) settings.push(setting(await nameInSettings(context, jid, name, setting)))
    if (settings.length === 0) continue
    await context.settings.change(connection, name, settings, changesOf(jid, settings, nowMs))
  }
  return { kind: 'chat', jid }
}

/** A person has several names: a second setting under another one would contradict the first. */
async function nameInSettings(
  context: SessionContext,
  jid: string,
  collection: CollectionName,
  setting: (jid: string) => { index: readonly string[] },
): Promise<string> {
  const names = [...(await namesOf(context, [jid]))]
  const used = await context.settings.nameInUse(collection, names, name => setting(name).index)
  return used ?? (await lastNameOf(context, jid))
}

const STARS = 'regular_high'

/** Stars a message on all devices of the number, its phone included; the other people of the chat do not see it. */
export async function starMessage(context: SessionContext, request: Of<'message_star'>): Promise<CommandResult> {
  const { messageId, isStarred } = request
  const connection = openConnection(context)
  const chat = await context.lids.phoneFirst(request.jid)
  const seen = await seenIn(context, chat, messageId)
  const isOwn = request.participant === context.sessionId || (request.participant === null && seen?.fromMe === true)
  const author = await authorInStar(context, request, isOwn, seen?.senderJid)
  const setting = (jid: string) => ({
    index: ['star', jid, messageId, isOwn ? '1' : '0', author],
    value: { timestamp: context.clock.now().getTime(), starAction: { starred: isStarred } },
    version: 2,
  })
  const named = setting(await nameInSettings(context, chat, STARS, setting))
  await context.settings.change(connection, STARS, [named], [])
  return { kind: 'done' }
}

/** Only in a group does a star name the author of the message, by the hidden identifier if there is one. */
async function authorInStar(
  { lids }: SessionContext,
  { jid, participant }: Of<'message_star'>,
  isOwn: boolean,
  sender: string | undefined,
): Promise<string> {
  if (jidKind(jid) !== 'group' || isOwn) return '0'
  const author = participant ?? sender
  if (author === undefined) throw refused('participant is required: the number has not seen this message of the group')
  return (await lids.lidOf(author)) ?? author
}
