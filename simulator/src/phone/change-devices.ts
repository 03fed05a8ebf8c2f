import { saveUser } from '../people.ts'
import { Refused } from '../refused.ts'
import { announceDevice, announceIdentity } from '../server/device-news.ts'
import type { Gone } from '../world/companion.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { companionOf, companionsOf, createCompanion } from './companions.ts'
import { forgetKeys } from './forget-contact.ts'
import { createPhoneKeys } from './keys.ts'

const HOSTED = 99

/** The owner has a new phone: other keys, and nothing linked to it yet. What had been agreed with the old one is gone. */
export function changePhone(network: Network, user: User): void {
  forgetKeys(network, user)
  user.keys = createPhoneKeys()
  user.gone = undefined
  user.companions = []
  saveUser(network, user)
  announceIdentity(network, user)
}

/** Links one more device to a phone; answers its number. */
export function linkCompanion(network: Network, user: User, isHosted: boolean): number {
  const known = [...companionsOf(user)]
  const id = isHosted ? HOSTED : Math.max(user.lastDeviceId, ...known.map(one => (one.isHosted ? 0 : one.id))) + 1
  if (known.some(companion => companion.id === id)) throw new Refused('the device is linked')
  // As the platform lists them: a hosted one before others that were linked earlier.
  user.companions = isHosted ? [createCompanion(id, true), ...known] : [...known, createCompanion(id)]
  if (!isHosted) user.lastDeviceId = id
  saveUser(network, user)
  announceDevice(network, user, { id, keyIndex: id }, 'add')
  return id
}

/** A device is gone and still listed, or is there again: the phone itself is 0. */
export function changeGone(network: Network, user: User, id: number, gone: Gone | undefined): void {
  const companion = id === 0 ? undefined : companionOf(user, id)
  if (id !== 0 && !companion) throw new Refused('there is no such device')
  if (companion) companion.gone = gone
  else user.gone = gone
  saveUser(network, user)
}
