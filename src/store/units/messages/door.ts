import { acceptAtOnce } from './accept-at-once.ts'
import { acceptMessages, acceptWaiting, type AcceptRequest } from './accept-messages.ts'
import { acceptWire } from './accept-wire.ts'
import {
  cancelMessage,
  enqueueFollowUp,
  findMessage,
  getMessage,
  listChangedMessages,
  listMessages,
  readMessageContent,
  readMessageStates,
  readSandboxContents,
} from './messages.ts'
import { findRepeated } from './repeated-requests.ts'

export const messages = {
  reads: {
    findMessage,
    findRepeated,
    getMessage,
    listChangedMessages,
    listMessages,
    readMessageContent,
    readMessageStates,
    readSandboxContents,
  },
  writes: {
    acceptWaiting,
    cancelMessage,
    enqueueFollowUp,
  },
  batches: {
    acceptMessage: acceptMessages,
  },
  atOnce: {
    acceptMessage: acceptAtOnce,
  },
  apart: {
    acceptMessage: { laneOf: ({ accountId }: AcceptRequest) => accountId, unit: 'acceptWaiting' },
  },
  wires: {
    acceptMessage: acceptWire,
  },
}
