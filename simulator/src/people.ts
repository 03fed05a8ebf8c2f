import { behaviourOfNumber, hasLid, isHidden } from './behaviour.ts'
import { type Addressing, lidJid, lidOf, numberJid, parseJid, SERVER } from './jid.ts'
import { currentOwner } from './owner.ts'
import { makeRoom } from './phone/forget-contact.ts'
import { createPhoneKeys } from './phone/keys.ts'
import type { Companion, Gone } from './world/companion.ts'
import { createAppState } from './world/app-state.ts'
import type { Network } from './world/network.ts'
import type { StatusAudience, User } from './world/person.ts'
import type { PhoneKeys } from './world/phone-keys.ts'
import { EMPTY_PROFILE, type Profile, SHOP_PROFILE } from './world/profile.ts'

/** The saved form of a user. Keys and messages have separate entries. */
export interface SavedUser {
  readonly name: string
  readonly owner?: string
  readonly lastDeviceId: number
  /** Absent while the person has the first one. */
  readonly lid?: string | undefined
  readonly unreadFrom?: readonly string[]
  readonly names?: readonly (readonly [number: string, name: string])[]
  readonly identity: PhoneKeys['local']
  readonly signedPreKey: PhoneKeys['signedPreKey']
  readonly gone?: Gone
  readonly companions?: readonly Pick<Companion, 'id' | 'isHosted' | 'gone'>[]
  readonly profile?: Profile
  readonly profiles?: readonly (readonly [number: string, profile: Profile])[]
  readonly blocked?: readonly string[]
  readonly privacy?: ReadonlyMap<string, string>
  readonly statusAudience?: StatusAudience
}

export function saveUser(network: Network, user: User): void {
  network.journal.put(
    `user/${user.digits}`,
    (): SavedUser => ({
      name: user.name,
      owner: user.owner,
      lastDeviceId: user.lastDeviceId,
      lid: user.lid === lidOf(user.digits) ? undefined : user.lid,
      unreadFrom: [...user.unreadFrom],
      names: [...user.faces].flatMap(([number, { name }]) => (name === undefined ? [] : [[number, name] as const])),
      profiles: [...user.faces].flatMap(([number, { profile }]) => (profile ? [[number, profile] as const] : [])),
      identity: user.keys.local,
      signedPreKey: user.keys.signedPreKey,
      ...(user.gone === undefined ? {} : { gone: user.gone }),
      ...(user.profile === EMPTY_PROFILE ? {} : { profile: user.profile }),
      ...(user.privacy.size === 0 ? {} : { privacy: user.privacy }),
      ...(user.statusAudience.type === 'contacts' ? {} : { statusAudience: user.statusAudience }),
      ...(user.blocked.size === 0 ? {} : { blocked: [...user.blocked] }),
      ...(user.companions === undefined
        ? {}
        : { companions: user.companions.map(({ id, isHosted, gone }) => ({ id, isHosted, gone })) }),
    }),
  )
}

export function addUser(network: Network, digits: string, keys: PhoneKeys): User {
  const user: User = {
    digits,
    lid: lidOf(digits),
    owner: currentOwner(),
    name: '',
    username: undefined,
    keys,
    gone: undefined,
    companions: undefined,
    inbox: new Map(),
    sent: new Map(),
    calls: new Map(),
    devices: new Map(),
    lastDeviceId: 0,
    presence: { online: false },
    profile: behaviourOfNumber(digits) === 'business' ? SHOP_PROFILE : EMPTY_PROFILE,
    privacy: new Map(),
    statusAudience: { type: 'contacts', people: [] },
    blocked: new Set(),
    appState: createAppState(),
    notifications: 0,
    isOff: false,
    faces: new Map(),
    unreadFrom: new Set(),
    typingSeen: new Map(),
    askedFor: new Set(),
    watchedBy: new Set(),
    trusts: new Map(),
    notifiedOfMove: new Set(),
  }
  network.users.set(digits, user)
  network.digitsByLid.set(user.lid, digits)
  return user
}

/** Gives a person another hidden identifier; a number that writes to the old one is notified once. */
export function moveLid(network: Network, user: User): void {
  setLid(network, user, lidOf(user.lid))
  user.notifiedOfMove.clear()
  saveUser(network, user)
}

export function setLid(network: Network, user: User, lid: string): void {
  user.lid = lid
  network.digitsByLid.set(lid, user.digits)
}

/** The person with this number; created at the first call. */
export function userOf(network: Network, digits: string): User {
  const known = network.users.get(digits)
  if (known) return known
  const user = addUser(network, digits, createPhoneKeys())
  saveUser(network, user)
  makeRoom(network, user)
  return user
}

/** The owner of a number: an account, or the number itself while no account claims it. */
export function ownerOf(network: Network, digits: string): string {
  return network.users.get(digits)?.owner || digits
}

/** How a stanza names a person, or one of the person's devices. */
export function nameOf(user: User, addressing: Addressing, device = 0): string {
  return addressing === 'lid' ? lidJid(user.lid, device) : numberJid(user.digits, device)
}

/** The person under the other addressing, if the platform reveals it. */
export function otherNameOf(user: User, addressing: Addressing): string | undefined {
  if (addressing === 'lid') return isHidden(user) ? undefined : nameOf(user, 'pn')
  return hasLid(user) ? nameOf(user, 'lid') : undefined
}

const NUMBERED: ReadonlySet<string> = new Set([SERVER, 'c.us', 'hosted'])
const HIDDEN: ReadonlySet<string> = new Set(['lid', 'hosted.lid'])

/** The person a JID names. A hidden identifier that was never given out names no one. */
export function userByJid(network: Network, jid: string | undefined): User | undefined {
  const parsed = parseJid(jid)
  if (!parsed || !/^\d+$/.test(parsed.user)) return undefined
  if (NUMBERED.has(parsed.server)) return userOf(network, parsed.user)
  const digits = HIDDEN.has(parsed.server) ? network.digitsByLid.get(parsed.user) : undefined
  return digits === undefined ? undefined : userOf(network, digits)
}
