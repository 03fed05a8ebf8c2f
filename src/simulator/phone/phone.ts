import { proto } from 'baileys'
import type { Addressing } from '../jid.ts'
import { digitsOf, isGroupJid, lidJid, phoneJid } from '../jid.ts'
import type { Network, Presence, User } from '../network.ts'
import { saveUser, unixSeconds, userOf } from '../network.ts'
import { changePresence, showTyping, typingSeenBy } from '../server/presence.ts'
import type { TypingState } from '../server/stanzas.ts'
import type { CallRecord } from './calls.ts'
import { endCall, startCall } from './calls.ts'
import type { Content, MessageReference } from './content.ts'
import { buildMessage } from './content.ts'
import { chatOf } from './destination.ts'
import type { HeldMessage } from './inbox.ts'
import { markPlayed, markRead } from './inbox.ts'
import { openHeldMedia } from './held-media.ts'
import type { Tick } from './outgoing.ts'
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
}

export interface VoteOptions extends SendOptions {
  /** How creator and voter are named in the key of the vote; phones do not agree on it. */
  readonly creatorAddressing?: Addressing
  readonly voterAddressing?: Addressing
}

export interface Receipt {
  readonly id: string
}

export interface SentView {
  readonly id: string
  readonly chat: string
  readonly timestamp: number
  readonly message: proto.IMessage
  readonly ticks: ReadonlyMap<string, Tick>
}

/** Somebody's phone. Numbers are digits or JIDs; a `target` may also be a group, `status@broadcast` or a list. */
export interface Phone {
  readonly digits: string
  readonly jid: string
  readonly lid: string
  /** The name that the phone shows to others. */
  name: string
  /** Sends a message. Resolves when it can no longer be lost. */
  sendTo(target: string, content: Content, options?: SendOptions): Promise<Receipt>
  /** Reacts to a message the phone holds or has sent; an empty emoji takes the reaction back. */
  react(target: string, messageId: string, emoji: string, options?: SendOptions): Promise<Receipt>
  /** Votes in a poll the phone holds; no options withdraw the vote. */
  vote(target: string, pollId: string, options: readonly string[], more?: VoteOptions): Promise<Receipt>
  edit(target: string, messageId: string, text: string, options?: SendOptions): Promise<Receipt>
  revoke(target: string, messageId: string, options?: SendOptions): Promise<Receipt>
  /** Messages the phone holds, oldest first; `chat` is a number, group or `status@broadcast`. */
  inbox(chat?: string): HeldMessage[]
  message(id: string): HeldMessage | undefined
  /** Messages the phone has sent, oldest first, with how far each recipient (by digits) has come. */
  sent(chat?: string): SentView[]
  /** How far a message of this phone has come at a number. */
  tick(id: string, number: string): Tick | undefined
  /** Reads a message, or all of a chat, and says so. */
  read(idOrChat: string): void
  /** Plays a voice message or opens a view-once one, and says so. */
  play(id: string): void
  /** The decrypted file of a message the phone holds. */
  openMedia(id: string): Buffer
  call(
    number: string,
    options?: { readonly video?: boolean; readonly addressing?: Addressing; readonly id?: string },
  ): Promise<CallRecord>
  hangUp(callId: string, options?: { readonly reason?: string; readonly addressing?: Addressing }): Promise<void>
  calls(): CallRecord[]
  presence(state: Presence): void
  /** Shows that the owner types or records; in a group with the group as target, to all linked members. */
  typing(target: string, state: TypingState): void
  /** What the phone shows of a number that writes to it. */
  typingFrom(number: string): TypingState
}

/** Whether a message is in the chat, which may be written in any form. */
function isIn(message: { readonly chat: string }, chat: string | undefined): boolean {
  return chat === undefined || message.chat === chat || message.chat === digitsOf(chat)
}

function headOf(network: Network, user: User, chat: { addressing: Addressing; hidden: boolean }, content: Content) {
  const edit = content.type === 'revoke' ? '7' : content.type === 'edit' ? '1' : undefined
  return {
    addressing: chat.addressing,
    hidden: chat.hidden,
    notify: user.name,
    ...(edit === undefined ? {} : { edit }),
  }
}

