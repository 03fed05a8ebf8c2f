import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { KeyHolder } from '../world/phone-keys.ts'
import { holderOf } from './companions.ts'
import { forgetHeld } from './held.ts'
import { forgetSent } from './sent.ts'

/**
 * Every number that is written to or queried becomes a contact. Above the limit, the owner with the most contacts
 * loses its oldest.
 */
export function makeRoom(network: Network, newest: User): void {
  if (network.users.size <= network.maxContacts) return
  const oldest = new Map<string, User>()
  const counts = new Map<string, number>()
  for (const user of network.users.values()) {
    if (user.devices.size > 0 || user === newest) continue
    if (!oldest.has(user.owner)) oldest.set(user.owner, user)
    counts.set(user.owner, (counts.get(user.owner) ?? 0) + 1)
  }
  if (counts.size === 0) return
  const [owner] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))
  forgetContact(network, oldest.get(owner)!)
}

/** The journal entries with the keys of a phone or companion. */
function savedKeysOf({ digits, keys }: KeyHolder): string[] {
  return [
    ...[...keys.preKeys.keys()].map(id => `prekey/${digits}/${id}`),
    ...[...keys.sessions.keys()].map(address => `session/${digits}/${address}`),
    ...[...keys.remoteSenderKeys.keys()].map(name => `senderkey/${digits}/${name}`),
    ...[...keys.ownSenderKeys.keys()].map(chat => `ownkey/${digits}/${chat}`),
  ]
}

/** Deletes the saved keys and sessions of all devices of a person. */
export function forgetKeys(network: Network, user: User): void {
  const companions = (user.companions ?? []).map(companion => holderOf(user, companion))
  for (const key of [user, ...companions].flatMap(savedKeysOf)) network.journal.remove(key)
}

function forgetContact(network: Network, user: User): void {
  const { digits } = user
  for (const key of user.inbox.keys()) forgetHeld(network, user, key)
  for (const id of user.sent.keys()) forgetSent(network, user, id)
  forgetKeys(network, user)
  network.journal.remove(`user/${digits}`)
  network.users.delete(digits)
  network.digitsByLid.delete(user.lid)
}
