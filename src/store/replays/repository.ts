import { countReplayable, readReplayOutcome } from './replay-progress.ts'
import { advanceReplay, cancelReplay, createReplay, getReplay, listRunningReplays } from './replays.ts'
import type { Call } from '../repository.ts'

/** Replays: past deliveries that a customer sends again. */
export interface ReplayRepository {
  advanceReplay: Call<typeof advanceReplay>
  cancelReplay: Call<typeof cancelReplay>
  countReplayable: Call<typeof countReplayable>
  createReplay: Call<typeof createReplay>
  getReplay: Call<typeof getReplay>
  listRunningReplays: Call<typeof listRunningReplays>
  readReplayOutcome: Call<typeof readReplayOutcome>
}

export const replays = {
  reads: {
    countReplayable,
    getReplay,
    listRunningReplays,
    readReplayOutcome,
  },
  writes: {
    advanceReplay,
    cancelReplay,
    createReplay,
  },
  batches: {},
}