export function phoneOf(network: Network, user: User): Phone {
  const find = (id: string): HeldMessage | undefined => [...user.inbox.values()].reverse().find(held => held.id === id)
  const held = (id: string): HeldMessage => {
    const found = find(id)
    if (!found) throw new Error('the phone does not hold this message')
    return found
  }
  const sendTo = async (target: string, content: Content, options: SendOptions = {}): Promise<Receipt> => {
    const chat = chatOf(network, user, target, options)
    const quoted = typeof options.quoted === 'string' ? refer(network, user, chat, options.quoted) : options.quoted
    const { viewOnce = false, ephemeralSeconds = 0 } = options
    const message = buildMessage(network.media, content, { viewOnce, ephemeralSeconds, ...(quoted ? { quoted } : {}) })
    const id = options.id ?? createMessageId()
    const outgoing = {
      id,
      message,
      head: headOf(network, user, chat, content),
      timestamp: options.timestamp ?? unixSeconds(),
    }
    sendFromPhone(network, user, chat.to, outgoing)
    await network.journal.settled()
    return { id }
  }
  const about = (target: string, id: string, options: SendOptions = {}): MessageReference =>
    refer(network, user, chatOf(network, user, target, options), id)

  return {
    digits: user.digits,
    jid: phoneJid(user.digits),
    lid: lidJid(user.lid),
    get name() {
      return user.name
    },
    set name(name) {
      user.name = name
      saveUser(network, user)
    },
    sendTo,
    react: async (target, id, emoji, options) =>
      sendTo(target, { type: 'reaction', target: about(target, id, options), emoji }, options),
    edit: async (target, id, text, options) =>
      sendTo(target, { type: 'edit', target: about(target, id, options), text }, options),
    revoke: async (target, id, options) =>
      sendTo(target, { type: 'revoke', target: about(target, id, options) }, options),
    vote: async (target, pollId, choices, options = {}) => {
      const chat = chatOf(network, user, target, options)
      const message = voteMessage(network, user, chat, { pollId, choices, ...options })
      return sendTo(target, { type: 'raw', message }, options)
    },
    inbox: chat => [...user.inbox.values()].filter(message => isIn(message, chat)),
    sent: chat =>
      [...user.sent.values()]
        .filter(message => isIn(message, chat))
        .map(({ content, head: _head, ...rest }) => ({ ...rest, message: proto.Message.decode(content) })),
    message: find,
    tick: (id, number) => user.sent.get(id)?.ticks.get(digitsOf(number)),
    read: idOrChat => {
      for (const message of user.inbox.values()) {
        if (message.fromMe) continue
        if (message.id === idOrChat || isIn(message, idOrChat)) markRead(network, user, message)
      }
    },
    play: id => markPlayed(network, user, held(id)),
    openMedia: id => openHeldMedia(network, held(id)),
    call: async (number, options = {}) => {
      const settings = { video: options.video ?? false, addressing: options.addressing ?? 'lid' }
      const record = startCall(network, user, userOf(network, digitsOf(number)), {
        ...settings,
        ...(options.id === undefined ? {} : { id: options.id }),
      })
      await network.journal.settled()
      return record
    },
    hangUp: async (callId, options = {}) => {
      const record = user.calls.get(callId)
      if (!record) throw new Error('there is no such call')
      const { reason } = options
      const settings = { addressing: options.addressing ?? 'lid', ...(reason === undefined ? {} : { reason }) }
      endCall(network, user, userOf(network, record.to), callId, settings)
      await network.journal.settled()
    },
    calls: () => [...user.calls.values()],
    presence: state => changePresence(network, user, state),
    typing: (target, state) => {
      const chat = chatOf(network, user, target, {})
      const members = chat.to.kind === 'person' ? [chat.to.peer] : chat.to.members
      for (const member of members) {
        if (member !== user) showTyping(network, user, member, isGroupJid(target) ? target : undefined, state)
      }
    },
    typingFrom: number => typingSeenBy(user, digitsOf(number)),
  }
}
