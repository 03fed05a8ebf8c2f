import type { MessageState } from '../../domain/message.ts'
import { lastIdFrom } from '../../domain/ids.ts'
import type { SentId } from '../../domain/platform-ids.ts'
import type { Reader } from '../transaction.ts'

/** A sent message that a receipt is about. */
export interface SentMessage {
  id: string
  accountId: string
  requestId: string
  platformId: string
  recipient: string
  state: MessageState
}

/** The SQL condition that finds a message by its platform id. */
export const IS_SENT = 'session_id = ? and platform_id = ? and id between ? and ?'

export const sentParams = (sessionId: string, { platformId, beginning }: SentId): string[] => [
  sessionId,
  platformId,
  beginning,
  lastIdFrom(beginning),
]

export async function readSentMessages(
  reader: Reader,
  input: { sessionId: string; sent: SentId[] },
): Promise<SentMessage[]> {
  if (input.sent.length === 0) return []
  const r = reader.values(
    { platform_id: 'text', first: 'text', last: 'text' },
    input.sent.map(({ platformId, beginning }) => ({
      platform_id: platformId,
      first: beginning,
      last: lastIdFrom(beginning),
    })),
  )
  // A lookup for each, before the join: a number may have any number of messages.
  return await reader.all<SentMessage>(
    `with found as materialized (
       select (select x.id from messages x where x.id between r.first and r.last and x.session_id = ?
         and x.platform_id = r.platform_id limit 1) as id from ${r.sql} r)
     select m.id, m.account_id as "accountId", m.request_id as "requestId", m.platform_id as "platformId", m.recipient, m.state
     from found f join messages m on m.id = f.id`,
    input.sessionId,
    ...r.params,
  )
}
