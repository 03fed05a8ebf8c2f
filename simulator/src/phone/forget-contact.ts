import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { forgetHeld } from './held.ts'
import { forgetSent } from './sent.ts'

/**
 * Any number that is written to or asked about becomes a contact: where there are too many, the oldest goes of whoever
 * has made the most.
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

function forgetContact(network: Network, user: User): void {
  const { digits, keys } = user
  for (const key of user.inbox.keys()) forgetHeld(network, user, key)
  for (const id of user.sent.keys()) forgetSent(network, user, id)
  const saved = [
    ...[...keys.preKeys.keys()].map(id => `prekey/${digits}/${id}`),
    ...[...keys.sessions.keys()].map(address => `session/${digits}/${address}`),
    ...[...keys.remoteSenderKeys.keys()].map(name => `senderkey/${digits}/${name}`),
    ...[...keys.ownSenderKeys.keys()].map(chat => `ownkey/${digits}/${chat}`),
    `user/${digits}`,
  ]
  for (const key of saved) network.journal.remove(key)
  network.users.delete(digits)
  network.digitsByLid.delete(user.lid)
}
