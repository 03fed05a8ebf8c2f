import type { Tx } from '../transaction.ts'

export interface NewMessage {
  accountId: string
  message: {
    id: string
    sessionId: string
    /** `null` if the caller gave no Idempotency-Key. */
    requestKey: string | null
    fingerprint: Uint8Array | null
    requestId: string
    to: string
    type: string
    platformId: string
    sendAt: number | null
  }
  sealedContent: Uint8Array
}

/**
 * Stores messages, each with its command, which has the same id and the content, unless their key is taken. Returns the
 * ids of the stored ones.
 */
export async function insertMessages(tx: Tx, messages: NewMessage[]): Promise<Set<string>> {
  const rows = messages.map(each => messageRow(each, tx.nowMs))
  const inserted = await tx.insertNew('messages', rows, { on: 'account_id, request_key', key: ['id'] })
  const ids = new Set(inserted.map(row => row.id))
  await tx.insert(
    'commands',
    messages.filter(({ message }) => ids.has(message.id)).map(each => commandRow(each, tx.nowMs)),
  )
  return ids
}

const messageRow = ({ accountId, message }: NewMessage, nowMs: number) => ({
  id: message.id,
  account_id: accountId,
  session_id: message.sessionId,
  request_key: message.requestKey,
  fingerprint: message.fingerprint,
  request_id: message.requestId,
  recipient: message.to,
  type: message.type,
  state: message.sendAt === null ? 'queued' : 'scheduled',
  platform_id: message.platformId,
  send_at: message.sendAt,
  created_at: nowMs,
  updated_at: nowMs,
})

const commandRow = ({ message, sealedContent }: NewMessage, nowMs: number) => ({
  id: message.id,
  session_id: message.sessionId,
  queue: message.to,
  kind: 'send',
  message_id: message.id,
  content: sealedContent,
  attempt: 0,
  due_at: message.sendAt ?? nowMs,
  created_at: nowMs,
})
