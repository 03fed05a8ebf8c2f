import type { Context } from '../context.ts'
import { type Account, messageLimitsOf } from '../domain/account.ts'
import { composeOutgoing, composeSendAt, type SendBody } from '../domain/compose.ts'
import {
  conflicting,
  foreignSession,
  GatewayError,
  keyReused,
  mediaNotFetched,
  mediaNotKept,
  mediaTooLarge,
  messageRefused,
  notHosted,
  uploadNotForNumber,
  uploadNotKept,
} from '../domain/errors.ts'
import { canonical, isSamePrint } from '../domain/fingerprint.ts'
import { makeId } from '../domain/ids.ts'
import { type JidKind, jidKind, parseRecipient } from '../domain/jid.ts'
import { maxBytesOf } from '../domain/media.ts'
import type { Content, MediaType, Outgoing } from '../domain/message.ts'
import { aboutMessage } from '../domain/sealed.ts'
import { SANDBOX_PREFIX, type SessionState } from '../domain/session.ts'
import { uploadIdOf } from '../domain/upload.ts'
import { checkUrl, urlError } from '../net/target-url.ts'
import { getOwn } from '../runtime/get-own.ts'
import type { Store } from '../store/store.ts'
import type { AcceptRequest, AcceptResult } from '../store/messages/accept-messages.ts'
import { requestIdOf } from '../store/messages/insert-messages.ts'
import type { FirstAnswer } from '../store/messages/repeated-requests.ts'
import { isReferring, resolveMessageIds } from './resolve-message-id.ts'
import { tracedCommit, type TracedDeps } from '../observability/tracing/traced-commit.ts'

export type SendDeps = Pick<Context, 'seal' | 'platformIds' | 'clock' | 'metrics' | 'targets'> &
  TracedDeps & { store: Pick<Store, 'media' | 'messages' | 'uploads'> }

interface FileDeps {
  store: Pick<Store, 'media' | 'uploads'>
}

export interface SendRequest {
  account: Account
  sessionId: string
  /** The numbers that the caller may see; `null`: all of the account. */
  sessionIds: readonly string[] | null
  state: SessionState
  /** Whether a worker can take it now. */
  reachable: boolean
  body: SendBody
  idempotencyKey: string | null
  /** The `traceparent` of the request; `null` if spans are not collected. */
  trace: string | null
}

interface StoredPart {
  id: string
  type: MediaType
  /** The field that names it. */
  param: string
}

export interface ComposedSend {
  to: string
  outgoing: Outgoing
  sendAt: number | null
  /** The uploaded file that it sends. */
  uploadId: string | undefined
  /** The stored files that it sends, or the picture of its preview. */
  media: StoredPart[]
}

export interface SendAnswer extends FirstAnswer {
  repeated: boolean
}

/** A session that is offline now still accepts a message that is scheduled this far ahead. */
const OFFLINE_AHEAD_MS = 60_000

/** The checks of a send that need no store: throws 400 if it is not well formed. */
export function composeSend(deps: Pick<SendDeps, 'targets' | 'clock'>, body: SendBody): ComposedSend {
  const to = parseRecipient('to', body.to)
  const isSandbox = body.session_id.startsWith(SANDBOX_PREFIX)
  const outgoing = composeOutgoing(body)
  if (outgoing.content.type === 'reaction' && jidKind(to) === 'channel') {
    throw conflicting(
      'reacted_message_id: to a post of a channel, react through /v1/sessions/{id}/newsletters/{nl}/react',
      'reacted_message_id',
    )
  }
  const kind = jidKind(to)
  checkPlace(outgoing.content, kind)
  if (outgoing.typingMs !== undefined && (kind === 'channel' || kind === 'status'))
    throw conflicting('typing_ms is for people and groups: a channel and a status show no typing', 'typing_ms')
  if (outgoing.audience !== undefined && kind !== 'status')
    throw conflicting('audience is for posts to status@broadcast', 'audience')
  const uploadId = body.media_url === undefined ? undefined : uploadIdOf(body.media_url)
  if (uploadId !== undefined && !isSandbox) throw uploadNotForNumber()
  const { content } = outgoing
  const media = storedPartsOf(body, content)
  if (content.type === 'media' && uploadId === undefined && media.length === 0)
    checkTarget(deps, 'media_url', content.url)
  if (content.type === 'text' && content.previewImage !== undefined && media.length === 0)
    checkTarget(deps, 'link_preview.image_url', content.previewImage)
  for (const { media_url: url } of body.carousel ?? [])
    if (url !== undefined) checkTarget(deps, 'carousel.media_url', url)
  return { to, outgoing, sendAt: composeSendAt(body.send_at, deps.clock.now().getTime()), uploadId, media }
}

