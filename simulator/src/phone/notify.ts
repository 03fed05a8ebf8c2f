import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { tick } from './sent.ts'

/**
 * Notifies the phones of linked numbers of a message, which they confirm. A phone that is off is not reached. The
 * platform notifies no phone with a device that is connected and has not said that it is not in use.
 */
export function notifyPhones(network: Network, author: User, recipients: readonly User[], id: string): void {
  for (const user of recipients) {
    const devices = [...user.devices.values()]
    const isSilent = devices.some(({ online, available }) => online && available !== false)
    if (user === author || devices.length === 0 || user.isOff || isSilent) continue
    user.notifications += 1
    tick(network, author, id, user.digits, 'delivered')
  }
}

/** Whether the owner uses a linked device now. */
export const isInUse = (user: User): boolean =>
  [...user.devices.values()].some(({ online, available }) => online && available === true)
