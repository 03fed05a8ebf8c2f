import type { BinaryNode } from 'baileys'
import type { InboxItem, Interpretation } from '../../platform.ts'
import { interpretSettings } from '../app-state/chat-settings.ts'
import { readStanza } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { interpretCall } from './call.ts'
import { isChannelChange, isContactChange, isGroupChange } from '../wire/announced-change.ts'
import { interpretChannelChange } from './channel.ts'
import { interpretContactChange } from './contact.ts'
import { interpretGroupChange } from './group.ts'
import { interpretMessage } from './message.ts'
import { interpretNotification } from './newsletter.ts'
import { interpretLearned } from './person.ts'
import { interpretChatState, interpretPresence } from './presence.ts'
import { interpretReceipt, interpretReceiptNow } from './receipt.ts'

export async function interpret(
  context: SessionContext,
  item: InboxItem,
  signal: AbortSignal,
): Promise<Interpretation> {
  switch (item.kind) {
    case 'message':
    case 'file_message':
      return interpretMessage(context, item.body, signal)
    case 'receipt':
      return interpretReceipt(context, readStanza(item.body), item.receivedAtMs)
    case 'call':
      return interpretCall(context, readStanza(item.body), item.receivedAtMs)
    case 'notification':
      return interpretAnyNotification(context, readStanza(item.body), item.receivedAtMs)
    case 'settings':
      return interpretSettings(context, item.body)
    case 'person':
      return interpretLearned(context, item.body)
    case 'presence':
      return interpretPresence(context, readStanza(item.body))
    case 'chatstate':
      return interpretChatState(context, readStanza(item.body))
    default:
      return { kind: 'none', reason: 'unknown_item' }
  }
}

function interpretAnyNotification(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  if (isGroupChange(stanza)) return interpretGroupChange(context, stanza, receivedAtMs)
  if (isContactChange(stanza)) return interpretContactChange(context, stanza, receivedAtMs)
  if (isChannelChange(stanza)) return interpretChannelChange(context, stanza, receivedAtMs)
  return interpretNotification(context, stanza, receivedAtMs)
}

/** Only receipts of direct chats, of which each message has several. */
export function interpretNow(context: SessionContext, item: InboxItem): Interpretation | undefined {
  if (item.kind !== 'receipt') return undefined
  return interpretReceiptNow(context, readStanza(item.body), item.receivedAtMs)
}
