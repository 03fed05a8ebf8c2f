import { acknowledge, closeListener, openListener } from './listeners.ts'
import { acknowledgePulled, emptyStream, readStream } from './streams.ts'
import type { Call } from '../repository.ts'

/** Programs that read events by cursor: listeners, and readers of pull endpoints. */
export interface ListenerRepository {
  acknowledge: Call<typeof acknowledge>
  acknowledgePulled: Call<typeof acknowledgePulled>
  closeListener: Call<typeof closeListener>
  emptyStream: Call<typeof emptyStream>
  openListener: Call<typeof openListener>
  readStream: Call<typeof readStream>
}

export const listeners = {
  reads: {
    readStream,
  },
  writes: {
    acknowledge,
    acknowledgePulled,
    closeListener,
    emptyStream,
    openListener,
  },
  batches: {},
}
