import { commitDeviceStates, readDeviceCreds, readDeviceKeys, readSentMessage } from './device-state.ts'
import {
  countInboxTry,
  forwardItems,
  hasWritten,
  readInbox,
  readKnownInboxKeys,
  readLastSeq,
  readSeenMessage,
} from './inbox.ts'
import { hasStrandedInbox, takeStrandedInboxes } from './stranded-inbox.ts'
import { countMessageTries, readMessageTries } from './unfinished-messages.ts'

export const inbox = {
  reads: {
    hasStrandedInbox,
    hasWritten,
    readDeviceCreds,
    readDeviceKeys,
    readInbox,
    readKnownInboxKeys,
    readLastSeq,
    readMessageTries,
    readSeenMessage,
    readSentMessage,
  },
  writes: {
    countInboxTry,
    countMessageTries,
    takeStrandedInboxes,
  },
  batches: {
    commitDeviceState: commitDeviceStates,
    forwardItem: forwardItems,
  },
}
