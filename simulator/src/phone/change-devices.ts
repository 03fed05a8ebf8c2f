import { saveUser } from '../people.ts'
import { Refused } from '../refused.ts'
import { announceDevice, announceIdentity } from '../server/announce-device.ts'
import type { Gone } from '../world/companion.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { companionOf, companionsOf, createCompanion } from './companions.ts'
import { forgetKeys } from './forget-contact.ts'
import { createPhoneKeys } from './keys.ts'

const HOSTED = 99

/** The owner has a new phone with other keys and no linked device; its sessions with others are lost. */
export function changePhone(network: Network, user: User): void {
  forgetKeys(network, user)
  user.keys = createPhoneKeys()
  user.gone = undefined
  user.companions = []
  saveUser(network, user)
  announceIdentity(network, user)
}

/** Links one more device to a phone; returns its device id. */
export function linkCompanion(network: Network, user: User, isHosted: boolean, isAnnounced = true): number {
  const known = [...companionsOf(user)]
  const id = isHosted ? HOSTED : Math.max(user.lastDeviceId, ...known.map(one => (one.isHosted ? 0 : one.id))) + 1
  if (known.some(companion => companion.id === id)) throw new Refused('the device is linked')
  // The platform lists a hosted device before others that were linked earlier.
  user.companions = isHosted ? [createCompanion(id, true), ...known] : [...known, createCompanion(id)]
  if (!isHosted) user.lastDeviceId = id
  saveUser(network, user)
  if (isAnnounced) announceDevice(network, user, { id, keyIndex: id }, 'add')
  return id
}

/** Marks a device as removed though still listed, or as present; 0 is the phone itself. */
export function changeGone(network: Network, user: User, id: number, gone: Gone | undefined): void {
  const companion = id === 0 ? undefined : companionOf(user, id)
  if (id !== 0 && !companion) throw new Refused('there is no such device')
  if (companion) companion.gone = gone
  else user.gone = gone
  saveUser(network, user)
}
