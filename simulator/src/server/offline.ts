import { SERVER_JID } from '../jid.ts'
import { node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { transmit } from './outbox.ts'
import { watchConfirmations } from './owed.ts'

/** Tells a device that has come back what waits for it; it asks for that in batches, or is told that nothing waits. */
export function announceOffline(network: Network, device: LinkedDevice): void {
  const { outbox } = device
  const waiting = [...outbox.entries.values()]
  outbox.handedOut = ''
  repeatOwed(network, device)
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

/** Whoever lost a link over a stanza gets that one before anything else. */
function repeatOwed(network: Network, device: LinkedDevice): void {
  const { outbox } = device
  const stanza = outbox.entries.get(outbox.owed ?? '')
  if (outbox.owed === undefined || stanza === undefined) return
  transmit(network, device, { ...stanza, attrs: { ...stanza.attrs, offline: '0' } })
  outbox.handedOut = outbox.owed
  watchConfirmations(network, device)
}

/** Sends as much of what waits as was asked for, marked as offline; says so when there is no more. */
export function handOut(network: Network, device: LinkedDevice, asked: number): void {
  const { outbox } = device
  if (device.online || !(asked > 0)) return
  let left = asked
  for (const [seq, stanza] of outbox.entries) {
    if (seq <= outbox.handedOut) continue
    if (left === 0) return watchConfirmations(network, device)
    transmit(network, device, { ...stanza, attrs: { ...stanza.attrs, offline: String(asked - left) } })
    outbox.handedOut = seq
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
