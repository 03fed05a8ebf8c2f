import type { AtOnce } from '../../at-once.ts'
import { type AcceptRequest, type AcceptResult, inOrder } from './accept-messages.ts'
import { acceptStatement } from './accept-statement.ts'

/** Larger ones travel alone. */
const MAX_CONTENT_BYTES = 65_536

/** Messages that are new, of an own number and within their account's limits; whatever else a request may be, the unit says. */
export const acceptAtOnce: AtOnce<AcceptRequest, AcceptResult, { id: string }> = {
  fits: ({ sealedContent }) => sealedContent.length <= MAX_CONTENT_BYTES,
  statement: requests => acceptStatement(inOrder(requests)),
  outcomes: (requests, rows) => {
    const ids = new Set(rows.map(({ id }) => id))
    const accepted = requests.filter(({ message }) => ids.has(message.id))
    const sessions = new Set(accepted.map(({ message }) => message.sessionId))
    return {
      results: requests.map(({ message }) => (ids.has(message.id) ? { kind: 'accepted' } : undefined)),
      signals: [...sessions].map(sessionId => ({ about: 'commands', sessionId })),
    }
  },
}
