import type { MessageEvent } from '../../../domain/event.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import type { People } from './people.ts'

type Frame = Omit<MessageEvent, 'type' | 'text'>

/** What every event of a message has. */
export function frame(context: SessionContext, stored: StoredMessage, people: People): Frame {
  return {
    kind: 'message',
    message_id: stored.key.id,
    session_id: context.sessionId,
    sender_jid: people.senderJid,
    ...(people.senderPhone !== undefined && { sender_phone: people.senderPhone }),
    sender_name: stored.pushName,
    chat_jid: people.chatJid,
    is_group: people.isGroup,
    broadcast: people.isStatus,
    timestamp_unix: stored.timestamp,
  }
}
