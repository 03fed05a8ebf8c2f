import { readListened } from './listened-events.ts'
import { acknowledge, closeListener, openListener } from './listeners.ts'
import type { Call } from '../repository.ts'

/** Programs that read events by cursor. */
export interface ListenerRepository {
  acknowledge: Call<typeof acknowledge>
  closeListener: Call<typeof closeListener>
  openListener: Call<typeof openListener>
  readListened: Call<typeof readListened>
}

export const listeners = {
  reads: {
    readListened,
  },
  writes: {
    acknowledge,
    closeListener,
    openListener,
  },
  batches: {},
}
