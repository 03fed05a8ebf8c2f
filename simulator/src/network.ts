import type { Addressing } from './jid.ts'
import { lidJid, lidOf, parseJid, numberJid, SERVER } from './jid.ts'
import type { Journal } from './journal.ts'
import type { MediaStore } from './media/media-store.ts'
import type { CallRecord } from './phone/calls.ts'
import type { HeldMessage } from './phone/inbox.ts'
import { currentOwner } from './on-behalf.ts'
import type { PhoneKeys } from './phone/keys.ts'
import { createPhoneKeys } from './phone/keys.ts'
import type { SentMessage } from './phone/outgoing.ts'
import { makeRoom } from './phone/forget-contact.ts'
import type { Channel } from './server/channel.ts'
import type { Face } from './server/face.ts'
import type { Faults } from './server/fault-plan.ts'
import type { Group } from './server/group.ts'
import type { LinkedDevice } from './server/linked-device.ts'
import type { Pairing } from './server/pairing.ts'
import type { Shelf } from './shelf.ts'
import type { ServerKeys } from './wire/certificate.ts'

/** Waits of the simulated world, in milliseconds. */
export interface Timing {
  /** From a message's arrival at the server to its ack. */
  readonly ackDelayMs: number
  /** From the ack to the receipt of the contact's device. */
  readonly deliverDelayMs: number
  /** From delivery to reading. */
  readonly readDelayMs: number
  /** How long a device is sent a channel's live updates after it has asked for them. */
  readonly liveUpdatesMs: number
}

/** A line for whoever watches. Never carries content or keys. */
export interface SimulatorLogger {
  debug(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
}

export interface Presence {
  readonly online: boolean
  /** Unix seconds, or hidden by the contact's privacy settings. */
  readonly lastSeen?: number | 'hidden'
}

/** A person on the platform: a phone, and the devices linked to it. */
export interface User {
  readonly digits: string
  readonly lid: string
  /** The account that has the number, or that first wrote to the contact. */
  owner: string
  name: string
  readonly keys: PhoneKeys
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
  /** Devices that have asked for this person's devices, and are told when they change. */
  readonly watchedBy: Set<LinkedDevice>
}

/** Everything the simulated server knows. */
export interface Network {
  readonly keys: ServerKeys
  readonly users: Map<string, User>
  readonly digitsByLid: Map<string, string>
  readonly groups: Map<string, Group>
  readonly channels: Map<string, Channel>
  readonly pairings: Set<Pairing>
  readonly journal: Journal
  readonly faults: Faults
  readonly media: MediaStore
  readonly timing: Timing
  readonly logger: SimulatorLogger | undefined
  /** How many messages a phone holds before the oldest is forgotten. */
  readonly heldMessages: number
  /** What all phones hold together. */
  readonly shelf: Shelf
  /** How many people there are before the oldest without a linked device is forgotten. */
  readonly maxContacts: number
  /** Whether a phone sends its history to a newly linked device. */
  readonly historySync: boolean
  /** Tells whoever waits for something that something has changed. */
  readonly changed: () => void
  /** Runs later, unless the simulator is closed before. Without a delay it runs at once. */
  later(delayMs: number, task: () => void): void
}

export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** What is saved of a user beside the keys and messages, which are saved one by one. */
export interface SavedUser {
  readonly name: string
  readonly owner?: string
  readonly lastDeviceId: number
  readonly unreadFrom?: readonly string[]
  readonly names?: readonly (readonly [number: string, name: string])[]
  readonly identity: PhoneKeys['local']
  readonly signedPreKey: PhoneKeys['signedPreKey']
}

export function saveUser(network: Network, user: User): void {
  network.journal.put(
    `user/${user.digits}`,
    (): SavedUser => ({
      name: user.name,
      owner: user.owner,
      lastDeviceId: user.lastDeviceId,
      unreadFrom: [...user.unreadFrom],
      names: [...user.faces].flatMap(([number, { name }]) => (name === undefined ? [] : [[number, name] as const])),
      identity: user.keys.local,
      signedPreKey: user.keys.signedPreKey,
    }),
  )
}

export function addUser(network: Network, digits: string, keys: PhoneKeys): User {
  const user: User = {
    digits,
    lid: lidOf(digits),
    owner: currentOwner(),
    name: '',
    keys,
    inbox: new Map(),
    sent: new Map(),
    calls: new Map(),
    devices: new Map(),
    lastDeviceId: 0,
    presence: { online: false },
    faces: new Map(),
    unreadFrom: new Set(),
    watchedBy: new Set(),
  }
  network.users.set(digits, user)
  network.digitsByLid.set(user.lid, digits)
  return user
}

/** The person with this number; every number has one, made when first asked for. */
export function userOf(network: Network, digits: string): User {
  const known = network.users.get(digits)
  if (known) return known
  const user = addUser(network, digits, createPhoneKeys())
  saveUser(network, user)
  makeRoom(network, user)
  return user
}

/** Who answers for what a number does: its account, or itself where nobody claims it. */
export function ownerOf(network: Network, digits: string): string {
  return network.users.get(digits)?.owner || digits
}

/** How a stanza names a person, or one of the person's devices. */
export function nameOf(user: User, addressing: Addressing, device = 0): string {
  return addressing === 'lid' ? lidJid(user.lid, device) : numberJid(user.digits, device)
}

/** The person a JID names. A hidden identifier that was never given out names nobody. */
export function userByJid(network: Network, jid: string | undefined): User | undefined {
  const parsed = parseJid(jid)
  if (!parsed || !/^\d+$/.test(parsed.user)) return undefined
  if (parsed.server === SERVER || parsed.server === 'c.us') return userOf(network, parsed.user)
  const digits = parsed.server === 'lid' ? network.digitsByLid.get(parsed.user) : undefined
  return digits === undefined ? undefined : userOf(network, digits)
}
