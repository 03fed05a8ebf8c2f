import type { BinaryNode } from 'baileys'

/** What the server answered to a message. */
export type Ack = { ok: true; atMs: number; serverId: number | null } | { ok: false; code: number }

/** Waits for the server's word on messages: the library reports writing a frame as sending it. */
export interface Acks {
  /** Resolves with the answer, with `timeout`, or with `lost` when the link ends before it. */
  expect(id: string, timeoutMs: number): Promise<Ack | 'timeout' | 'lost'>
  answer(stanza: BinaryNode): void
  lose(): void
}

export function createAcks(): Acks {
  const waiting = new Map<string, (ack: Ack | 'lost') => void>()
  return {
    expect: (id, timeoutMs) =>
      new Promise(resolve => {
        const timer = setTimeout(() => {
          waiting.delete(id)
          resolve('timeout')
        }, timeoutMs)
        waiting.set(id, ack => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(ack)
        })
      }),
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
  const seconds = Number(attrs.t)
  const serverId = Number(attrs.server_id)
  return {
    ok: true,
    atMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : Date.now(),
    serverId: Number.isInteger(serverId) && serverId > 0 ? serverId : null,
  }
}
