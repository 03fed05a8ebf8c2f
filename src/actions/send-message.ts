import type { Context } from '../context.ts'
import { type Account, messageLimitsOf } from '../domain/account.ts'
import { composeOutgoing, composeSendAt, type SendBody } from '../domain/compose.ts'
import { foreignSession, invalid, messageRefused, notHosted, text } from '../domain/errors.ts'
import { fingerprint, isSamePrint } from '../domain/fingerprint.ts'
import { makeId, makePlatformId } from '../domain/ids.ts'
import { jidKind, parseRecipient } from '../domain/jid.ts'
import type { Outgoing } from '../domain/message.ts'
import { aboutMessage } from '../domain/sealed.ts'
import { checkUrl, urlRefusalText } from '../net/target-url.ts'
import type { FirstAnswer } from '../store/units/messages/repeated-requests.ts'

type Parts = Pick<Context, 'store' | 'seal' | 'clock' | 'metrics' | 'targets'>

export interface SendRequest {
  account: Account
  sessionId: string
  /** Whether a worker can take it now. */
  reachable: boolean
  body: SendBody
  idempotencyKey: string | null
}

export interface SendAnswer extends FirstAnswer {
  repeated: boolean
}

/** A worker may be back by then: a message this far ahead is accepted for a session that is offline now. */
const OFFLINE_AHEAD_MS = 60_000
const CHANNEL_WAIT_MS = 10_000
const CHANNEL_POLL_MS = 50

/** What of a send can be judged without the store: throws 400 where it is not well formed. */
export function composeSend(parts: Pick<Parts, 'targets' | 'clock'>, body: SendBody) {
  const to = parseRecipient('to', body.to)
  const outgoing = composeOutgoing(body)
  if (outgoing.content.type === 'reaction' && jidKind(to) === 'channel') {
    throw invalid('reacted_message_id: to a post of a channel, react through /v1/sessions/{id}/newsletters/{nl}/react')
  }
  if (outgoing.content.type === 'media') {
    const verdict = checkUrl(outgoing.content.url, { ...parts.targets, requireHttps: false })
    if (!verdict.ok) throw invalid(urlRefusalText('media_url', verdict.reason))
  }
  return { to, outgoing, sendAt: composeSendAt(body.send_at, parts.clock.now().getTime()) }
}

/** Accepts a message: it is durable, with its command, when this resolves; a known key gets its first answer. */
export async function sendMessage(
  parts: Parts,
  request: SendRequest,
  composed: ReturnType<typeof composeSend>,
): Promise<SendAnswer> {
  const { account, sessionId, idempotencyKey } = request
  const print = idempotencyKey === null ? null : parts.seal.print(fingerprint(request.body))
  const { to, sendAt } = composed
  if (!request.reachable && (sendAt === null || sendAt < parts.clock.now().getTime() + OFFLINE_AHEAD_MS)) {
    return await repeatOrRefuse(parts, account.id, idempotencyKey, print)
  }
  const outgoing = await resolveIds(parts, account.id, composed.outgoing)
  const id = makeId('msg')
  const limits = messageLimitsOf(account)
  const result = await parts.store.messages.acceptMessage({
    accountId: account.id,
    limits,
    message: {
      id,
      sessionId,
      requestKey: idempotencyKey,
      fingerprint: print,
      requestId: idempotencyKey ?? id,
      to,
      type: outgoing.content.type,
      platformId: makePlatformId(),
      sendAt,
    },
    sealedContent: parts.seal.sealJson(outgoing, aboutMessage(id)),
    commandId: makeId('cmd'),
  })
  switch (result.kind) {
    case 'accepted':
      parts.metrics.accepted.inc()
      return { messageId: id, requestId: idempotencyKey ?? id, sessionId, to, serverId: null, repeated: false }
    case 'repeated':
      return { ...result.first, repeated: true }
    case 'mismatch':
      throw invalid(text.keyReused)
    case 'foreign':
      throw foreignSession()
    case 'limited':
      throw messageRefused(result, limits)
    default: {
      const never: never = result
      return never
    }
  }
}

/** A retry of an accepted message is answered as before, also when the session is offline by now. */
async function repeatOrRefuse(
  parts: Parts,
  accountId: string,
  key: string | null,
  print: Buffer | null,
): Promise<SendAnswer> {
  const first = key === null ? undefined : await parts.store.messages.findRepeated({ accountId, requestKey: key })
  if (first === undefined) throw notHosted()
  if (!isSamePrint(print!, first.fingerprint)) throw invalid(text.keyReused)
  return { ...first, repeated: true }
}

/** Wherever the platform's message id is wanted, our own is taken too. */
async function resolveIds(parts: Parts, accountId: string, outgoing: Outgoing): Promise<Outgoing> {
  const { content, quote } = outgoing
  return {
    content:
      content.type === 'reaction'
        ? {
            ...content,
            reactedMessageId: await platformIdOf(parts, accountId, 'reacted_message_id', content.reactedMessageId),
          }
        : content,
    quote: quote && { ...quote, messageId: await platformIdOf(parts, accountId, 'quoted_message_id', quote.messageId) },
  }
}

export async function platformIdOf(
  { store }: Pick<Context, 'store'>,
  accountId: string,
  field: string,
  messageId: string,
): Promise<string> {
  if (!messageId.startsWith('msg_')) return messageId
  const message = await store.messages.getMessage(messageId)
  if (message === undefined) throw invalid(`${field}: there is no message ${messageId}`)
  if (message.accountId !== accountId) throw foreignSession()
  return message.platformId
}

/** For a channel that the number manages the answer carries `server_id`, when the platform gives it in time. */
export async function awaitServerId(
  parts: Pick<Parts, 'store' | 'clock'>,
  answer: SendAnswer,
  gone: () => AbortSignal,
): Promise<SendAnswer> {
  if (jidKind(answer.to) !== 'channel' || answer.repeated) return answer
  const signal = gone()
  const deadline = parts.clock.now().getTime() + CHANNEL_WAIT_MS
  while (parts.clock.now().getTime() < deadline && !signal.aborted) {
    const message = await parts.store.messages.getMessage(answer.messageId)
    if (message === undefined) return answer
    if (message.serverId !== null) return { ...answer, serverId: message.serverId }
    if (message.state !== 'queued') return answer
    await parts.clock.sleep(CHANNEL_POLL_MS, signal)
  }
  return answer
}
