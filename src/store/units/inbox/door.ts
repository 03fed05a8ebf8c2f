import { commitDeviceStates, readDeviceCreds, readDeviceKeys, readSentMessage } from './device-state.ts'
import {
  countInboxDeath,
  forwardItems,
  hasWritten,
  readInbox,
  readKnownInboxKeys,
  readLastSeq,
  readSeenMessage,
} from './inbox.ts'
import { countMessageTries, readMessageTries } from './unfinished-messages.ts'
import { hasUnhostedInbox, takeUnhostedInboxes } from './unhosted-inbox.ts'

export const inbox = {
  reads: {
    hasUnhostedInbox,
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
    countInboxDeath,
    countMessageTries,
    takeUnhostedInboxes,
  },
  batches: {
    commitDeviceState: commitDeviceStates,
    forwardItem: forwardItems,
  },
}
