import type { MessageState } from '../../domain/message.ts'
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

export async function readSentMessages(
  reader: Reader,
  input: { sessionId: string; platformIds: string[] },
): Promise<SentMessage[]> {
  const r = reader.values(
    { platform_id: 'text' },
    [...new Set(input.platformIds)].map(id => ({ platform_id: id })),
  )
  // A lookup for each: a number may have any number of messages.
  return await reader.all<SentMessage>(
    `select m.id, m.account_id as "accountId", m.request_id as "requestId", m.platform_id as "platformId", m.recipient, m.state
     from ${r.sql} r join messages m on m.id = (
       select x.id from messages x where x.session_id = ? and x.platform_id = r.platform_id limit 1)`,
    ...r.params,
    input.sessionId,
  )
}
