import { insertEvents } from '../delivery/events.ts'
import { registerSession } from '../sessions/sessions.ts'

/** What no role asks for: tests and benchmarks make with it what they need. Not on the store. */
export const unlisted = {
  reads: {},
  writes: {
    registerSession,
  },
  batches: {
    publishEvent: insertEvents,
  },
}
