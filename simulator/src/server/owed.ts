import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { unconfirmed } from './stanzas.ts'

/**
 * Ends the link of a device that leaves a stanza unconfirmed for too long, and says which one; it comes again first at
 * the next login, where the same holds.
 */
export function watchConfirmations(network: Network, device: LinkedDevice): void {
  const { connection, outbox } = device
  if (!connection || outbox.watched === connection || outbox.entries.size === 0) return
  outbox.watched = connection
  const sentBefore = device.online ? outbox.next : Number(outbox.handedOut) + 1
  network.later(network.timing.confirmMs, () => {
    if (outbox.watched === connection) outbox.watched = undefined
    if (device.connection !== connection) return
    const [oldest] = outbox.entries
    if (oldest === undefined || Number(oldest[0]) >= sentBefore) return watchConfirmations(network, device)
    const [seq, stanza] = oldest
    outbox.owed = seq
    connection.send(unconfirmed(stanza))
    connection.close()
  })
}
