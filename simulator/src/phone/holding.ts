import { proto } from 'baileys'
import { behaviourOf } from '../behaviour.ts'
import { toDigits } from '../jid.ts'
import type { Network, User } from '../network.ts'
import { saveUser } from '../network.ts'
import { Refused } from '../refused.ts'
import { openHeldMedia } from './held-media.ts'
import type { HeldMessage } from './inbox.ts'
import { markAllRead, markPlayed, scheduleReading } from './inbox.ts'
import type { Tick } from './outgoing.ts'

/** A message that the phone has sent. */
export interface SentView {
  readonly id: string
  readonly chat: string
  readonly timestamp: number
  /** When it was sent, in Unix milliseconds. */
  readonly atMs: number
  readonly message: proto.IMessage
  /** How far each recipient has come, by digits. */
  readonly ticks: ReadonlyMap<string, Tick>
}

/** The part of a phone that keeps messages. A `chat` is a number, a group or `status@broadcast`. */
export interface Holding {
  /** Messages that linked numbers have sent to this phone, decrypted, oldest first. */
  inbox(chat?: string): HeldMessage[]
  message(id: string): HeldMessage | undefined
  /** Messages the phone has sent, oldest first. */
  sent(chat?: string): SentView[]
  /** How far a message of this phone has come at a number. */
  tick(id: string, number: string): Tick | undefined
  /** Reads a message, or all of a chat, and says so. */
  read(idOrChat: string): void
  /** Whether the phone's owner reads what a number writes; what waits is read when it begins to. */
  readFrom(number: string, enabled: boolean): void
  readsFrom(number: string): boolean
  /** Plays a voice message or opens a view-once one, and says so. */
  play(id: string): void
  /** The decrypted file of a message the phone holds. */
  openMedia(id: string): Buffer
}

/** Whether a message is in the chat, which may be written in any form. */
function isIn(message: { readonly chat: string }, chat: string | undefined): boolean {
  return chat === undefined || message.chat === chat || message.chat === toDigits(chat)
}

export function holdingOf(network: Network, user: User): Holding {
  const find = (id: string): HeldMessage | undefined => [...user.inbox.values()].findLast(held => held.id === id)
  const held = (id: string): HeldMessage => {
    const found = find(id)
    if (!found) throw new Refused('the phone does not hold this message')
    return found
  }
  return {
    inbox: chat => [...user.inbox.values()].filter(message => isIn(message, chat)),
    message: find,
    sent: chat => {
      const messages = [...user.sent.values()].filter(message => isIn(message, chat))
      return messages.map(({ content, head: _head, owner: _owner, ...rest }) => ({
        ...rest,
        // Most are looked through for something else.
        get message() {
          return proto.Message.decode(content)
        },
      }))
    },
    tick: (id, number) => user.sent.get(id)?.ticks.get(toDigits(number)),
    read: idOrChat => {
      const named = (message: HeldMessage): boolean => message.id === idOrChat || isIn(message, idOrChat)
      const received = [...user.inbox.values()].filter(message => !message.fromMe)
      markAllRead(network, user, received.filter(named))
    },
    readFrom: (number, enabled) => {
      const digits = toDigits(number)
      if (enabled) user.unreadFrom.delete(digits)
      else user.unreadFrom.add(digits)
      saveUser(network, user)
      for (const message of user.inbox.values()) {
        if (enabled && message.from === digits) scheduleReading(network, user, message)
      }
    },
    readsFrom: number => behaviourOf(user) === 'ordinary' && !user.unreadFrom.has(toDigits(number)),
    play: id => markPlayed(network, user, held(id)),
    openMedia: id => openHeldMedia(network, held(id)),
  }
}
