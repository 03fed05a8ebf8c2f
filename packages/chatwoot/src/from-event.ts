import { jidKind } from './jid.ts'
import { RANKS } from './outgoing.ts'
import type { GatewayEvent } from '#listener/event-reader'
import { MARK_LENGTH } from './from-webhook.ts'

/** The payload of a message event. */
export interface ReceivedMessage {
  message_id: string
  sender_jid: string
  sender_phone?: string
  sender_name: string
  chat_jid: string
  is_group: boolean
  broadcast: boolean
  type: string
  text: string
  media?: { mimetype: string; extension: string; filename?: string; file_length: number; data: string; status: string }
  location?: { latitude: number; longitude: number; name?: string; address?: string }
  poll?: { name: string; options: string[] }
  quoted_message_id?: string
  reacted_message_id?: string
  edited_message_id?: string
  revoked_message_id?: string
}

/** What the bridge does with an event. */
export type Meaning =
  | { kind: 'message'; message: ReceivedMessage }
  | {
      kind: 'progress'
      id: number
      mark: string
      part: number
      rank: number
      platformId: string | null
      reason: string | null
    }
  | { kind: 'nothing' }

interface ProgressPayload {
  request_id?: string
  status?: string
  receipt_type?: string
  messenger_message_id?: string
  reason?: string
  detail?: string
}

const NOTHING: Meaning = { kind: 'nothing' }

/** The bridge ignores other numbers, messages of other programs, Status posts, and groups unless they are enabled. */
export function meaningOf(
  event: Pick<GatewayEvent, 'kind' | 'session_id' | 'body'>,
  { session, keyPrefix, groups }: { session: string; keyPrefix: string; groups: boolean },
): Meaning {
  if (event.session_id !== session) return NOTHING
  if (event.kind === 'status' || event.kind === 'receipt')
    return progressOf(JSON.parse(event.body) as ProgressPayload, keyPrefix)
  if (event.kind !== 'message') return NOTHING
  const message = JSON.parse(event.body) as ReceivedMessage
  const kind = jidKind(message.chat_jid)
  if (message.broadcast || kind === 'channel' || kind === 'status' || kind === undefined) return NOTHING
  return message.is_group && !groups ? NOTHING : { kind: 'message', message }
}

function progressOf(payload: ProgressPayload, keyPrefix: string): Meaning {
  const key = new RegExp(`^${keyPrefix}-(\\d{1,15})-([0-9a-f]{${MARK_LENGTH}})-(\\d{1,3})$`)
  const [, id, mark = '', part] = key.exec(payload.request_id ?? '') ?? []
  const rank = rankOf(payload.status ?? payload.receipt_type)
  if (id === undefined || rank === undefined) return NOTHING
  return {
    kind: 'progress',
    id: Number(id),
    mark,
    part: Number(part),
    rank,
    platformId: payload.messenger_message_id ?? null,
    reason: payload.reason === undefined ? null : [payload.reason, payload.detail].filter(Boolean).join(': '),
  }
}

function rankOf(name: string | undefined): number | undefined {
  switch (name) {
    case 'failed':
      return RANKS.failed
    case 'sent':
      return RANKS.sent
    case 'delivered':
      return RANKS.delivered
    case 'read':
    case 'played':
      return RANKS.read
    default:
      return undefined
  }
}
