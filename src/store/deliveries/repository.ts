import { countDeadLetters } from './dead-letters.ts'
import { getDelivery, listDeliveries } from './history.ts'
import {
  readDeliveryDepth,
  readDue,
  readEventFacts,
  readExtras,
  readLanes,
  readNextDue,
  readPayload,
} from './due-deliveries.ts'
import { giveUpDelivery, resendDelivery } from './delivery-actions.ts'
import { attemptCodec } from './attempt-codec.ts'
import { finishSingleStatement } from './finish-statement.ts'
import { recordAttempts } from './record-attempts.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** Events on their way to webhook URLs: the queue, the results and the history. */
export interface DeliveryRepository {
  countDeadLetters: Call<typeof countDeadLetters>
  getDelivery: Call<typeof getDelivery>
  giveUpDelivery: Call<typeof giveUpDelivery>
  listDeliveries: Call<typeof listDeliveries>
  readDeliveryDepth: Call<typeof readDeliveryDepth>
  readDue: Call<typeof readDue>
  readEventFacts: Call<typeof readEventFacts>
  readExtras: Call<typeof readExtras>
  readLanes: Call<typeof readLanes>
  readNextDue: Call<typeof readNextDue>
  readPayload: Call<typeof readPayload>
  recordAttempt: BatchedCall<typeof recordAttempts>
  resendDelivery: Call<typeof resendDelivery>
}

export const deliveries = {
  reads: {
    countDeadLetters,
    getDelivery,
    listDeliveries,
    readDeliveryDepth,
    readDue,
    readEventFacts,
    readExtras,
    readLanes,
    readNextDue,
    readPayload,
  },
  writes: {
    giveUpDelivery,
    resendDelivery,
  },
  batches: {
    recordAttempt: recordAttempts,
  },
  singleStatements: {
    recordAttempt: finishSingleStatement,
  },
  codecs: {
    recordAttempt: attemptCodec,
  },
}
