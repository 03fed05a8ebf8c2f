import type { Addressing } from '../jid.ts'
import { toDigits, isGroupJid, lidJid, numberJid } from '../jid.ts'
import type { Network, Presence, User } from '../network.ts'
import { saveUser, userOf } from '../network.ts'
import { Refused } from '../refused.ts'
import { presenceTo, showFace } from '../server/face.ts'
import { changePresence, showTyping, typingSeenBy } from '../server/presence.ts'
import type { TypingState } from '../server/stanzas.ts'
import type { CallRecord } from './calls.ts'
import { endCall, startCall } from './calls.ts'
import { chatOf } from './destination.ts'
import type { Holding } from './holding.ts'
import { holdingOf } from './holding.ts'
import { sendHistory } from './own-phone.ts'
import type { Writing } from './writing.ts'
import { writingOf } from './writing.ts'

export type { SendOptions, Sent, VoteOptions } from './writing.ts'

export interface CallOptions {
  readonly video?: boolean
  /** Whether the call names the caller by hidden identifier (default) or by number. */
  readonly addressing?: Addressing
  /** The call id; made up when absent. */
  readonly id?: string
}

export interface HangUpOptions {
  /** Such as `timeout`; none when absent. */
  readonly reason?: string
  readonly addressing?: Addressing
}

interface Calling {
  /** Calls a number: its devices ring. */
  call(number: string, options?: CallOptions): Promise<CallRecord>
  hangUp(callId: string, options?: HangUpOptions): Promise<void>
  calls(): CallRecord[]
}

interface Showing {
  /** The phone of a linked number sends its history to its devices, as it does after linking. */
  sendHistory(): void
  /** Goes online or offline, for everybody or for one number; told to devices that subscribed and are available. */
  presence(state: Presence, to?: string): void
  isOnline(to: string): boolean
  /** The name that one number alone is shown. */
  nameTo(number: string, name: string): void
  /** Shows that the owner types or records; with a group as target, to all its linked members. */
  typing(target: string, state: TypingState): void
  /** What the phone shows of a number that writes to it. */
  typingFrom(number: string): TypingState
}

/** Somebody's phone. Numbers are digits or JIDs; a `target` may also be a group, `status@broadcast` or a list. */
export interface Phone extends Writing, Holding, Calling, Showing {
  readonly digits: string
  readonly jid: string
  readonly lid: string
  /** The name that the phone shows to others. */
  name: string
}

function callingOf(network: Network, user: User): Calling {
  return {
    call: async (number, { id, video = false, addressing = 'lid' } = {}) => {
      const to = userOf(network, toDigits(number))
      const record = startCall(network, user, to, { video, addressing, ...(id === undefined ? {} : { id }) })
      await network.journal.settled()
      return record
    },
    hangUp: async (callId, { reason, addressing = 'lid' } = {}) => {
      const record = user.calls.get(callId)
      if (!record) throw new Refused('there is no such call')
      const to = userOf(network, record.to)
      endCall(network, user, to, callId, { addressing, ...(reason === undefined ? {} : { reason }) })
      await network.journal.settled()
    },
    calls: () => [...user.calls.values()],
  }
}

function showingOf(network: Network, user: User): Showing {
  return {
    sendHistory: () => {
      for (const device of user.devices.values()) sendHistory(network, user, device)
    },
    presence: (state, to) => changePresence(network, user, state, to && toDigits(to)),
    isOnline: to => presenceTo(user, toDigits(to)).online,
    nameTo: (number, name) => showFace(network, user, toDigits(number), { name }),
    typing: (target, state) => {
      const { to } = chatOf(network, user, target, {})
      const members = to.kind === 'person' ? [to.peer] : to.members
      const group = isGroupJid(target) ? target : undefined
      for (const member of members) if (member !== user) showTyping(network, user, member, group, state)
    },
    typingFrom: number => typingSeenBy(user, toDigits(number)),
  }
}

export function phoneOf(network: Network, user: User): Phone {
  return {
    digits: user.digits,
    jid: numberJid(user.digits),
    lid: lidJid(user.lid),
    get name() {
      return user.name
    },
    set name(name) {
      user.name = name
      saveUser(network, user)
    },
    ...writingOf(network, user),
    ...holdingOf(network, user),
    ...callingOf(network, user),
    ...showingOf(network, user),
  }
}
