import { hasUnhostedInbox, takeUnhostedInboxes } from './unhosted-inbox.ts'
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
import { readPoison } from './poison.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** What numbers have received and not yet published as events. */
export interface InboxRepository {
  countInboxDeath: Call<typeof countInboxDeath>
  countMessageTries: Call<typeof countMessageTries>
  forwardItem: BatchedCall<typeof forwardItems>
  hasUnhostedInbox: Call<typeof hasUnhostedInbox>
  hasWritten: Call<typeof hasWritten>
  readInbox: Call<typeof readInbox>
  readKnownInboxKeys: Call<typeof readKnownInboxKeys>
  readLastSeq: Call<typeof readLastSeq>
  readMessageTries: Call<typeof readMessageTries>
  readPoison: Call<typeof readPoison>
  readSeenMessage: Call<typeof readSeenMessage>
  takeUnhostedInboxes: Call<typeof takeUnhostedInboxes>
}

export const inbox = {
  reads: {
    hasUnhostedInbox,
    hasWritten,
    readInbox,
    readKnownInboxKeys,
    readLastSeq,
    readMessageTries,
    readPoison,
    readSeenMessage,
  },
  writes: {
    countInboxDeath,
    countMessageTries,
    takeUnhostedInboxes,
  },
  batches: {
    forwardItem: forwardItems,
  },
}
