import type { MessageState } from '../../../domain/message.ts'
import type { Reader } from '../../tx.ts'

/** A message of ours that a receipt speaks of. */
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
    input.platformIds.map(id => ({ platform_id: id })),
  )
  return await reader.all<SentMessage>(
    `select m.id, m.account_id as "accountId", m.request_id as "requestId", m.platform_id as "platformId", m.recipient, m.state
     from messages m where m.session_id = ? and m.platform_id in (select platform_id from ${r.sql} r)`,
    input.sessionId,
    ...r.params,
  )
}
