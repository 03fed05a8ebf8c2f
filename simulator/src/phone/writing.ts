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
  /** The message id; generated when absent. */
  readonly id?: string
  /** Whether the stanza names people by hidden identifier (default) or by number; direct chats only. */
  readonly addressing?: Addressing
  /** Id of the message to reply to, or a full reference if the phone does not hold it. */
  readonly quoted?: string | MessageReference
  readonly viewOnce?: boolean
  readonly ephemeralSeconds?: number
  /** The recipients of a status post or broadcast; all linked numbers when absent. */
  readonly audience?: readonly string[]
  /** Unix seconds; now when absent. */
  readonly timestamp?: number
  /** The `edit` attribute of the stanza; set for an edit or a revocation when absent. */
  readonly edit?: string
  /** Linked devices get a placeholder; if `plain`, they can request the message from their own phone. */
  readonly withheld?: Withheld
}

export interface VoteOptions extends SendOptions {
  /** How the key of the vote names creator and voter; phones differ here. */
  readonly creatorAddressing?: Addressing
  readonly voterAddressing?: Addressing
  /** The time of the vote; now when absent. */
  readonly timestampMs?: number
}

export interface EditOptions extends SendOptions {
  /** Uses the form of older apps, which did not encrypt edits. */
  readonly isPlain?: boolean
  /** How the key of the edit names the author; phones differ here. */
  readonly keyAddressing?: Addressing
}

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

/** Sends from a phone. Resolves when the message is saved. */
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
  await network.journal.saved()
  return { id }
}