/** A send that only has to be stored, and nothing looked up or waited for; `undefined` for any other. */
export function regularSend(deps: SendDeps, request: SendRequest, composed: ComposedSend): AcceptRequest | undefined {
  const { outgoing, uploadId, media, to } = composed
  const isRegular = request.reachable && uploadId === undefined && media.length === 0 && !isReferring(outgoing)
  if (!isRegular || jidKind(to) === 'channel') return undefined
  return toAcceptRequest(deps, request, composed, printOf(deps, request))
}

/** Contents that only people and groups have, by the field that selects them. */
const CHAT_FIELDS: Partial<Record<Content['type'], string>> = {
  carousel: 'carousel',
  event: 'event',
  event_change: 'event_change',
  event_answer: 'event_answer',
  album: 'album',
  pin: 'pin',
  keep: 'keep',
}

function checkPlace(content: Content, kind: JidKind | undefined): void {
  const field = getOwn(CHAT_FIELDS, content.type) ?? (content.type === 'media' && content.album && 'album_message_id')
  if (field && (kind === 'channel' || kind === 'status')) throw conflicting(`${field} is for people and groups`, field)
  if (content.type === 'forward' && kind === 'channel')
    throw conflicting('forward_message_id is not for channels: send the content with forwarded', 'forward_message_id')
}

function storedPartsOf(
  { media_id: id, link_preview: preview, carousel = [] }: SendBody,
  content: Content,
): StoredPart[] {
  if (content.type === 'media' && id !== undefined) return [{ id, type: content.mediaType, param: 'media_id' }]
  const imageId = typeof preview === 'object' ? preview.image_media_id : undefined
  if (imageId !== undefined) return [{ id: imageId, type: 'image', param: 'link_preview.image_media_id' }]
  const cards = new Set(carousel.flatMap(({ media_id: mediaId }) => (mediaId === undefined ? [] : [mediaId])))
  return [...cards].map(each => ({ id: each, type: 'image', param: 'carousel.media_id' }))
}

function checkTarget({ targets }: Pick<SendDeps, 'targets'>, param: string, url: string): void {
  const verdict = checkUrl(url, { ...targets, requireHttps: false })
  if (!verdict.ok) throw urlError(param, verdict.reason)
}

/** Accepts a message: when this resolves, it is durable, with its command. A known key gets its first response. */
export async function sendMessage(deps: SendDeps, request: SendRequest, composed: ComposedSend): Promise<SendAnswer> {
  const print = printOf(deps, request)
  if (!request.reachable && !isFarAhead(deps, composed.sendAt)) {
    return await repeatOrReject(deps, request, print, notHosted(request.state))
  }
  const { uploadId, sendAt } = composed
  if (uploadId !== undefined && !(await prolongUpload(deps, request, uploadId, sendAt)))
    return await repeatOrReject(deps, request, print, uploadNotKept())
  for (const part of composed.media) {
    const unusable = await useMedia(deps, request, part, sendAt)
    if (unusable !== undefined) return await repeatOrReject(deps, request, print, unusable)
  }
  const { outgoing } = composed
  const resolved = isReferring(outgoing) ? await resolveOutgoing(deps, request, composed) : outgoing
  if (resolved instanceof GatewayError) return await repeatOrReject(deps, request, print, resolved)
  const acceptRequest = toAcceptRequest(deps, request, { ...composed, outgoing: resolved }, print)
  return acceptedAnswer(deps, acceptRequest, await accept(deps, request, acceptRequest))
}

const printOf = ({ seal }: SendDeps, { idempotencyKey, body }: SendRequest): Buffer | null =>
  idempotencyKey === null ? null : seal.print(canonical(body))

