import { readSentMessages } from './sent-messages.ts'
import {
  cancelMessage,
  enqueueFollowUp,
  findMessage,
  getMessage,
  listChangedMessages,
  listMessages,
  listViewers,
  readMessageContent,
  readMessageStates,
  readSandboxContents,
} from './messages.ts'
import { findRepeated } from './repeated-requests.ts'
import { acceptMessages, acceptWaiting, type AcceptRequest } from './accept-messages.ts'
import { chargeMessage } from './charge-message.ts'
import { recordProgress } from './message-progress.ts'
import { acceptSingleStatement } from './accept-statement.ts'
import { acceptCodec } from './accept-codec.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** Messages that customers send, from acceptance to the last receipt. */
export interface MessageRepository {
  acceptMessage: BatchedCall<typeof acceptMessages>
  cancelMessage: Call<typeof cancelMessage>
  chargeMessage: Call<typeof chargeMessage>
  enqueueFollowUp: Call<typeof enqueueFollowUp>
  findMessage: Call<typeof findMessage>
  findRepeated: Call<typeof findRepeated>
  getMessage: Call<typeof getMessage>
  listChangedMessages: Call<typeof listChangedMessages>
  listMessages: Call<typeof listMessages>
  listViewers: Call<typeof listViewers>
  recordProgress: BatchedCall<typeof recordProgress>
  readMessageContent: Call<typeof readMessageContent>
  readMessageStates: Call<typeof readMessageStates>
  readSandboxContents: Call<typeof readSandboxContents>
  readSentMessages: Call<typeof readSentMessages>
}

export const messages = {
  reads: {
    findMessage,
    findRepeated,
    getMessage,
    listChangedMessages,
    listMessages,
    listViewers,
    readMessageContent,
    readMessageStates,
    readSandboxContents,
    readSentMessages,
  },
  writes: {
    acceptWaiting,
    cancelMessage,
    chargeMessage,
    enqueueFollowUp,
  },
  batches: {
    acceptMessage: acceptMessages,
    recordProgress,
  },
  singleStatements: {
    acceptMessage: acceptSingleStatement,
  },
  lockedItems: {
    acceptMessage: { keyOf: ({ accountId }: AcceptRequest) => accountId, transaction: 'acceptWaiting' },
  },
  codecs: {
    acceptMessage: acceptCodec,
  },
}
