import type { SendBody } from '../domain/compose.ts'
import type { Reply } from '../domain/delivery.ts'
import { bodyInvalid, GatewayError, notHosted, text } from '../domain/errors.ts'
import type { MessageEvent } from '../domain/event.ts'
import { digitsOf, jidKind, parseSessionId, phoneJid } from '../domain/jid.ts'
import { isReachable } from '../domain/session.ts'
import { retryUntilReachable } from '../store/retry-until-reachable.ts'
import type { Store } from '../store/store.ts'
import { composeSend, type SendDeps, sendMessage } from './send-message.ts'

export type ReplyDeps = SendDeps & { store: Pick<Store, 'accounts' | 'messages' | 'sessions'>; signal: AbortSignal }

/** The content of a send, whose number and recipient are those of a message. Throws a 400 if it is not well formed. */
export type ParseReply = (value: unknown) => Omit<SendBody, 'session_id' | 'to'>

export interface AnsweredMessage {
  accountId: string
  endpointId: string
  /** The numbers of the endpoint; `null`: all of the account. */
  sessionIds: readonly string[] | null
  eventId: string
  message: Pick<MessageEvent, 'session_id' | 'chat_jid' | 'sender_jid' | 'sender_phone'>
  /** The JSON that the endpoint answered with; `null` if it did not arrive whole. */
  answer: string | null
}

/** Sends an endpoint's answer to the chat of the message, once for each event, however often the event is delivered. */
export async function acceptReply(deps: ReplyDeps, parse: ParseReply, answered: AnsweredMessage): Promise<Reply> {
  try {
    return await retryUntilReachable(deps.clock, () => accept(deps, parse, answered), { signal: deps.signal })
  } catch (error) {
    if (error instanceof GatewayError) return refused(error.code, paramOf(error))
    throw error
  }
}

const refused = (code: string, param: string | null = null): Reply => ({
  status: 'refused',
  messageId: null,
  code,
  param,
})

/** A field that the gateway does not know may be content, except for those that other sends have. */
const paramOf = ({ code, param }: GatewayError): string | null =>
  param === undefined || (code === 'parameter_unknown' && param !== 'to' && param !== 'session_id') ? null : param

async function accept(deps: ReplyDeps, parse: ParseReply, answered: AnsweredMessage): Promise<Reply> {
  const { accountId, endpointId, eventId, message, answer } = answered
  if (answer === null) return refused('answer_incomplete')
  const content = parse(parseJson(answer))
  // Two numbers of an account would answer each other for ever.
  if (await isOwnNumber(deps, accountId, message)) return refused('own_number')
  const [account, session] = await Promise.all([
    deps.store.accounts.getAccount(accountId),
    deps.store.sessions.getSession(parseSessionId(message.session_id) ?? ''),
  ])
  if (session?.accountId !== accountId || account === undefined) throw notHosted()
  if (account.tosAcceptedAt === null) throw new GatewayError('terms_not_accepted', text.termsNotAccepted)
  const body: SendBody = { ...content, session_id: session.id, to: message.chat_jid }
  const requestKey = `reply:${endpointId}:${eventId}`
  const request = {
    account,
    sessionId: session.id,
    sessionIds: answered.sessionIds,
    state: session.state,
    reachable: isReachable(session),
    body,
    idempotencyKey: requestKey,
    trace: null,
  }
  try {
    const { messageId, repeated } = await sendMessage(deps, request, composeSend(deps, body))
    return { status: repeated ? 'repeated' : 'accepted', messageId, code: null, param: null }
  } catch (error) {
    // The endpoint got the event twice and answered it differently: the first answer counts.
    if (!(error instanceof GatewayError) || error.code !== 'idempotency_key_reused') throw error
    const first = await deps.store.messages.findRepeated({ accountId, requestKey })
    return { status: 'repeated', messageId: first?.messageId ?? null, code: null, param: null }
  }
}

function parseJson(answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch {
    throw bodyInvalid('the answer is not JSON')
  }
}

async function isOwnNumber(
  { store }: Pick<ReplyDeps, 'store'>,
  accountId: string,
  { sender_jid, sender_phone }: AnsweredMessage['message'],
): Promise<boolean> {
  const phone = sender_phone ?? (jidKind(sender_jid) === 'user' ? sender_jid : undefined)
  if (phone === undefined) return false
  const sender = await store.sessions.getSession(phoneJid(digitsOf(phone)))
  return sender?.accountId === accountId
}
