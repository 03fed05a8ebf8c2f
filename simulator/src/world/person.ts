import type { AppState } from './app-state.ts'
import type { Companion, Gone } from './companion.ts'
import type { LinkedDevice } from './device.ts'
import type { CallRecord, HeldMessage, SentMessage } from './message.ts'
import type { PhoneKeys } from './phone-keys.ts'
import type { Profile } from './profile.ts'

export interface Presence {
  readonly online: boolean
  /** Unix seconds, or hidden by the contact's privacy settings. */
  readonly lastSeen?: number | 'hidden'
}

export type TypingState = 'composing' | 'recording' | 'paused'

/** What a person shows only to one number. Owners share the network's contacts, but not these. */
export interface Face {
  readonly name?: string
  readonly presence?: Presence
  readonly profile?: Profile
}

/** `blacklist`: all contacts but these people; `whitelist`: only these. */
export interface StatusAudience {
  readonly type: 'contacts' | 'blacklist' | 'whitelist'
  /** Digits. */
  readonly people: readonly string[]
}

/** A person on the platform: a phone, and the devices linked to it. */
export interface User {
  readonly digits: string
  lid: string
  /** The owner of the number, or the one that first wrote to the contact. */
  owner: string
  name: string
  /** The public name by which others can find the person, if there is one. */
  username: string | undefined
  keys: PhoneKeys
  /** How the server reports the phone if it is removed. */
  gone: Gone | undefined
  /** Absent while the contact has only the default one. */
  companions: Companion[] | undefined
  readonly inbox: Map<string, HeldMessage>
  readonly sent: Map<string, SentMessage>
  readonly calls: Map<string, CallRecord>
  readonly devices: Map<number, LinkedDevice>
  lastDeviceId: number
  presence: Presence
  profile: Profile
  /** Values of the settings that the owner has changed, by the platform's names. */
  readonly privacy: Map<string, string>
  /** Who sees status posts, unless a post says so itself. */
  statusAudience: StatusAudience
  /** Digits of the people from whom this number receives nothing. */
  readonly blocked: Set<string>
  /** The settings that the phone shares with its devices. */
  readonly appState: AppState
  /** How many messages the phone was notified of. */
  notifications: number
  /** Whether the phone is off, so that only linked devices receive messages. */
  isOff: boolean
  /** By the digits of the number. */
  readonly faces: Map<string, Face>
  /** Numbers whose messages this person receives but does not read. */
  readonly unreadFrom: Set<string>
  /** The typing states of numbers that the phone shows, by their digits. */
  readonly typingSeen: Map<string, TypingState>
  /** Ids of withheld messages that devices of this phone have requested from it. */
  readonly askedFor: Set<string>
  /** When this person last issued a token to a number, in Unix seconds, by its digits. */
  readonly trusts: Map<string, number>
  /** Numbers that were notified that this person's hidden identifier has changed. */
  readonly notifiedOfMove: Set<string>
  /** Devices that have queried this person's devices; the server notifies them of changes. */
  readonly watchedBy: Set<LinkedDevice>
}
