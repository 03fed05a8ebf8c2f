import {
  beginAttempts,
  readDueCommands,
  readDueSessions,
  readUnhostedCommands,
  readQueueDepth,
  endFollowUp,
  lookAhead,
} from './command-queue.ts'
import { admitCommand, readHolds } from './holds.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** Work that a number has to do: sends, edits and revokes that are due. */
export interface CommandRepository {
  admitCommand: Call<typeof admitCommand>
  beginAttempt: BatchedCall<typeof beginAttempts>
  endFollowUp: Call<typeof endFollowUp>
  lookAhead: Call<typeof lookAhead>
  readDueCommands: Call<typeof readDueCommands>
  readDueSessions: Call<typeof readDueSessions>
  readHolds: Call<typeof readHolds>
  readQueueDepth: Call<typeof readQueueDepth>
  readUnhostedCommands: Call<typeof readUnhostedCommands>
}

export const commands = {
  reads: {
    lookAhead,
    readDueCommands,
    readDueSessions,
    readHolds,
    readQueueDepth,
    readUnhostedCommands,
  },
  writes: {
    admitCommand,
    endFollowUp,
  },
  batches: {
    beginAttempt: beginAttempts,
  },
}
