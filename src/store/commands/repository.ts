import {
  beginAttempts,
  readDueCommands,
  readDueSessions,
  readUnhostedCommands,
  readQueueDepth,
  endFollowUp,
  hasLaterCommands,
} from './command-queue.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** Work that a number has to do: sends, edits and revokes that are due. */
export interface CommandRepository {
  beginAttempt: BatchedCall<typeof beginAttempts>
  endFollowUp: Call<typeof endFollowUp>
  hasLaterCommands: Call<typeof hasLaterCommands>
  readDueCommands: Call<typeof readDueCommands>
  readDueSessions: Call<typeof readDueSessions>
  readQueueDepth: Call<typeof readQueueDepth>
  readUnhostedCommands: Call<typeof readUnhostedCommands>
}

export const commands = {
  reads: {
    hasLaterCommands,
    readDueCommands,
    readDueSessions,
    readQueueDepth,
    readUnhostedCommands,
  },
  writes: {
    endFollowUp,
  },
  batches: {
    beginAttempt: beginAttempts,
  },
}
