import { type AtOnce, BUSY } from '../../at-once.ts'
import { type AcceptRequest, type AcceptResult, inOrder } from './accept-messages.ts'
import { acceptStatement } from './accept-statement.ts'

/** Larger ones travel alone. */
const MAX_CONTENT_BYTES = 65_536

/** A message that was accepted, or an account whose meter somebody else holds. */
type AcceptRow = { id: string; busy: null } | { id: null; busy: string }

/** Messages that are new, of an own number and within their account's limits; whatever else a request may be, the unit says. */
export const acceptAtOnce: AtOnce<AcceptRequest, AcceptResult, AcceptRow> = {
  fits: ({ sealedContent }) => sealedContent.length <= MAX_CONTENT_BYTES,
  statement: (requests, waits) => acceptStatement(inOrder(requests), waits),
  outcomes: (requests, rows) => {
    const ids = new Set(rows.map(({ id }) => id))
    const busy = new Set(rows.map(row => row.busy))
    const accepted = requests.filter(({ message }) => ids.has(message.id))
    const sessions = new Set(accepted.map(({ message }) => message.sessionId))
    return {
      results: requests.map(({ message, accountId }) =>
        ids.has(message.id) ? { kind: 'accepted' } : busy.has(accountId) ? BUSY : undefined,
      ),
      signals: [...sessions].map(sessionId => ({ about: 'commands', sessionId })),
    }
  },
}
