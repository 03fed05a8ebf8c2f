import { LOCKED, UNDECIDED } from '../deferred.ts'
import type { SingleStatement } from '../single-statement.ts'
import { type AcceptRequest, type AcceptResult, inOrder } from './accept-messages.ts'
import { acceptStatement } from './accept-statement.ts'

/** Larger messages go through the transaction. */
const MAX_CONTENT_BYTES = 65_536

/** A message that was accepted, or an account whose meter another transaction holds. */
type AcceptRow = { id: string; busy: null } | { id: null; busy: string }

/** Accepts messages that are new, from an own number and within their account's limits; the transaction decides the rest. */
export const acceptSingleStatement: SingleStatement<AcceptRequest, AcceptResult, AcceptRow> = {
  fits: ({ sealedContent }) => sealedContent.length <= MAX_CONTENT_BYTES,
  statement: (requests, waits) => acceptStatement(inOrder(requests), waits),
  outcomes: (requests, rows) => {
    const ids = new Set(rows.map(({ id }) => id))
    const busy = new Set(rows.map(row => row.busy))
    const accepted = requests.filter(({ message }) => ids.has(message.id))
    const sessions = new Set(accepted.map(({ message }) => message.sessionId))
    return {
      results: requests.map(({ message, accountId }) =>
        ids.has(message.id) ? { kind: 'accepted' } : busy.has(accountId) ? LOCKED : UNDECIDED,
      ),
      signals: [...sessions].map(sessionId => ({ about: 'commands', sessionId })),
    }
  },
}
