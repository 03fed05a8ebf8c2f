import type { Deferred } from '../deferred.ts'
import type { Codec } from '../codec.ts'
import type { AcceptRequest, AcceptResult } from './accept-messages.ts'

type Packed = [
  accountId: string,
  perSecond: number | null,
  burst: number | null,
  perMonth: number | null,
  waiting: number | null,
  id: string,
  sessionId: string,
  requestKey: string | null,
  print: string | null,
  to: string,
  type: string,
  platformId: string,
  sendAt: number | null,
  content: string,
  traceparent: string | null,
  priority: number | null,
]

const ACCEPTED = 1

/** A request as a row of plain values; bytes become a string with one character for each byte. */
export const acceptCodec: Codec<AcceptRequest, AcceptResult | Deferred> = {
  packItem: ({ accountId, limits, message, sealedContent, traceparent }): Packed => [
    accountId,
    limits.perSecond,
    limits.burst,
    limits.perMonth,
    limits.waiting ?? null,
    message.id,
    message.sessionId,
    message.requestKey,
    message.fingerprint === null ? null : toText(message.fingerprint),
    message.to,
    message.type,
    message.platformId,
    message.sendAt,
    toText(sealedContent),
    traceparent ?? null,
    message.priority ?? null,
  ],
  unpackItem: packed => {
    const row = packed as Packed
    return {
      accountId: row[0],
      limits: { perSecond: row[1], burst: row[2], perMonth: row[3], waiting: row[4] },
      message: {
        id: row[5],
        sessionId: row[6],
        requestKey: row[7],
        fingerprint: row[8] === null ? null : toBytes(row[8]),
        to: row[9],
        type: row[10],
        platformId: row[11],
        sendAt: row[12],
        priority: row[15],
      },
      sealedContent: toBytes(row[13]),
      traceparent: row[14],
    }
  },
  packResult: result => (result.kind === 'accepted' ? ACCEPTED : result),
  unpackResult: packed => (packed === ACCEPTED ? { kind: 'accepted' } : (packed as AcceptResult | Deferred)),
}

const toText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1')
