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
    /** 1 for high priority. */
    priority?: number | null
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

const URGENT_COMMANDS: ListInsert = { table: 'commands', columns: [...COMMANDS.columns, 'priority'] }

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
  const urgent: Value[][] = []
  messages.forEach(({ message: { id, sessionId, to, sendAt, priority }, sealedContent }, i) => {
    if (!stored[i]) return
    const command = [id, sessionId, to, 'send', id, sealedContent, 0, sendAt ?? nowMs, nowMs]
    if (priority == null) commands.push(command)
    else urgent.push([...command, priority])
  })
  await tx.insertLists(COMMANDS, commands)
  if (urgent.length > 0) await tx.insertLists(URGENT_COMMANDS, urgent)
  return stored
}
