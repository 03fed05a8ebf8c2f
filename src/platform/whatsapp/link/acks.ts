import type { BinaryNode } from 'baileys'
import { unixSeconds, wholeNumber } from '../wire/numbers.ts'

/** What the server answered to a message. */
export type Ack = { ok: true; atMs: number; serverId: number | null } | { ok: false; code: number }

/** Waits for the server's word on messages: the library reports writing a frame as sending it. */
export interface Acks {
  expect(id: string): ExpectedAck
  answer(stanza: BinaryNode): void
  lose(): void
}

export interface ExpectedAck {
  /** Resolves with the answer, with `timeout`, or with `lost` when the link ends before it. */
  readonly outcome: Promise<Ack | 'timeout' | 'lost'>
  /** The message is on its way: from now on the platform has this long. */
  within(timeoutMs: number): void
}

export function createAcks(): Acks {
  const waiting = new Map<string, (ack: Ack | 'lost') => void>()
  return {
    expect(id) {
      let timer: NodeJS.Timeout | undefined
      let settle: (outcome: Ack | 'timeout' | 'lost') => void = () => {}
      const outcome = new Promise<Ack | 'timeout' | 'lost'>(resolve => {
        settle = answer => {
          clearTimeout(timer)
          // A second attempt may wait under the same id by now.
          if (waiting.get(id) === settle) waiting.delete(id)
          resolve(answer)
        }
      })
      waiting.set(id, settle)
      return {
        outcome,
        within(timeoutMs) {
          if (waiting.get(id) === settle) timer = setTimeout(() => settle('timeout'), timeoutMs)
        },
      }
    },
    answer(stanza) {
      waiting.get(stanza.attrs.id ?? '')?.(readAck(stanza))
    },
    lose() {
      for (const resolve of waiting.values()) resolve('lost')
    },
  }
}

function readAck({ attrs }: BinaryNode): Ack {
  if (attrs.error !== undefined) return { ok: false, code: Number(attrs.error) }
  return {
    ok: true,
    atMs: (unixSeconds(attrs.t) ?? 0) * 1000 || Date.now(),
    serverId: wholeNumber(attrs.server_id) ?? null,
  }
}
