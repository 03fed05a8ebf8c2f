import { onBehalfOf } from '../owner.ts'
import { ownerOf } from '../people.ts'
import { answerCall } from '../phone/calls.ts'
import { greetDevice } from '../phone/own-phone.ts'
import { type BinaryNode, child } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { answerIq } from './iq.ts'
import { sendOfflineBatch } from './offline.ts'
import { acknowledge } from './outbox.ts'
import { takeChatstate, takePresence } from './presence.ts'
import { takeReceipt } from './receipts.ts'
import { relayMessage } from './relay.ts'

/** Handles one stanza of a logged-in device. */
export function receiveStanza(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  onBehalfOf(ownerOf(network, device.digits), () => dispatch(network, device, stanza))
}

function dispatch(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  network.logger?.debug({ number: device.digits, tag: stanza.tag, id: stanza.attrs.id }, 'stanza received')
  network.onReceived?.(device, stanza)
  switch (stanza.tag) {
    case 'iq':
      answerIq(network, device, stanza)
      if (stanza.attrs.xmlns === 'passive') greetDevice(network, device)
      break
    case 'message':
      relayMessage(network, device, stanza)
      break
    case 'receipt':
      takeReceipt(network, device, stanza)
      break
    case 'ack':
      acknowledge(network, device, stanza)
      break
    case 'presence':
      takePresence(network, device, stanza)
      break
    case 'chatstate':
      takeChatstate(network, device, stanza)
      break
    case 'call':
      answerCall(network, device, stanza)
      break
    case 'ib':
      sendOfflineBatch(network, device, Number(child(stanza, 'offline_batch')?.attrs.count))
      break
    default:
      network.logger?.debug({ tag: stanza.tag }, 'unknown stanza')
  }
  network.changed()
}
