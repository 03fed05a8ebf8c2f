import { acceptReply, type ParseReply, type ReplyDeps } from '../actions/accept-reply.ts'
import type { DueDelivery, Reply } from '../domain/delivery.ts'
import type { AnyEvent, MessageEvent } from '../domain/event.ts'
import { cutFile } from '../domain/event-bytes.ts'
import type { Answer } from '../net/post.ts'
import type { CurrentEndpoint } from './current-webhooks.ts'
import type { Lane } from './lane.ts'

export type TakeReplyDeps = ReplyDeps & {
  /** `null`: answers are not read. */
  parseReply: ParseReply | null
}

/** Whether the endpoint may answer this delivery: a replay repeats what is long past. */
export const mayReply = (
  { parseReply }: Pick<TakeReplyDeps, 'parseReply'>,
  endpoint: CurrentEndpoint | null,
  { origin }: Pick<DueDelivery, 'origin'>,
): boolean => endpoint?.reply === true && origin !== 'replay' && parseReply !== null

interface Delivered {
  lane: Lane
  delivery: DueDelivery
  endpoint: CurrentEndpoint
  payload: Buffer
  answer: Answer
}

/** Sends the answer of an endpoint to the chat of the message that it got; `undefined` if there is none to send. */
export async function takeReply(deps: TakeReplyDeps, delivered: Delivered): Promise<Reply | undefined> {
  const { lane, delivery, endpoint, payload, answer } = delivered
  const json = answerOf(answer)
  const message = json === undefined ? undefined : answerable(payload)
  if (json === undefined || message === undefined || deps.parseReply === null) return undefined
  const reply = await acceptReply(deps, deps.parseReply, {
    accountId: delivery.accountId,
    endpointId: lane.webhookId,
    sessionIds: endpoint.sessionIds,
    eventId: delivery.eventId,
    message,
    answer: json,
  })
  deps.metrics.replies.inc({ outcome: reply.status })
  return reply
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
const EMPTY = /^\s*(?:\{\s*\}|null)?\s*$/

/** The JSON of a successful response; `undefined` without one, `null` if it did not arrive whole. */
function answerOf({ ok, headers, body }: Answer): string | null | undefined {
  if (!ok || body === undefined || !JSON_TYPE.test(headers['content-type'] ?? '')) return undefined
  const json = body && body.toString('utf8')
  return json !== null && EMPTY.test(json) ? undefined : json
}

/**
 * The message that the payload is; `undefined` for other events, for messages of the number itself, for status posts and
 * for messages of the history, which people have written long ago.
 */
function answerable(payload: Buffer): MessageEvent | undefined {
  const event = JSON.parse(cutFile(payload).rest.toString('utf8')) as AnyEvent & {
    from_me?: boolean
    historic?: boolean
  }
  if (event.kind !== 'message' || event.broadcast) return undefined
  return event.from_me === true || event.historic === true ? undefined : event
}
