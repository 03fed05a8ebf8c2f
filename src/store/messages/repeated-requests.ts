import { isSamePrint } from '../../domain/fingerprint.ts'
import type { Reader, Tx } from '../transaction.ts'

/** The first result of a request with an Idempotency-Key. */
export interface FirstAnswer {
  messageId: string
  requestId: string
  sessionId: string
  to: string
  serverId: number | null
}

/** The message of an Idempotency-Key. */
export type Original = FirstAnswer & { fingerprint: Uint8Array }

export type RepeatResult =
  | { kind: 'repeated'; first: FirstAnswer }
  /** The key belongs to another request. */
  | { kind: 'mismatch' }

/** The name of an account's key, unique over all accounts. */
export const keyName = (accountId: string, requestKey: string): string => `${accountId} ${requestKey}`

const COLUMNS = `m.id as "messageId", m.request_id as "requestId", m.session_id as "sessionId", m.recipient as "to",
  m.server_id as "serverId", m.fingerprint`

/** The message of an Idempotency-Key, for a repeated request whose session is offline now. */
export async function findRepeated(
  reader: Reader,
  input: { accountId: string; requestKey: string },
): Promise<Original | undefined> {
  return await reader.get<Original>(
    `select ${COLUMNS} from messages m where m.account_id = ? and m.request_key = ?`,
    input.accountId,
    input.requestKey,
  )
}

/** The messages of these keys, by the names of the keys. */
export async function readOriginals(
  tx: Tx,
  keys: Array<{ accountId: string; requestKey: string }>,
): Promise<Map<string, Original>> {
  if (keys.length === 0) return new Map()
  const r = tx.values(
    { account_id: 'text', request_key: 'text' },
    keys.map(({ accountId, requestKey }) => ({ account_id: accountId, request_key: requestKey })),
  )
  const rows = await tx.all<Original & { accountId: string; requestKey: string }>(
    `select ${COLUMNS}, m.account_id as "accountId", m.request_key as "requestKey"
     from ${r.sql} r join messages m on m.account_id = r.account_id and m.request_key = r.request_key`,
    ...r.params,
  )
  return new Map(rows.map(row => [keyName(row.accountId, row.requestKey), row]))
}

export function answerRepeat(original: Original, fingerprint: Uint8Array): RepeatResult {
  if (!isSamePrint(original.fingerprint, fingerprint)) return { kind: 'mismatch' }
  const { messageId, requestId, sessionId, to, serverId } = original
  return { kind: 'repeated', first: { messageId, requestId, sessionId, to, serverId } }
}
