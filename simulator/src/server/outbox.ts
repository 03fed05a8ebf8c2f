import { SERVER_JID, STATUS } from '../jid.ts'
import { type BinaryNode, child, children, node } from '../wire/node.ts'
import type { LinkedDevice, Outbox } from '../world/device.ts'
import type { Network } from '../world/network.ts'

export function createOutbox(): Outbox {
  return { entries: new Map(), byId: new Map(), next: 1 }
}

function storageKey(device: LinkedDevice, seq: string): string {
  return `outbox/${device.digits}/${device.device}/${seq}`
}

/** Puts an entry in the queue without sending it. */
export function enqueue(outbox: Outbox, seq: string, stanza: BinaryNode): void {
  outbox.entries.set(seq, stanza)
  const id = stanza.attrs.id ?? ''
  const known = outbox.byId.get(id)
  if (known) known.push(seq)
  else outbox.byId.set(id, [seq])
  outbox.next = Math.max(outbox.next, Number(seq) + 1)
}

/** Sends a stanza to a device, again and again over reconnects, until the device acknowledges it. */
export function push(network: Network, device: LinkedDevice, stanza: BinaryNode): void {
  const seq = String(device.outbox.next).padStart(12, '0')
  enqueue(device.outbox, seq, stanza)
  network.journal.put(storageKey(device, seq), () => stanza)
  if (device.online) transmit(network, device, stanza)
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

function matches(stanza: BinaryNode, answer: BinaryNode): boolean {
  const type = answer.tag === 'ack' ? answer.attrs.class : 'message'
  if (stanza.tag !== type) return false
  // A status that is refused stays where it is.
  if (answer.attrs.error !== undefined && stanza.attrs.from === STATUS) return false
  if (stanza.tag === 'message') return true
  return (
    stanza.attrs.from === answer.attrs.to &&
    stanza.attrs.participant === answer.attrs.participant &&
    stanza.attrs.type === answer.attrs.type
  )
}

/**
 * Where a receipt or ack names the chat or the sender of a message, in any of the forms clients use. Ids are chosen by
 * who writes: in a group the author has to be named too, or somebody else's message with the same id would go with it.
 */
function isAbout(stanza: BinaryNode, answer: BinaryNode): boolean {
  const named = [answer.attrs.to, answer.attrs.recipient, answer.attrs.participant].map(withoutDevice)
  const { from, participant, recipient } = stanza.attrs
  const hasAuthors = /@(g\.us|broadcast)$/.test(from ?? '')
  const names = hasAuthors ? [participant ?? from] : [from, participant, recipient]
  return names.some(jid => jid !== undefined && named.includes(withoutDevice(jid)))
}

function withoutDevice(jid: string | undefined): string | undefined {
  return jid?.replace(/:\d+@/, '@')
}

/** Removes what an `<ack>` or `<receipt>` of the device acknowledges. Returns the stanzas removed. */
export function acknowledge(network: Network, device: LinkedDevice, answer: BinaryNode): BinaryNode[] {
  const ids = [answer.attrs.id ?? '', ...children(child(answer, 'list'), 'item').map(item => item.attrs.id ?? '')]
  return ids.flatMap(id => acknowledgeOne(network, device, answer, id) ?? [])
}

/** One answer is about one stanza, the oldest: what a phone has sent again under the same id waits for its own. */
function acknowledgeOne(
  network: Network,
  device: LinkedDevice,
  answer: BinaryNode,
  id: string,
): BinaryNode | undefined {
  for (const seq of device.outbox.byId.get(id) ?? []) {
    const stanza = device.outbox.entries.get(seq)
    if (!stanza || !matches(stanza, answer) || !isAbout(stanza, answer)) continue
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

/** Tells a device that has come back what waits for it; it asks for the batch, or is told that nothing waits. */
export function announceOffline(network: Network, device: LinkedDevice): void {
  const waiting = [...device.outbox.entries.values()]
  if (waiting.length === 0) {
    finishOffline(network, device, 0)
    return
  }
  const count = (tag: string): string => String(waiting.filter(stanza => stanza.tag === tag).length)
  const preview = node('offline_preview', {
    count: String(waiting.length),
    message: count('message'),
    receipt: count('receipt'),
    notification: count('notification'),
    call: count('call'),
    appdata: '0',
  })
  transmit(network, device, node('ib', { from: SERVER_JID }, [preview]))
}

/** Sends everything that waits, marked as offline, and then says so. */
export function drainOffline(network: Network, device: LinkedDevice): void {
  if (device.online) return
  let sent = 0
  for (const stanza of device.outbox.entries.values()) {
    transmit(network, device, { ...stanza, attrs: { ...stanza.attrs, offline: String(sent) } })
    sent += 1
  }
  finishOffline(network, device, sent)
}

function finishOffline(network: Network, device: LinkedDevice, count: number): void {
  device.online = true
  transmit(network, device, node('ib', { from: SERVER_JID }, [node('offline', { count: String(count) })]))
}
