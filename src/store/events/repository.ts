import { insertEvents } from './events.ts'
import type { BatchedCall } from '../repository.ts'

/** What happened, together with the deliveries it causes. */
export interface EventRepository {
  publishEvent: BatchedCall<typeof insertEvents>
}

export const events = {
  reads: {},
  writes: {},
  batches: {
    publishEvent: insertEvents,
  },
}
