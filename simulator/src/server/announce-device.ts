import { nowText } from '../clock.ts'
import { isHidden } from '../behaviour.ts'
import { lidJid, numberJid } from '../jid.ts'
import { currentOwner } from '../owner.ts'
import { ownerOf } from '../people.ts'
import { companionsListed, deviceName } from '../phone/companions.ts'
import { node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { push } from './outbox.ts'
import { accountDevices, deviceChange, stanzaId } from './stanzas.ts'

/** Devices that have queried a person's devices and are still linked, except the person's own. */
export function watchersOf(network: Network, user: User): LinkedDevice[] {
  for (const watcher of user.watchedBy) {
    const isLinked = network.users.get(watcher.digits)?.devices.get(watcher.device) === watcher
    if (!isLinked) user.watchedBy.delete(watcher)
  }
  return [...user.watchedBy].filter(({ digits }) => digits !== user.digits)
}

/** How notifications name a person: also by number, unless it is hidden. */
export function namesOf(user: User): { readonly from: string; readonly lid: string } {
  const lid = lidJid(user.lid)
  return { from: isHidden(user) ? lid : numberJid(user.digits), lid }
}

/** Notifies the devices that watch a person's devices, and the person's own, that one was added or removed. */
export function announceDevice(
  network: Network,
  user: User,
  { id, keyIndex }: { readonly id: number; readonly keyIndex: number },
  action: 'add' | 'remove',
): void {
  const names = isHidden(user)
    ? [deviceName(user, 'lid', id)]
    : [deviceName(user, 'pn', id), deviceName(user, 'lid', id)]
  const head = { t: nowText(network), ...namesOf(user), names }
  for (const watcher of watchersOf(network, user)) {
    push(network, watcher, deviceChange({ ...head, id: stanzaId(network) }, action, keyIndex))
  }
  const listed = [0, ...companionsListed(user).map(companion => companion.id), ...user.devices.keys()]
  for (const own of user.devices.values()) {
    if (own.device === id) continue
    const about = { id: stanzaId(network), t: head.t, from: head.from }
    push(
      network,
      own,
      accountDevices(
        about,
        listed.map(each => numberJid(user.digits, each)),
      ),
    )
  }
}

/** The limit of stanzas that wait for one device. */
const MAX_WAITING = 10_000

/**
 * Notifies the devices that watch a person's devices that the phone has changed. All owners share the contacts: if an
 * owner caused the change, other owners' numbers notice it only when they write.
 */
export function announceIdentity(network: Network, user: User): void {
  const owner = currentOwner()
  for (const watcher of watchersOf(network, user)) {
    if (owner !== '' && ownerOf(network, watcher.digits) !== owner) continue
    if (watcher.outbox.entries.size >= MAX_WAITING) continue
    const attributes = { ...namesOf(user), type: 'encrypt' }
    const times = { id: stanzaId(network), t: nowText(network) }
    push(network, watcher, node('notification', { ...attributes, ...times }, [node('identity')]))
  }
}
