import { lookUp } from '../look-up.ts'
import type { Addressing } from '../jid.ts'
import type { Network, User } from '../network.ts'
import { unixSeconds } from '../network.ts'
import { nameTo } from '../server/face.ts'
import type { Content, MessageReference } from './content.ts'
import { buildMessage } from './content.ts'
import type { Chat } from './destination.ts'
import { chatOf } from './destination.ts'
import type { OutgoingHead } from './outgoing.ts'
import { createMessageId, sendFromPhone } from './outgoing.ts'
import { refer } from './refer.ts'
import { voteMessage } from './vote.ts'

export interface SendOptions {
  /** The message id; made up when absent. */
  readonly id?: string
  /** Whether the stanza names people by number (default) or by hidden identifier. Groups have their own way. */
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
}

export interface VoteOptions extends SendOptions {
  /** How creator and voter are named in the key of the vote; phones do not agree on it. */
  readonly creatorAddressing?: Addressing
  readonly voterAddressing?: Addressing
  /** When the phone says that it voted; now when absent. */
  readonly timestampMs?: number
}

/** What was sent. */
export interface Sent {
  readonly id: string
}

/** The part of a phone that sends. Everything resolves when it can no longer be lost. */
export interface Writing {
  sendTo(target: string, content: Content, options?: SendOptions): Promise<Sent>
  /** Reacts to a message the phone holds or has sent; an empty emoji takes the reaction back. */
  react(target: string, messageId: string, emoji: string, options?: SendOptions): Promise<Sent>
  /** Votes in a poll the phone holds; no options withdraw the vote. */
  vote(target: string, pollId: string, options: readonly string[], more?: VoteOptions): Promise<Sent>
  edit(target: string, messageId: string, text: string, options?: SendOptions): Promise<Sent>
  revoke(target: string, messageId: string, options?: SendOptions): Promise<Sent>
}

/** The value of the `edit` attribute of a stanza that changes another message. */
const EDIT_CODES: Readonly<Record<string, string>> = { edit: '1', revoke: '7' }

function headOf(user: User, chat: Chat, content: Content, options: SendOptions): OutgoingHead {
  const edit = options.edit ?? lookUp(EDIT_CODES, content.type)
  const { addressing, hidden } = chat
  return {
    addressing,
    hidden,
    notify: nameTo(user, chat.to.kind === 'person' ? [chat.to.peer] : chat.to.members),
    ...(edit === undefined ? {} : { edit }),
  }
}

async function send(
  network: Network,
  user: User,
  target: string,
  content: Content,
  options: SendOptions = {},
): Promise<Sent> {
  const { id = createMessageId(), timestamp = unixSeconds(), viewOnce = false, ephemeralSeconds = 0 } = options
  const chat = chatOf(network, user, target, options)
  const quoted = typeof options.quoted === 'string' ? refer(network, user, chat, options.quoted) : options.quoted
  const message = buildMessage(network.media, content, { viewOnce, ephemeralSeconds, ...(quoted ? { quoted } : {}) })
  sendFromPhone(network, user, chat.to, { id, message, head: headOf(user, chat, content, options), timestamp })
  await network.journal.settled()
  return { id }
}

export function writingOf(network: Network, user: User): Writing {
  const about = (target: string, id: string, options: SendOptions = {}): MessageReference =>
    refer(network, user, chatOf(network, user, target, options), id)
  const sendTo: Writing['sendTo'] = (target, content, options) => send(network, user, target, content, options)
  return {
    sendTo,
    react: async (to, id, emoji, options) =>
      sendTo(to, { type: 'reaction', target: about(to, id, options), emoji }, options),
    edit: async (to, id, text, options) => sendTo(to, { type: 'edit', target: about(to, id, options), text }, options),
    revoke: async (to, id, options) => sendTo(to, { type: 'revoke', target: about(to, id, options) }, options),
    vote: async (target, pollId, choices, options = {}) => {
      const chat = chatOf(network, user, target, options)
      const message = voteMessage(network, user, chat, { ...options, pollId, choices })
      return sendTo(target, { type: 'raw', message }, options)
    },
  }
}
