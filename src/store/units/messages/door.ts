import { acceptMessages } from './accept-messages.ts'
import {
  cancelMessage,
  enqueueFollowUp,
  findReplay,
  getMessage,
  listChangedMessages,
  listMessages,
  readMessageContent,
  readMessageStates,
} from './messages.ts'

export const messages = {
  reads: {
    findReplay,
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
}
