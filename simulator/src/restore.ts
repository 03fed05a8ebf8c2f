import { type Entries, entriesUnder } from './journal.ts'
import { companionOf, createCompanion, holderOf } from './phone/companions.ts'
import { addUser, type SavedUser, setLid } from './people.ts'
import { restoreHeld } from './phone/held.ts'
import { restorePhoneKeys } from './phone/keys.ts'
import { scheduleReading } from './phone/reading.ts'
import { keepSent } from './phone/sent.ts'
import { addDevice, type SavedDevice } from './server/linked-device.ts'
import { enqueue } from './server/outbox.ts'
import type { BinaryNode } from './wire/node.ts'
import { type Collection, isCollection } from './world/app-state.ts'
import type { Channel } from './world/channel.ts'
import type { LinkedDevice, PublicPreKey } from './world/device.ts'
import type { Group } from './world/group.ts'
import type { SentMessage } from './world/message.ts'
import type { Network } from './world/network.ts'
import type { User } from './world/person.ts'
import type { KeyHolder, PhoneKeys } from './world/phone-keys.ts'

/** Runs `take` for each saved entry of a user, with the rest of its key after `kind/digits/` and its value. */
function forEachOfUser<T>(
  network: Network,
  entries: Entries,
  kind: string,
  take: (user: User, rest: string, value: T) => void,
) {
  for (const [key, value] of entriesUnder<T>(entries, `${kind}/`)) {
    const slash = key.indexOf('/')
    const user = network.users.get(key.slice(0, slash))
    if (user) take(user, key.slice(slash + 1), value)
  }
}

/** Runs `take` for each saved key of a phone or companion. */
function forEachOfHolder<T>(
  network: Network,
  entries: Entries,
  kind: string,
  take: (holder: KeyHolder, rest: string, value: T) => void,
) {
  for (const [key, value] of entriesUnder<T>(entries, `${kind}/`)) {
    const slash = key.indexOf('/')
    const [digits, id] = key.slice(0, slash).split(':') as [string, string | undefined]
    const user = network.users.get(digits)
    const companion = user && id !== undefined ? companionOf(user, Number(id)) : undefined
    const holder = user && (companion ? holderOf(user, companion) : id === undefined ? user : undefined)
    if (holder) take(holder, key.slice(slash + 1), value)
  }
}

function restoreKeys(network: Network, entries: Entries): void {
  type Value<K extends keyof PhoneKeys> = PhoneKeys[K] extends Map<unknown, infer V> ? V : never
  forEachOfHolder<Value<'preKeys'>>(network, entries, 'prekey', (user, id, pair) =>
    user.keys.preKeys.set(Number(id), pair),
  )
  forEachOfHolder<Value<'sessions'>>(network, entries, 'session', (user, address, sessions) =>
    user.keys.sessions.set(address, sessions),
  )
  forEachOfHolder<Value<'remoteSenderKeys'>>(network, entries, 'senderkey', (user, name, keys) =>
    user.keys.remoteSenderKeys.set(name, keys),
  )
  forEachOfHolder<Value<'ownSenderKeys'>>(network, entries, 'ownkey', (user, chat, key) =>
    user.keys.ownSenderKeys.set(chat, key),
  )
}

function restoreDevices(network: Network, entries: Entries): void {
  forEachOfUser<SavedDevice>(network, entries, 'device', (user, id, saved) => {
    addDevice(user, Number(id), saved.keyIndex, saved).greeted = saved.greeted
  })
  forEachOfUser<PublicPreKey[]>(network, entries, 'prekeys', (user, id, preKeys) => {
    const device = user.devices.get(Number(id))
    if (device) device.preKeys = preKeys
  })
  forEachOfUser<BinaryNode>(network, entries, 'outbox', (user, rest, stanza) => {
    const [id, seq] = rest.split('/') as [string, string]
    const device: LinkedDevice | undefined = user.devices.get(Number(id))
    if (device) enqueue(device.outbox, seq, stanza)
  })
}

function restoreAppState(network: Network, entries: Entries): void {
  forEachOfUser<number>(network, entries, 'appstatekeys', (user, _rest, keys) => (user.appState.keys = keys))
  forEachOfUser<Collection>(network, entries, 'appstate', (user, name, saved) => {
    if (isCollection(name)) user.appState.collections.set(name, withBuffers(saved))
  })
}

/** What is saved comes back with plain byte arrays. */
function withBuffers(saved: Collection): Collection {
  const records = [...saved.records].map(
    ([named, { index, value, keyId }]) =>
      [named, { index: Buffer.from(index), value: Buffer.from(value), keyId: Buffer.from(keyId) }] as const,
  )
  return {
    version: saved.version,
    records: new Map(records),
    patches: saved.patches.map(({ version, bytes }) => ({ version, bytes: Buffer.from(bytes) })),
    hash: Buffer.from(saved.hash),
    mac: Buffer.from(saved.mac),
    keyId: Buffer.from(saved.keyId),
  }
}

/** Restores the saved state and schedules the reading of unread messages. */
export function restore(network: Network, entries: Entries): void {
  for (const [digits, saved] of entriesUnder<SavedUser>(entries, 'user/')) {
    const user = addUser(network, digits, restorePhoneKeys(saved.identity, saved.signedPreKey))
    user.name = saved.name
    user.owner = saved.owner ?? ''
    user.lastDeviceId = saved.lastDeviceId
    user.gone = saved.gone
    user.companions = saved.companions?.map(({ id, isHosted, gone }) => createCompanion(id, isHosted, gone))
    if (saved.lid !== undefined) setLid(network, user, saved.lid)
    for (const [number, name] of saved.names ?? []) user.faces.set(number, { name })
    for (const [number, profile] of saved.profiles ?? []) user.faces.set(number, { ...user.faces.get(number), profile })
    if (saved.profile) user.profile = saved.profile
    for (const [name, value] of saved.privacy ?? []) user.privacy.set(name, value)
    if (saved.statusAudience) user.statusAudience = saved.statusAudience
    for (const number of saved.blocked ?? []) user.blocked.add(number)
    for (const number of saved.unreadFrom ?? []) user.unreadFrom.add(number)
  }
  restoreAppState(network, entries)
  restoreDevices(network, entries)
  restoreKeys(network, entries)
  for (const [jid, group] of entriesUnder<Group>(entries, 'group/')) network.groups.set(jid, group)
  for (const [jid, channel] of entriesUnder<Channel>(entries, 'channel/')) network.channels.set(jid, channel)
  for (const [path, file] of entriesUnder<Uint8Array>(entries, 'media/')) network.media.restore(path, file)
  forEachOfUser<SentMessage>(network, entries, 'sent', (user, _id, sent) => keepSent(network, user, sent))
  forEachOfUser<unknown>(network, entries, 'inbox', (user, seq, saved) =>
    restoreHeld(network, user, `inbox/${user.digits}/${seq}`, saved),
  )
  for (const user of network.users.values()) {
    for (const held of user.inbox.values()) scheduleReading(network, user, held)
  }
}
