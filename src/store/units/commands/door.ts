import { answerCall } from '../sessions/calls.ts'
import {
  beginAttempts,
  endCommands,
  readDueCalls,
  readDueCommands,
  readDueSessions,
  readStrandedCommands,
} from './command-queue.ts'
import { endFollowUp } from './follow-ups.ts'
import { readSentMessages, recordProgress } from './message-progress.ts'

export const commands = {
  reads: {
    readDueCalls,
    readDueCommands,
    readDueSessions,
    readSentMessages,
    readStrandedCommands,
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
