import { KEPT_MS } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'

/** What replies and votes need of a message later. */
export interface SealedSeen {
  messageId: string
  chatJid: string
  senderJid: string
  fromMe: number
  secret: Uint8Array | null
  isAnswered: boolean
}

/** With `returning` the result has the messages that were not known before. */
export async function rememberSeen(
  tx: Tx,
  numbers: ReadonlyArray<{ sessionId: string; seen: readonly SealedSeen[] }>,
  returning = '',
): Promise<Array<{ message_id: string; chat_jid: string }>> {
  const rows = numbers.flatMap(({ sessionId, seen }) =>
    seen.map(one => ({
      session_id: sessionId,
      message_id: one.messageId,
      chat_jid: one.chatJid,
      sender_jid: one.senderJid,
      from_me: one.fromMe,
      secret: one.secret,
      expires_at: tx.nowMs + (one.isAnswered ? KEPT_MS.answered : KEPT_MS.seenMessages),
    })),
  )
  const unlessKnown = `on conflict (session_id, message_id, chat_jid) do nothing ${returning}`
  return await tx.insert('seen_messages', rows, unlessKnown)
}