/** Returns why the message may not refer to another one. */
async function resolveOutgoing(
  deps: SendDeps,
  { account, sessionId }: SendRequest,
  { to, outgoing, sendAt }: ComposedSend,
): Promise<Outgoing | GatewayError> {
  const atMs = sendAt ?? deps.clock.now().getTime()
  try {
    return await resolveMessageIds(deps, { accountId: account.id, sessionId, to, atMs }, outgoing)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

function accept(deps: SendDeps, { trace, account }: SendRequest, request: AcceptRequest): Promise<AcceptResult> {
  if (trace === null) return deps.store.messages.acceptMessage(request)
  const traced = { trace, commandId: request.message.id, kind: 'send', accountId: account.id }
  return tracedCommit(deps, traced, traceparent => deps.store.messages.acceptMessage({ ...request, traceparent }))
}

const isFarAhead = ({ clock }: SendDeps, sendAt: number | null): boolean =>
  sendAt !== null && sendAt >= clock.now().getTime() + OFFLINE_AHEAD_MS

/** Extends the expiry of the uploaded file to the last attempt of the message; returns whether the file exists. */
export async function prolongUpload(
  { store }: FileDeps,
  { account, sessionId }: Pick<SendRequest, 'account' | 'sessionId'>,
  id: string,
  sendAt: number | null,
): Promise<boolean> {
  return await store.uploads.prolongUpload({ id, accountId: account.id, sessionId, sendAt })
}

/** Keeps the stored file until the message is sent; returns why the message cannot send it. */
export async function useMedia(
  { store }: FileDeps,
  { account, sessionId, sessionIds }: Pick<SendRequest, 'account' | 'sessionId' | 'sessionIds'>,
  { id, type, param }: StoredPart,
  sendAt: number | null,
): Promise<GatewayError | undefined> {
  const found = await store.media.useMedia({ id, accountId: account.id, sendAt })
  const receivedBy = found?.sessionId ?? sessionId
  if (found === undefined || (sessionIds !== null && !sessionIds.includes(receivedBy))) return mediaNotKept(param)
  if (found.state === 'remote') return mediaNotFetched(param)
  const max = maxBytesOf(type)
  return found.bytes > max ? mediaTooLarge(type, max, param) : undefined
}

/** Repeats the response to a request whose message was accepted, even if it could not be accepted now. */
async function repeatOrReject(
  { store }: SendDeps,
  { account, idempotencyKey: requestKey }: SendRequest,
  print: Buffer | null,
  rejection: GatewayError,
): Promise<SendAnswer> {
  const first =
    requestKey === null ? undefined : await store.messages.findRepeated({ accountId: account.id, requestKey })
  if (first === undefined) throw rejection
  if (!isSamePrint(print!, first.fingerprint)) throw keyReused()
  return { ...first, repeated: true }
}

function toAcceptRequest(
  { seal, platformIds }: SendDeps,
  { account, sessionId, idempotencyKey, body }: SendRequest,
  { to, outgoing, sendAt }: ComposedSend,
  print: Buffer | null,
): AcceptRequest {
  const id = makeId('msg')
  return {
    accountId: account.id,
    limits: messageLimitsOf(account),
    message: {
      id,
      sessionId,
      requestKey: idempotencyKey,
      fingerprint: print,
      to,
      type: outgoing.content.type,
      platformId: platformIds.of(id),
      sendAt,
      priority: body.priority === 'high' ? 1 : null,
    },
    sealedContent: seal.sealJson(outgoing, aboutMessage(id)),
  }
}

/** The answer to an accepted or repeated request; throws for any other result. */
export function acceptedAnswer(
  { metrics }: Pick<SendDeps, 'metrics'>,
  { message, limits }: AcceptRequest,
  result: AcceptResult,
): SendAnswer {
  switch (result.kind) {
    case 'accepted': {
      metrics.accepted.inc()
      const { id: messageId, sessionId, to } = message
      return { messageId, requestId: requestIdOf(message), sessionId, to, serverId: null, repeated: false }
    }
    case 'repeated':
      return { ...result.first, repeated: true }
    case 'mismatch':
      throw keyReused()
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

const SERVER_ID_WAIT_MS = 10_000
const POLL_MS = 50

/** For a channel that the number manages the response carries `server_id`, when the platform returns it in time. */
export async function awaitServerId(
  { store, clock }: Pick<Context, 'clock'> & { store: Pick<Store, 'messages'> },
  answer: SendAnswer,
  gone: () => AbortSignal,
): Promise<SendAnswer> {
  if (answer.repeated) return answer
  const signal = gone()
  const deadlineMs = clock.monotonicMs() + SERVER_ID_WAIT_MS
  while (clock.monotonicMs() < deadlineMs && !signal.aborted) {
    const message = await store.messages.getMessage(answer.messageId)
    if (message === undefined) return answer
    if (message.serverId !== null) return { ...answer, serverId: message.serverId }
    if (message.state !== 'queued') return answer
    await clock.sleep(POLL_MS, signal)
  }
  return answer
}
