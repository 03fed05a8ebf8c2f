import { acceptAtOnce } from './accept-at-once.ts'
import { acceptMessages } from './accept-messages.ts'
import { acceptWire } from './accept-wire.ts'
import {
  cancelMessage,
  enqueueFollowUp,
  getMessage,
  listChangedMessages,
  listMessages,
  readMessageContent,
  readMessageStates,
} from './messages.ts'
import { findRepeated } from './repeated-requests.ts'

export const messages = {
  reads: {
    findRepeated,
    getMessage,
    listChangedMessages,
    listMessages,
    readMessageContent,
    readMessageStates,
  },
  writes: {
    cancelMessage,
    enqueueFollowUp,
  },
  batches: {
    acceptMessage: acceptMessages,
  },
  atOnce: {
    acceptMessage: acceptAtOnce,
  },
  wires: {
    acceptMessage: acceptWire,
  },
}
