import { hasUnhostedInbox, takeUnhostedInboxes } from './unhosted-inbox.ts'
import {
  recordBegunBy,
  publishItems,
  hasWritten,
  readInbox,
  readKnownInboxKeys,
  readLastSeq,
  readSeenMessage,
} from './inbox.ts'
import { recordMessageTries, readMessageTries } from './unfinished-messages.ts'
import { readPoison } from './poison.ts'
import { findFirstHistory, findWaitingHistory, publishHistorySlice } from './requested-history.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** What numbers have received and not yet published as events. */
export interface InboxRepository {
  recordBegunBy: Call<typeof recordBegunBy>
  recordMessageTries: Call<typeof recordMessageTries>
  publishItem: BatchedCall<typeof publishItems>
  publishHistorySlice: Call<typeof publishHistorySlice>
  findFirstHistory: Call<typeof findFirstHistory>
  findWaitingHistory: Call<typeof findWaitingHistory>
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
    findFirstHistory,
    findWaitingHistory,
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
    recordBegunBy,
    publishHistorySlice,
    recordMessageTries,
    takeUnhostedInboxes,
  },
  batches: {
    publishItem: publishItems,
  },
}
