import type { Network, User } from '../network.ts'
import { forgetHeld } from './inbox.ts'
import { forgetSent } from './outgoing.ts'

/** Any number that is written to or asked about becomes a contact: where there are too many, the oldest goes. */
export function makeRoom(network: Network, newest: User): void {
  if (network.users.size <= network.maxContacts) return
  for (const user of network.users.values()) {
    if (user.devices.size > 0 || user === newest) continue
    forgetContact(network, user)
    return
  }
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
