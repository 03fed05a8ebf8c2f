import type { Codec } from '../codec.ts'
import type { AttemptResult, Next, Recorded } from './attempt-result.ts'

type Packed = [
  deliveryId: string,
  eventId: string,
  accountId: string,
  webhookId: string,
  isRecorded: boolean,
  origin: AttemptResult['origin'],
  leaseKind: AttemptResult['lease']['kind'],
  leaseId: string,
  leaseEpoch: number,
  leaseOwner: string,
  attemptsBefore: number,
  attemptsAfter: number,
  attempts: string,
  /** `null`: delivered. */
  next: Next | null,
]

const ENDED = 1
const DELIVERED: Next = { kind: 'delivered' }

/** A result as a row of plain values. */
export const attemptCodec: Codec<AttemptResult, Recorded> = {
  packItem: (result): Packed => [
    result.deliveryId,
    result.eventId,
    result.accountId,
    result.webhookId,
    result.isRecorded,
    result.origin,
    result.lease.kind,
    result.lease.id,
    result.lease.epoch,
    result.lease.owner,
    result.attemptsBefore,
    result.attemptsAfter,
    result.attempts,
    result.next.kind === 'delivered' ? null : result.next,
  ],
  unpackItem: packed => {
    const row = packed as Packed
    return {
      deliveryId: row[0],
      eventId: row[1],
      accountId: row[2],
      webhookId: row[3],
      isRecorded: row[4],
      origin: row[5],
      lease: { kind: row[6], id: row[7], epoch: row[8], owner: row[9] },
      attemptsBefore: row[10],
      attemptsAfter: row[11],
      attempts: row[12],
      next: row[13] ?? DELIVERED,
    }
  },
  packResult: result => (result.kind === 'recorded' && result.dueAt === null ? ENDED : result),
  unpackResult: packed => (packed === ENDED ? { kind: 'recorded', dueAt: null } : (packed as Recorded)),
}
