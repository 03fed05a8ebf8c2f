import type { Job } from '../../store/bridge/bridge-ledger.ts'
import { ChatwootRefusal, type NewMessage } from './chatwoot-api.ts'
import { SOURCE_PREFIX } from './from-webhook.ts'
import { findPosted, post, type PostParts } from './post-once.ts'

/** How far an outgoing message has come, for Chatwoot to show. */
export interface StatusNews {
  id: number
  conversationId: number
  status: 'delivered' | 'read' | 'failed'
  reason: string | null
}

/** A status that is set twice says nothing else; a note is looked for before it is written again. */
export async function tellStatus(parts: PostParts, job: Job<StatusNews>): Promise<void> {
  const note = noteOf(job.content)
  if ((await findPosted(parts, job, note.sourceId)) === undefined) await tell(parts, job, note)
  parts.ledger.finish(job.id)
}

async function tell(parts: PostParts, { id: jobId, content }: Job<StatusNews>, note: NewMessage): Promise<void> {
  const { id, conversationId, status, reason } = content
  try {
    await parts.api.setStatus(conversationId, id, status, reason)
  } catch (error) {
    if (!(error instanceof ChatwootRefusal)) throw error
    const isForbidden = error.status === 403 && error.isItsOwn
    // The message is gone, or bears no status: nobody is to be told.
    if (error.isGone || (isForbidden && status !== 'failed')) return
    if (!isForbidden) throw error
    await post(parts, jobId, { conversationId, after: id }, note)
  }
}

/** Where the status cannot be set, people are told in words. */
const noteOf = ({ id, reason }: StatusNews): NewMessage => ({
  content: `This message was not sent. ${reason ?? ''}`.trim(),
  type: 'outgoing',
  isPrivate: true,
  sourceId: `${SOURCE_PREFIX}failed-${id}`,
  attributes: { in_reply_to: id },
})
