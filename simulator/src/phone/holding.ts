import { proto } from 'baileys'
import { toDigits } from '../jid.ts'
import { saveUser } from '../people.ts'
import { Refused } from '../refused.ts'
import type { HeldMessage, SentMessage, Tick } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { openOwnEdit } from './edit.ts'
import { scheduleReading } from './reading.ts'

/** A message that the phone has sent. */
export interface SentView {
  readonly id: string
  readonly chat: string
  readonly timestamp: number
  /** When it was sent, in Unix milliseconds. */
  readonly atMs: number
  readonly message: proto.IMessage
  /** The last receipt of each recipient, by digits. */
  readonly ticks: ReadonlyMap<string, Tick>
}

/** Whether a message is in the chat, given as digits, as a number or as a JID. */
export function isIn(message: { readonly chat: string }, chat: string | undefined): boolean {
  return chat === undefined || message.chat === chat || message.chat === toDigits(chat)
}

export function findHeld(user: User, id: string): HeldMessage | undefined {
  return [...user.inbox.values()].findLast(held => held.id === id)
}

export function requireHeld(user: User, id: string): HeldMessage {
  const found = findHeld(user, id)
  if (!found) throw new Refused('the phone does not hold this message')
  return found
}

export function sentView(user: User, { id, chat, timestamp, atMs, ticks, content }: SentMessage): SentView {
  return {
    id,
    chat,
    timestamp,
    atMs,
    ticks,
    // Lazy: most callers do not need the message.
    get message() {
      return openOwnEdit(user, proto.Message.decode(content))
    },
  }
}

/** Decides whether the phone's owner reads what the number writes; turning it on also reads earlier messages. */
export function changeReading(network: Network, user: User, digits: string, reads: boolean): void {
  if (reads) user.unreadFrom.delete(digits)
  else user.unreadFrom.add(digits)
  saveUser(network, user)
  if (!reads) return
  for (const held of user.inbox.values()) if (held.from === digits) scheduleReading(network, user, held)
}
