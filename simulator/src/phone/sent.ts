import type { proto } from 'baileys'
import { nowMs } from '../clock.ts'
import { currentOwner } from '../owner.ts'
import type { OutgoingHead, SentMessage, Tick } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { encodeWritten } from './newer-fields.ts'

/** A message that leaves a phone. */
export interface OutgoingMessage {
  readonly id: string
  readonly message: proto.IMessage
  /** An encoded field that the codec does not know. */
  readonly newer?: Uint8Array | undefined
  readonly head: OutgoingHead
  readonly timestamp: number
}

const HELD_SENT = 1000

/** Keeps a sent message, so that the phone can send it again. */
export function remember(network: Network, user: User, chat: string, outgoing: OutgoingMessage): void {
  const { id, head, timestamp } = outgoing
  const content = encodeWritten(outgoing)
  const sent: SentMessage = {
    id,
    chat,
    timestamp,
    atMs: network.messageTimes.next(nowMs(network)),
    content,
    owner: currentOwner(),
    head,
    ticks: new Map(),
  }
  network.journal.put(`sent/${user.digits}/${id}`, () => sent)
  keepSent(network, user, sent)
  if (user.sent.size > HELD_SENT) forgetSent(network, user, user.sent.keys().next().value!)
}

export function keepSent(network: Network, user: User, sent: SentMessage): void {
  user.sent.set(sent.id, sent)
  network.memory.add(sent, sent.owner ?? '', sent.content.length, () => forgetSent(network, user, sent.id))
}

export function forgetSent(network: Network, user: User, id: string): void {
  const sent = user.sent.get(id)
  if (!sent) return
  user.sent.delete(id)
  network.memory.remove(sent)
  network.journal.remove(`sent/${user.digits}/${id}`)
}

const TICK_ORDER: readonly Tick[] = ['delivered', 'read', 'played']

/** Records a receipt of a recipient; an earlier state never replaces a later one. */
export function tick(network: Network, user: User, id: string, reader: string, reached: Tick): void {
  const sent = user.sent.get(id)
  if (!sent) return
  const known = sent.ticks.get(reader)
  if (known && TICK_ORDER.indexOf(known) >= TICK_ORDER.indexOf(reached)) return
  sent.ticks.set(reader, reached)
  network.journal.put(`sent/${user.digits}/${id}`, () => sent)
  network.changed()
}
