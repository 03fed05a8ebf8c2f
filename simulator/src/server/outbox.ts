import { userByJid } from '../people.ts'
import { type BinaryNode, child, children } from '../wire/node.ts'
import type { LinkedDevice, Outbox } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { confirms } from './confirmation.ts'
import { watchConfirmations } from './confirm-timeout.ts'

export function createOutbox(): Outbox {
  return { entries: new Map(), byId: new Map(), next: 1, lastSent: '', unconfirmed: undefined, watched: undefined }
}

function storageKey(device: LinkedDevice, seq: string): string {
  return `outbox/${device.digits}/${device.device}/${seq}`
}

/** Adds an entry to the queue without sending it. */
export function enqueue(outbox: Outbox, seq: string, stanza: BinaryNode): void {
  outbox.entries.set(seq, stanza)
  const id = stanza.attrs.id ?? ''
  const known = outbox.byId.get(id)
  if (known) known.push(seq)
  else outbox.byId.set(id, [seq])
  outbox.next = Math.max(outbox.next, Number(seq) + 1)
}

/** Sends a stanza to a device, and again after each reconnect until the device acknowledges it. */
export function push(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  for (const next of network.faults.inOrder(device.digits, stanza)) pushNow(network, device, next)
}

function pushNow(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const seq = String(device.outbox.next).padStart(12, '0')
  enqueue(device.outbox, seq, stanza)
  network.journal.put(storageKey(device, seq), () => stanza)
  if (!device.online) return
  transmit(network, device, stanza)
  watchConfirmations(network, device)
}

/** Sends a stanza once, if the device is connected. */
export function transmit(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const { connection } = device
  if (!connection) return
  const copies = network.faults.takeCopies(device.digits, stanza)
  network.journal.afterCommit(() => {
    for (let copy = 0; copy < copies; copy += 1) {
      connection.send(stanza)
      if (network.faults.cutsAfter(device.digits, stanza)) return connection.cut()
    }
  })
}

/** Removes the stanzas that an `<ack>` or `<receipt>` of the device confirms, and returns them. */
export function acknowledge(network: Network, device: LinkedDevice, answer: BinaryNode): BinaryNode[] {
  if (answer.tag === 'receipt' && network.faults.onlyAcks.has(device.digits)) return []
  const ids = [answer.attrs.id ?? '', ...children(child(answer, 'list'), 'item').map(item => item.attrs.id ?? '')]
  return ids.flatMap(id => acknowledgeOne(network, device, answer, id) ?? [])
}

/** A response confirms only the oldest stanza with its id: a copy sent again needs a separate confirmation. */
function acknowledgeOne(
  network: Network,
  device: LinkedDevice,
  answer: BinaryNode,
  id: string,
): BinaryNode | undefined {
  for (const seq of device.outbox.byId.get(id) ?? []) {
    const stanza = device.outbox.entries.get(seq)
    if (!stanza || !confirms(stanza, answer, jid => userByJid(network, jid)?.digits === device.digits)) continue
    remove(network, device, seq, id)
    return stanza
  }
  return undefined
}

function remove(network: Network, device: LinkedDevice, seq: string, id: string): void {
  device.outbox.entries.delete(seq)
  const rest = (device.outbox.byId.get(id) ?? []).filter(other => other !== seq)
  if (rest.length === 0) device.outbox.byId.delete(id)
  else device.outbox.byId.set(id, rest)
  network.journal.remove(storageKey(device, seq))
}

export function clearOutbox(network: Network, device: LinkedDevice): void {
  for (const seq of device.outbox.entries.keys()) network.journal.remove(storageKey(device, seq))
  device.outbox.entries.clear()
  device.outbox.byId.clear()
}
