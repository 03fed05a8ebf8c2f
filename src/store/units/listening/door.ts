import { readListened } from './listened-events.ts'
import { acknowledge, closeListener, openListener } from './listeners.ts'

export const listening = {
  reads: { readListened },
  writes: { acknowledge, closeListener, openListener },
  batches: {},
}
