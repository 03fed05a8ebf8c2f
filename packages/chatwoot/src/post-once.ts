import type { Clock } from './clock.ts'
import { field } from './json.ts'
import type { BridgeLedger, Job } from './ledger.ts'
import { type ChatwootApi, ChatwootError, type NewMessage } from './chatwoot-api.ts'
import { RetryLater } from './keyed-queues.ts'

const PAGE = 100

export interface PostDeps {
  ledger: BridgeLedger
  api: ChatwootApi
  clock: Pick<Clock, 'now'>
  /** How long Chatwoot may continue to work on a request without a response. */
  graceMs: number
}

/** A message of Chatwoot and its conversation. */
export interface Posted {
  id: number
  conversationId: number
}

/** A conversation. The id of the next message is higher than `after`. */
export interface Place {
  conversationId: number
  after: number
}

/** Finds the message of an earlier attempt. While Chatwoot may still work on that attempt, the result is unknown. */
export async function findPosted(deps: PostDeps, job: Job, source: string): Promise<Posted | undefined> {
  const { begunMs, begunIn: conversationId, begunAfter: after } = job
  if (begunMs === null || conversationId === null || after === null) return undefined
  const id = await findBySource(deps.api, { conversationId, after }, source)
  if (id !== undefined) return { id, conversationId }
  const leftMs = begunMs + deps.graceMs - deps.clock.now().getTime()
  if (leftMs > 0) throw new RetryLater('an attempt has not been answered', { afterMs: Math.min(leftMs, 1_000) })
  return undefined
}

async function findBySource(api: ChatwootApi, place: Place, source: string): Promise<number | undefined> {
  let { after } = place
  for (;;) {
    const page = await api.messagesAfter(place.conversationId, after).catch(emptyIfGone)
    const ids = page.map(message => Number(field(message, 'id')))
    const at = page.findIndex(message => field(message, 'source_id') === source)
    if (at !== -1) return ids[at]
    if (page.length < PAGE) return undefined
    after = Math.max(after + 1, ...ids)
  }
}

function emptyIfGone(error: unknown): Array<Record<string, unknown>> {
  if (error instanceof ChatwootError && error.isGone) return []
  throw error
}

/** Posts a message. The ledger records the attempt, so that a later one can find its result. */
export async function post(deps: PostDeps, jobId: number, place: Place, message: NewMessage): Promise<number> {
  deps.ledger.beginAttempt(jobId, place)
  try {
    return await deps.api.createMessage(place.conversationId, message)
  } catch (error) {
    if (error instanceof ChatwootError && !error.isUnknown) deps.ledger.clearAttempt(jobId)
    throw error
  }
}
