import { SERVER_JID } from '../jid.ts'
import { node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { transmit } from './outbox.ts'
import { watchConfirmations } from './confirm-timeout.ts'

/** Announces the stanzas that wait for a device after its login; the device then requests them in batches. */
export function announceOffline(network: Network, device: LinkedDevice): void {
  const { outbox } = device
  const waiting = [...outbox.entries.values()]
  outbox.lastSent = ''
  repeatUnconfirmed(network, device)
  if (waiting.length === 0) return finishOffline(network, device)
  const count = (tag: string): string => String(waiting.filter(stanza => stanza.tag === tag).length)
  const preview = node('offline_preview', {
    count: String(waiting.length),
    message: count('message'),
    receipt: count('receipt'),
    notification: count('notification'),
    call: count('call'),
    appdata: count('appdata'),
  })
  transmit(network, device, node('ib', { from: SERVER_JID }, [preview]))
}

/** Sends the stanza over whose missing confirmation the last link was closed, before any other. */
function repeatUnconfirmed(network: Network, device: LinkedDevice): void {
  const { outbox } = device
  const stanza = outbox.entries.get(outbox.unconfirmed ?? '')
  if (outbox.unconfirmed === undefined || stanza === undefined) return
  transmit(network, device, { ...stanza, attrs: { ...stanza.attrs, offline: '0' } })
  outbox.lastSent = outbox.unconfirmed
  watchConfirmations(network, device)
}

/** Sends as many waiting stanzas as requested, marked as offline, and announces the end of the queue. */
export function sendOfflineBatch(network: Network, device: LinkedDevice, count: number): void {
  const { outbox } = device
  if (device.online || !(count > 0)) return
  let left = count
  for (const [seq, stanza] of outbox.entries) {
    if (seq <= outbox.lastSent) continue
    if (left === 0) return watchConfirmations(network, device)
    transmit(network, device, { ...stanza, attrs: { ...stanza.attrs, offline: String(count - left) } })
    outbox.lastSent = seq
    left -= 1
  }
  finishOffline(network, device)
  watchConfirmations(network, device)
}

function finishOffline(network: Network, device: LinkedDevice): void {
  device.online = true
  const count = String(device.outbox.entries.size)
  transmit(network, device, node('ib', { from: SERVER_JID }, [node('offline', { count })]))
}
