import type { Clock } from '../../runtime/clock.ts'
import { getOwn } from '../../runtime/get-own.ts'
import type { BridgeLedger, Job } from '../../store/bridge/bridge-ledger.ts'
import { type ChatwootApi, ChatwootRefusal, type NewMessage } from './chatwoot-api.ts'
import { Again } from './lanes.ts'

const PAGE = 100

export interface PostParts {
  ledger: BridgeLedger
  api: ChatwootApi
  clock: Pick<Clock, 'now'>
  /** How long Chatwoot may still be at work with a request that it has not answered. */
  settledMs: number
}

/** A message of Chatwoot, and where it is. */
export interface Posted {
  id: number
  conversationId: number
}

/** A conversation; what is posted there now has a higher id than `after`. */
export interface Place {
  conversationId: number
  after: number
}

/** What an earlier attempt may have posted. Before Chatwoot can have ended with that attempt, nobody can know. */
export async function findPosted(parts: PostParts, job: Job, source: string): Promise<Posted | undefined> {
  const { begunMs, begunIn: conversationId, begunAfter: after } = job
  if (begunMs === null || conversationId === null || after === null) return undefined
  const id = await findBySource(parts.api, { conversationId, after }, source)
  if (id !== undefined) return { id, conversationId }
  const leftMs = begunMs + parts.settledMs - parts.clock.now().getTime()
  if (leftMs > 0) throw new Again('an attempt has not been answered', { afterMs: Math.min(leftMs, 1_000) })
  return undefined
}

async function findBySource(api: ChatwootApi, place: Place, source: string): Promise<number | undefined> {
  let { after } = place
  for (;;) {
    const page = await api.messagesAfter(place.conversationId, after).catch(noneWhereGone)
    const ids = page.map(message => Number(getOwn(message, 'id')))
    const at = page.findIndex(message => getOwn(message, 'source_id') === source)
    if (at !== -1) return ids[at]
    if (page.length < PAGE) return undefined
    after = Math.max(after + 1, ...ids)
  }
}

function noneWhereGone(error: unknown): Array<Record<string, unknown>> {
  if (error instanceof ChatwootRefusal && error.isGone) return []
  throw error
}

/** Posts a message in such a way that a later attempt knows of this one. */
export async function post(parts: PostParts, jobId: number, place: Place, message: NewMessage): Promise<number> {
  parts.ledger.begin(jobId, place)
  try {
    return await parts.api.createMessage(place.conversationId, message)
  } catch (error) {
    if (error instanceof ChatwootRefusal && !error.isUnknown) parts.ledger.takeBack(jobId)
    throw error
  }
}
