import { proto } from 'baileys'
import { nameOf, userOf } from '../people.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { MessageReference } from './content.ts'
import type { Chat } from './destination.ts'
import { textOfMessage } from './message-text.ts'

/** Builds the reference of a reply or reaction to a message that the phone has received or sent. */
export function refer(network: Network, user: User, chat: Chat, id: string): MessageReference {
  const isPerson = chat.to.kind === 'person'
  const held = [...user.inbox.values()].find(candidate => candidate.id === id)
  if (held) {
    const participant = nameOf(userOf(network, held.from), chat.addressing)
    const message = held.message
    return { id, chat: chat.jid, fromMe: held.fromMe, participant, text: textOfMessage(message), message }
  }
  const sent = user.sent.get(id)
  if (sent) {
    const message = proto.Message.decode(sent.content)
    const participant = nameOf(user, chat.addressing)
    return { id, chat: chat.jid, fromMe: true, participant, text: textOfMessage(message), message }
  }
  return { id, chat: chat.jid, fromMe: false, ...(isPerson ? { participant: chat.jid } : {}) }
}
