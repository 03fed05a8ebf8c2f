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
  packItem: ({ lease, next, ...result }): Packed => [
    result.deliveryId,
    result.eventId,
    result.accountId,
    result.webhookId,
    result.isRecorded,
    result.origin,
    lease.kind,
    lease.id,
    lease.epoch,
    lease.owner,
    result.attemptsBefore,
    result.attemptsAfter,
    result.attempts,
    next.kind === 'delivered' ? null : next,
  ],
  unpackItem: packed => {
    const [deliveryId, eventId, accountId, webhookId, isRecorded, origin, kind, id, epoch, owner, ...rest] =
      packed as Packed
    const [attemptsBefore, attemptsAfter, attempts, next] = rest
    return {
      deliveryId,
      eventId,
      accountId,
      webhookId,
      isRecorded,
      origin,
      lease: { kind, id, epoch, owner },
      attemptsBefore,
      attemptsAfter,
      attempts,
      next: next ?? DELIVERED,
    }
  },
  packResult: result => (result.kind === 'recorded' && result.dueAt === null ? ENDED : result),
  unpackResult: packed => (packed === ENDED ? { kind: 'recorded', dueAt: null } : (packed as Recorded)),
}
