import type { ListInsert, Tx, Value } from '../transaction.ts'

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

const MESSAGES: ListInsert = {
  table: 'messages',
  columns: [
    'id',
    'account_id',
    'session_id',
    'request_key',
    'fingerprint',
    'request_id',
    'recipient',
    'type',
    'state',
    'platform_id',
    'send_at',
    'created_at',
    'updated_at',
  ],
  unless: { on: 'account_id, request_key', key: 1 },
}

const COMMANDS: ListInsert = {
  table: 'commands',
  columns: ['id', 'session_id', 'queue', 'kind', 'message_id', 'content', 'attempt', 'due_at', 'created_at'],
}

/**
 * Stores messages, each with its command, which has the same id and the content, unless their key is taken. Returns for
 * each whether it was stored.
 */
export async function insertMessages(tx: Tx, messages: NewMessage[]): Promise<boolean[]> {
  const { nowMs } = tx
  const stored = await tx.insertLists(
    MESSAGES,
    messages.map(({ accountId, message }) => [
      message.id,
      accountId,
      message.sessionId,
      message.requestKey,
      message.fingerprint,
      message.requestId,
      message.to,
      message.type,
      message.sendAt === null ? 'queued' : 'scheduled',
      message.platformId,
      message.sendAt,
      nowMs,
      nowMs,
    ]),
  )
  const commands: Value[][] = []
  messages.forEach(({ message: { id, sessionId, to, sendAt }, sealedContent }, i) => {
    if (stored[i]) commands.push([id, sessionId, to, 'send', id, sealedContent, 0, sendAt ?? nowMs, nowMs])
  })
  await tx.insertLists(COMMANDS, commands)
  return stored
}
