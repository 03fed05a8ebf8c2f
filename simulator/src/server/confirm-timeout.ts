import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { unconfirmed } from './stanzas.ts'

/**
 * Closes the link of a device that leaves a stanza unconfirmed for `confirmMs`, naming the stanza. It is the first one
 * after the next login, under the same rule.
 */
export function watchConfirmations(network: Network, device: LinkedDevice): void {
  const { connection, outbox } = device
  if (!connection || outbox.watched === connection || outbox.entries.size === 0) return
  outbox.watched = connection
  const sentBefore = device.online ? outbox.next : Number(outbox.lastSent) + 1
  network.later(network.timing.confirmMs, () => {
    if (outbox.watched === connection) outbox.watched = undefined
    if (device.connection !== connection) return
    const [oldest] = outbox.entries
    if (oldest === undefined || Number(oldest[0]) >= sentBefore) return watchConfirmations(network, device)
    const [seq, stanza] = oldest
    outbox.unconfirmed = seq
    connection.send(unconfirmed(stanza))
    connection.close()
  })
}
