import type { ListInsert, Tx, Value } from '../transaction.ts'

export interface NewMessage {
  accountId: string
  message: {
    id: string
    sessionId: string
    /** `null` if the caller gave no Idempotency-Key. */
    requestKey: string | null
    fingerprint: Uint8Array | null
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
    'recipient',
    'type',
    'platform_id',
    'send_at',
    'created_at',
  ],
  derived: {
    request_id: 'coalesce(given.request_key, given.id)',
    state: "case when given.send_at is null then 'queued' else 'scheduled' end",
    updated_at: 'given.created_at',
  },
  unless: { on: 'account_id, request_key', key: 1 },
}

const COMMANDS: ListInsert = {
  table: 'commands',
  columns: ['id', 'session_id', 'queue', 'content', 'due_at', 'created_at'],
  derived: { message_id: 'given.id', kind: "'send'", attempt: '0' },
}

const URGENT_COMMANDS: ListInsert = { ...COMMANDS, columns: [...COMMANDS.columns, 'priority'] }

/** The id by which the caller knows a message: the key of its request, or its own id. */
export const requestIdOf = ({ id, requestKey }: NewMessage['message']): string => requestKey ?? id

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
      message.to,
      message.type,
      message.platformId,
      message.sendAt,
      nowMs,
    ]),
  )
  const commands: Value[][] = []
  const urgent: Value[][] = []
  messages.forEach(({ message: { id, sessionId, to, sendAt, priority }, sealedContent }, i) => {
    if (!stored[i]) return
    const command = [id, sessionId, to, sealedContent, sendAt ?? nowMs, nowMs]
    if (priority == null) commands.push(command)
    else urgent.push([...command, priority])
  })
  await tx.insertLists(COMMANDS, commands)
  if (urgent.length > 0) await tx.insertLists(URGENT_COMMANDS, urgent)
  return stored
}
