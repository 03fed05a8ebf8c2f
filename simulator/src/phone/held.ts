import { proto } from 'baileys'
import { nowMs } from '../clock.ts'
import type { HeldMessage } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'

interface SavedHeld extends Omit<HeldMessage, 'message' | 'savedAs'> {
  readonly content: Uint8Array
}

const nameIn = ({ chat, from, id }: HeldMessage): string => `${chat}/${from}/${id}`

/** Keeps a received message; counts copies of one that is known. */
export function hold(network: Network, user: User, held: HeldMessage): HeldMessage {
  const key = nameIn(held)
  const known = user.inbox.get(key)
  if (known) {
    known.copies += 1
    saveHeld(network, known)
    return known
  }
  user.inbox.set(key, held)
  if (user.inbox.size > network.heldMessages) forgetHeld(network, user, user.inbox.keys().next().value!)
  saveHeld(network, held)
  countBytes(network, user, key, held)
  return held
}

function countBytes(network: Network, user: User, key: string, held: HeldMessage): void {
  const bytes = proto.Message.encode(held.message).finish().length
  network.memory.add(held, held.owner ?? '', bytes, () => forgetHeld(network, user, key))
}

export function forgetHeld(network: Network, user: User, key: string): void {
  const held = user.inbox.get(key)
  if (!held) return
  user.inbox.delete(key)
  network.memory.remove(held)
  network.journal.remove(held.savedAs)
}

/** Keys sort in the order of arrival. */
export function newHeldKey(network: Network, user: User): string {
  return `inbox/${user.digits}/${nowMs(network)}${String(network.sequence.next() % 1e6).padStart(6, '0')}`
}

export function saveHeld(network: Network, held: HeldMessage): void {
  network.journal.put(held.savedAs, (): SavedHeld => {
    const { message, savedAs: _key, ...rest } = held
    return { ...rest, content: proto.Message.encode(message).finish() }
  })
}

/** Restores a saved message. */
export function restoreHeld(network: Network, user: User, savedAs: string, saved: unknown): void {
  const { content, ...rest } = saved as SavedHeld
  const held = { ...rest, message: proto.Message.decode(content), savedAs }
  const name = nameIn(held)
  user.inbox.set(name, held)
  countBytes(network, user, name, held)
}
