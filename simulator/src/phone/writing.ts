import { unixSeconds } from '../clock.ts'
import type { Addressing } from '../jid.ts'
import { nameTo } from '../server/face.ts'
import type { OutgoingHead, Withheld } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { buildMessage, type Content, type MessageReference } from './content.ts'
import { type Chat, chatOf } from './destination.ts'
import { createMessageId } from './message-id.ts'
import { newerFieldOf } from './newer-fields.ts'
import { sendFromPhone } from './outgoing.ts'
import { refer } from './refer.ts'

export interface SendOptions {
  /** The message id; made up when absent. */
  readonly id?: string
  /** Whether the stanza names people by hidden identifier (default in direct chats) or by number. Groups have their own way. */
  readonly addressing?: Addressing
  /** Id of a message to reply to, or all about it where the phone does not hold it. */
  readonly quoted?: string | MessageReference
  readonly viewOnce?: boolean
  readonly ephemeralSeconds?: number
  /** Who gets a status post or broadcast; everybody linked when absent. */
  readonly audience?: readonly string[]
  /** Unix seconds; now when absent. */
  readonly timestamp?: number
  /** What the stanza says that it does to another message; of an edit or a revoke by itself when absent. */
  readonly edit?: string
  /** Linked devices get a stub in its place; of a plain one they can ask their own phone for the message. */
  readonly withheld?: Withheld
}

export interface VoteOptions extends SendOptions {
  /** How creator and voter are named in the key of the vote; phones do not agree on it. */
  readonly creatorAddressing?: Addressing
  readonly voterAddressing?: Addressing
  /** When the phone says that it voted; now when absent. */
  readonly timestampMs?: number
}

export interface EditOptions extends SendOptions {
  /** As apps wrote it before they encrypted edits. */
  readonly isPlain?: boolean
  /** How the author is named in the key of the edit; phones do not agree on it. */
  readonly keyAddressing?: Addressing
}

/** What was sent. */
export interface Sent {
  readonly id: string
}

/** The value of the `edit` attribute of a stanza that changes another message. */
export const EDIT = '1'
const REVOKE = '7'

function headOf(user: User, chat: Chat, content: Content, options: SendOptions): OutgoingHead {
  const edit = options.edit ?? (content.type === 'revoke' ? REVOKE : undefined)
  const { addressing, hidden } = chat
  return {
    addressing,
    hidden,
    notify: nameTo(user, chat.to.kind === 'person' ? [chat.to.peer] : chat.to.members),
    ...(edit === undefined ? {} : { edit }),
    ...(options.withheld === undefined ? {} : { withheld: options.withheld }),
  }
}

/** Sends from a phone. Resolves when it can no longer be lost. */
export async function write(
  network: Network,
  user: User,
  target: string,
  content: Content,
  options: SendOptions = {},
): Promise<Sent> {
  const { id = createMessageId(), timestamp = unixSeconds(network), viewOnce = false, ephemeralSeconds = 0 } = options
  const chat = chatOf(network, user, target, options)
  const quoted = typeof options.quoted === 'string' ? refer(network, user, chat, options.quoted) : options.quoted
  const message = buildMessage(network, content, { viewOnce, ephemeralSeconds, ...(quoted ? { quoted } : {}) })
  const head = headOf(user, chat, content, options)
  sendFromPhone(network, user, chat.to, { id, message, newer: newerFieldOf(content), head, timestamp })
  await network.journal.settled()
  return { id }
}
