import type { BinaryNode } from '../wire/node.ts'

/** What happens to the ack of a message instead of the usual. */
export type AckFault =
  | { readonly kind: 'withhold' }
  | { readonly kind: 'reject'; readonly error: number }
  | { readonly kind: 'delay'; readonly delayMs: number }

/** How a download of media goes wrong. */
export type MediaFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Only the first bytes come, then the link ends. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The bytes are not the ones that were stored. */
  | { readonly kind: 'corrupt' }

/** Faults that wait for their occasion, by the digits of a number. */
export interface Faults {
  readonly acks: Queue<AckFault>
  /** Copies in which the next stanza is pushed. */
  readonly copies: Queue<number>
  readonly tampered: Queue<true>
  readonly loginFailures: Queue<number>
  /** Contacts whose phone claims not to be able to read the next message. */
  readonly unreadable: Queue<true>
  readonly media: MediaFault[]
  /** Until when (by `Date.now()`) logins of a number end at once. */
  readonly refusedUntil: Map<string, number>
  /** Until when a number may write to nobody new. */
  readonly restrictedUntil: Map<string, number>
  /** Until when every connection is refused. */
  closedUntil: number
  /** How many more stanzas are pushed before the link is cut. */
  readonly cuts: Map<string, number>
  takeCopies(digits: string, stanza: BinaryNode): number
  cutsAfter(digits: string, stanza: BinaryNode): boolean
}

export interface Queue<T> {
  plan(digits: string, fault: T, times?: number): void
  take(digits: string): T | undefined
  /** How many wait for their occasion. */
  planned(digits: string): number
}

function createQueue<T>(): Queue<T> {
  const planned = new Map<string, T[]>()
  return {
    plan(digits, fault, times = 1) {
      const known = planned.get(digits) ?? []
      for (let time = 0; time < times; time += 1) known.push(fault)
      planned.set(digits, known)
    },
    planned: digits => planned.get(digits)?.length ?? 0,
    take(digits) {
      const known = planned.get(digits)
      const fault = known?.shift()
      if (known?.length === 0) planned.delete(digits)
      return fault
    },
  }
}

const PUSHED: ReadonlySet<string> = new Set(['message', 'receipt', 'notification', 'call'])

export function createFaults(): Faults {
  const copies = createQueue<number>()
  const cuts = new Map<string, number>()
  const isPushed = (stanza: BinaryNode): boolean => PUSHED.has(stanza.tag)
  return {
    acks: createQueue(),
    copies,
    tampered: createQueue(),
    loginFailures: createQueue(),
    unreadable: createQueue(),
    media: [],
    refusedUntil: new Map(),
    restrictedUntil: new Map(),
    closedUntil: 0,
    cuts,
    takeCopies: (digits, stanza) => (isPushed(stanza) ? (copies.take(digits) ?? 1) : 1),
    cutsAfter(digits, stanza) {
      const left = cuts.get(digits)
      if (left === undefined || !isPushed(stanza)) return false
      if (left > 1) {
        cuts.set(digits, left - 1)
        return false
      }
      cuts.delete(digits)
      return true
    },
  }
}
