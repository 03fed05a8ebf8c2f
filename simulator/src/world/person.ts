import type { Companion, Gone } from './companion.ts'
import type { LinkedDevice } from './device.ts'
import type { CallRecord, HeldMessage, SentMessage } from './message.ts'
import type { PhoneKeys } from './phone-keys.ts'

export interface Presence {
  readonly online: boolean
  /** Unix seconds, or hidden by the contact's privacy settings. */
  readonly lastSeen?: number | 'hidden'
}

export type TypingState = 'composing' | 'recording' | 'paused'

/** What a person shows to one number alone, instead of to all. Owners share the network's contacts, not these. */
export interface Face {
  readonly name?: string
  readonly presence?: Presence
}

/** A person on the platform: a phone, and the devices linked to it. */
export interface User {
  readonly digits: string
  lid: string
  /** Who has the number, or first wrote to the contact. */
  owner: string
  name: string
  keys: PhoneKeys
  /** How the phone shows where it is listed and gone. */
  gone: Gone | undefined
  /** Absent while it is only the one that every contact has. */
  companions: Companion[] | undefined
  readonly inbox: Map<string, HeldMessage>
  readonly sent: Map<string, SentMessage>
  readonly calls: Map<string, CallRecord>
  readonly devices: Map<number, LinkedDevice>
  lastDeviceId: number
  presence: Presence
  /** What the person shows to single numbers, by their digits. */
  readonly faces: Map<string, Face>
  /** Numbers whose messages this person receives but does not read. */
  readonly unreadFrom: Set<string>
  /** What the phone shows of numbers that write to it, by their digits. */
  readonly typingSeen: Map<string, TypingState>
  /** Ids of messages that devices of this phone have asked it for, since they got a stub. */
  readonly askedFor: Set<string>
  /** When this person last let a number write, in Unix seconds, by its digits. */
  readonly trusts: Map<string, number>
  /** Numbers that were told that the hidden identifier they write to is not this person's any more. */
  readonly toldOfMove: Set<string>
  /** Devices that have asked for this person's devices, and are told when they change. */
  readonly watchedBy: Set<LinkedDevice>
}
