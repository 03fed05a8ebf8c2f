import type { BinaryNode } from 'baileys'
import type { Command, CommandResult } from '../../../domain/command.ts'
import { makePlatformId } from '../../../domain/ids.ts'
import { jidKind } from '../../../domain/jid.ts'
import { subscribe } from '../link/appearance.ts'
import { failureOfAck, failureOfLibrary } from '../errors.ts'
import { readingOf } from '../remembered/chat-activity.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { seenIn } from '../to-event/names.ts'
import { lastNameOf } from './addressing.ts'

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

const done: CommandResult = { kind: 'done' }

export async function showTyping(context: SessionContext, command: Of<'typing'>): Promise<CommandResult> {
  const connection = openConnection(context)
  const { chatJid, typing, media } = command
  const { appearance } = context
  const to = await lastNameOf(context, chatJid)
  const shown = { tag: 'composing', attrs: media === 'audio' ? { media: 'audio' } : {} }
  const content = [typing ? shown : { tag: 'paused', attrs: {} }]
  // The library would also send the sender, which the platform's own clients no longer do.
  const stanza = { tag: 'chatstate', attrs: { to }, content } as BinaryNode
  await translateErrors(async () => {
    if (typing) await appearance.beginTyping(connection, chatJid)
    await connection.sock.sendNode(stanza)
  }, 'the chat')
  if (!typing) appearance.endTyping(chatJid)
  return done
}

export async function markRead(context: SessionContext, command: Of<'read'>): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const { chatJid, messageIds } = command
  const isGroup = jidKind(chatJid) === 'group' || jidKind(chatJid) === 'status'
  const remoteJid = await lastNameOf(context, chatJid)
  const keys = await Promise.all(
    messageIds.map(async id => {
      const sender = isGroup ? (await seenIn(context, chatJid, id))?.senderJid : undefined
      return { remoteJid, id, fromMe: false, ...(sender !== undefined && { participant: sender }) }
    }),
  )
  await translateErrors(() => sock.readMessages(keys), 'the chat')
  const chats = readingOf(context, await context.lids.phoneFirst(chatJid), context.clock.now().getTime())
  if (chats) context.link.state()?.changes.add({ chats })
  return done
}

export async function subscribePresence(
  context: SessionContext,
  command: Of<'presence_subscribe'>,
): Promise<CommandResult> {
  const { contactJid } = command
  const connection = openConnection(context)
  if (command.unlessMade && (await context.subscriptions.has(contactJid))) return done
  // Before the stanza: if the number goes online meanwhile, it subscribes to all contacts of the set.
  await context.subscriptions.add(contactJid)
  await translateErrors(() => subscribe(connection, [contactJid]), 'the contact')
  return done
}

/** The library's own function treats a missing response as success. */
export async function reactInChannel(context: SessionContext, command: Of<'newsletter_react'>): Promise<CommandResult> {
  const { sock, acks } = openConnection(context)
  const { newsletterJid, serverId, emoji } = command
  const id = makePlatformId()
  const stanza = {
    tag: 'message',
    attrs: { to: newsletterJid, type: 'reaction', server_id: String(serverId), id, ...(emoji === '' && { edit: '7' }) },
    content: [{ tag: 'reaction', attrs: emoji === '' ? {} : { code: emoji } }],
  } as BinaryNode
  const expected = acks.expect(id)
  await translateErrors(() => sock.sendNode(stanza), 'the channel')
  expected.within(context.ackTimeoutMs)
  const ack = await expected.outcome
  if (ack === 'timeout' || ack === 'lost' || !ack.ok) throw failureOfAck(ack)
  return done
}

async function translateErrors<T>(call: () => Promise<T>, target: string): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw failureOfLibrary(error, target)
  }
}
