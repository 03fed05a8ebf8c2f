import type { BridgeLedger, Job } from '../../store/bridge/bridge-ledger.ts'
import { type ChatwootApi, ChatwootRefusal } from './chatwoot-api.ts'
import { SOURCE_PREFIX } from './from-webhook.ts'

/** How far an outgoing message has come, for Chatwoot to show. */
export interface StatusNews {
  id: number
  conversationId: number
  status: 'delivered' | 'read' | 'failed'
  reason: string | null
}

/** To say it twice says nothing else: no care is taken against that. */
export async function tellStatus(
  { api, ledger }: { api: ChatwootApi; ledger: BridgeLedger },
  { id, content }: Job<StatusNews>,
): Promise<void> {
  try {
    await api.setStatus(content.conversationId, content.id, content.status, content.reason)
  } catch (error) {
    if (!(error instanceof ChatwootRefusal)) throw error
    const isForbidden = error.status === 403 && error.isItsOwn
    // The message is gone, or bears no status: nobody is to be told.
    if (error.isGone || (isForbidden && content.status !== 'failed')) return ledger.finish(id)
    if (!isForbidden) throw error
    await api.createMessage(content.conversationId, noteOf(content))
  }
  ledger.finish(id)
}

/** Where the status cannot be set, people are told in words. */
const noteOf = ({ id, reason }: StatusNews) => ({
  content: `This message was not sent. ${reason ?? ''}`.trim(),
  type: 'outgoing' as const,
  isPrivate: true,
  sourceId: `${SOURCE_PREFIX}failed-${id}`,
  attributes: { in_reply_to: id },
})
