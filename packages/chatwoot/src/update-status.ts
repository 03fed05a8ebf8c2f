import type { Job } from './ledger.ts'
import { ChatwootError, type NewMessage } from './chatwoot-api.ts'
import { SOURCE_PREFIX } from './from-webhook.ts'
import { findPosted, post, type PostDeps } from './post-once.ts'

/** The delivery status of an outgoing message, which Chatwoot shows. */
export interface StatusUpdate {
  id: number
  conversationId: number
  status: 'delivered' | 'read' | 'failed'
  reason: string | null
}

/** Setting a status twice has no further effect. A note is searched before it is posted again. */
export async function updateStatus(deps: PostDeps, job: Job<StatusUpdate>): Promise<void> {
  const note = noteOf(job.content)
  if ((await findPosted(deps, job, note.sourceId)) === undefined) await setStatus(deps, job, note)
  deps.ledger.finish(job.id)
}

async function setStatus(deps: PostDeps, { id: jobId, content }: Job<StatusUpdate>, note: NewMessage): Promise<void> {
  const { id, conversationId, status, reason } = content
  try {
    await deps.api.setStatus(conversationId, id, status, reason)
  } catch (error) {
    if (!(error instanceof ChatwootError)) throw error
    const isForbidden = error.status === 403 && error.isItsOwn
    // The message was deleted or has no status, so there is nothing to show.
    if (error.isGone || (isForbidden && status !== 'failed')) return
    if (!isForbidden) throw error
    await post(deps, jobId, { conversationId, after: id }, note)
  }
}

/** If the status cannot be set, a private note explains it. */
const noteOf = ({ id, reason }: StatusUpdate): NewMessage => ({
  content: `This message was not sent. ${reason ?? ''}`.trim(),
  type: 'outgoing',
  isPrivate: true,
  sourceId: `${SOURCE_PREFIX}failed-${id}`,
  attributes: { in_reply_to: id },
})
