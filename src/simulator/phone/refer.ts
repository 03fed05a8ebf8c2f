import { proto } from 'baileys'
import { lidJid, phoneJid } from '../jid.ts'
import type { Network, User } from '../network.ts'
import { userOf } from '../network.ts'
import type { MessageReference } from './content.ts'
import type { Chat } from './destination.ts'
import { textOfMessage } from './message-text.ts'

/** Everything a reply or reaction says about a message, found by its id in what the phone holds or has sent. */
export function refer(network: Network, user: User, chat: Chat, id: string): MessageReference {
  const name = (digits: string): string =>
    chat.addressing === 'lid' ? lidJid(userOf(network, digits).lid) : phoneJid(digits)
  const isPerson = chat.to.kind === 'person'
  const held = [...user.inbox.values()].find(candidate => candidate.id === id)
  if (held) {
    const participant = name(held.from)
    const message = held.message
    return { id, chat: chat.jid, fromMe: held.fromMe, participant, text: textOfMessage(message), message }
  }
  const sent = user.sent.get(id)
  if (sent) {
    const message = proto.Message.decode(sent.content)
    const participant = name(user.digits)
    return { id, chat: chat.jid, fromMe: true, participant, text: textOfMessage(message), message }
  }
  return { id, chat: chat.jid, fromMe: false, ...(isPerson ? { participant: chat.jid } : {}) }
}
