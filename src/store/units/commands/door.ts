import { answerCall } from '../sessions/calls.ts'
import {
  beginAttempts,
  endCommands,
  readDueCommands,
  readDueRequests,
  readDueSessions,
  readUnhostedCommands,
} from './command-queue.ts'
import { endFollowUp } from './follow-ups.ts'
import { readSentMessages, recordProgress } from './message-progress.ts'

export const commands = {
  reads: {
    readDueCommands,
    readDueRequests,
    readDueSessions,
    readSentMessages,
    readUnhostedCommands,
  },
  writes: {
    answerCall,
    endFollowUp,
  },
  batches: {
    beginAttempt: beginAttempts,
    endCommand: endCommands,
    progress: recordProgress,
  },
}
