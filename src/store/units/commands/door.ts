import { getMessage } from '../messages/messages.ts'
import { beginAttempts, readDueCommands, readDueSessions, readUnhostedCommands } from './command-queue.ts'
import { endFollowUp } from './follow-ups.ts'
import { recordProgress } from './message-progress.ts'
import { readSentMessages } from './sent-messages.ts'

export const commands = {
  reads: {
    getMessage,
    readDueCommands,
    readDueSessions,
    readSentMessages,
    readUnhostedCommands,
  },
  writes: {
    endFollowUp,
  },
  batches: {
    beginAttempt: beginAttempts,
    progress: recordProgress,
  },
}
