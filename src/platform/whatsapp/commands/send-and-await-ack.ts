import { type BinaryNode, proto } from 'baileys'
import type { CommandResult } from '../../../domain/command.ts'
import { jidKind, STATUS_BROADCAST } from '../../../domain/jid.ts'
import type { SeenMessage } from '../../platform.ts'
import type { Connection } from '../link/connection.ts'
import {
  failureOfAck,
  failureOfLibrary,
  linkDown,
  RESTRICTED_CODE,
  STALE_ADDRESSING_CODE,
  transient,
} from '../errors.ts'
import { isAnswered } from '../to-event/content.ts'
import { DEFAULT_RESTRICTION_MS, newChatCapOf, restrictionType } from '../received/account-limits.ts'
import { writeToDevices } from '../recipients/write-to-devices.ts'
import { partAttributesOf } from '../recipients/seal-key.ts'
import { inLibraryTransaction } from '../recipients/sessions.ts'
import { resolveWithin, TimedOut, withDeadline } from '../../../runtime/deadline.ts'
import { withoutWrapper } from '../to-message/wrapped.ts'
import { activityIn } from '../remembered/chat-activity.ts'
import type { SessionContext } from '../session-context.ts'
import { isOwn } from '../wire/own-names.ts'
import { type Address, refreshStaleLid } from './addressing.ts'
import { connectionUntil } from './attempt-connection.ts'
import { writePost } from './channel-post.ts'
import { sendToMissing } from './missing-devices.ts'
import { writeStatus } from './status.ts'
import { type Outcome, outcomeOf } from '../link/acks.ts'

/** A message ready for the wire. */
export interface PreparedMessage {
  address: Address
  platformId: string
  message: proto.IMessage
  /** Attributes of the stanza: `edit` for edits and revokes, `media_id` for a channel's file. */
  attributes?: Record<string, string>
  nodes?: BinaryNode[]
  /** Who sees a status post, if it was chosen. */
  audience?: string[]
}

const RESTRICTION_QUERY_MS = 3_000

/** Sends the message and waits for the server's ack. */
export async function sendAndAwaitAck(
  context: SessionContext,
  connection: Connection,
  prepared: PreparedMessage,
  signal: AbortSignal,
): Promise<CommandResult> {
  await context.heavyWork.mayBegin()
  if (signal.aborted) throw linkDown()
  keepCopy(context, prepared)
  const { to } = prepared.address
  let ack = await attempt(context, connection, prepared, signal)
  if (isRefusedWith(ack, STALE_ADDRESSING_CODE) && jidKind(to) === 'group') {
    // The group uses another kind of member names by now: one retry under the same id, with a fresh member list.
    context.groups.forget(to)
    ack = await attempt(context, connection, prepared, signal)
  }
  context.failingSends.note(connection, prepared.address.chat, ack)
  if (typeof ack === 'object' && ack.isLidStale) await refreshStaleLid(context, connection, prepared.address)
  if (typeof ack === 'object' && ack.ok) return { kind: 'sent', atMs: ack.atMs, serverId: ack.serverId }
  if (typeof ack === 'object') context.callbacks.onRefused(ack.code)
  if (isRefusedWith(ack, RESTRICTED_CODE)) await noteRestriction(context, connection)
  throw failureOfAck(ack)
}

const isRefusedWith = (ack: Outcome, code: number): boolean => typeof ack === 'object' && !ack.ok && ack.code === code

/** Sends the message once and returns the server's ack. */
async function attempt(
  context: SessionContext,
  connection: Connection,
  prepared: PreparedMessage,
  signal: AbortSignal,
): Promise<Outcome> {
  const expected = connection.acks.expect(prepared.platformId)
  // The time for the ack begins when the message is written.
  const relayed = relayWithin(context, connection, prepared, signal).then(() => {
    expected.within(context.ackTimeoutMs)
    return expected.outcome
  })
  let isAccepted = false
  let hash: string | undefined
  try {
    const ack = await unlessAborted(Promise.race([expected.outcome, relayed]), signal)
    reportOutcome(context, prepared.address, ack)
    isAccepted = typeof ack === 'object' && ack.ok
    hash = typeof ack === 'object' ? ack.hash : undefined
    return ack
  } finally {
    // A message that never left gets no ack.
    expected.resolve('lost')
    const sentTo = context.recipients.finish(prepared.address.to, isAccepted, hash)
    if (sentTo) void sendToMissing(context, connection, prepared, sentTo).catch(() => {})
  }
}

/** Durable before the message leaves: a recipient's device may request it again, and votes need the secret. */
function keepCopy(context: SessionContext, { address, platformId, message }: PreparedMessage): void {
  const secret = message.messageContextInfo?.messageSecret
  const seen: SeenMessage = {
    messageId: platformId,
    chatJid: address.chat,
    senderJid: context.sessionId,
    fromMe: true,
    ...(isAnswered(message) && secret && { secret, isAnswered: true }),
  }
  const encoded = proto.Message.encode(message).finish()
  const changes = context.link.state()?.changes
  if (!changes || changes.hasEnded()) throw linkDown()
  const chats = activityIn(context, address.chat, context.clock.now().getTime())
  changes.add({ sent: [{ platformId, encoded, seen }], ...(chats && { chats }) })
}

/** The first message to a large group begins sessions with thousands of devices: a later attempt continues there. */
async function relayWithin(
  context: SessionContext,
  connection: Connection,
  prepared: PreparedMessage,
  signal: AbortSignal,
): Promise<void> {
  const { clock, prepareTimeoutMs } = context
  try {
    await withDeadline(
      clock,
      prepareTimeoutMs,
      ending => relay(context, connectionUntil(connection, ending), prepared),
      signal,
    )
  } catch (error) {
    throw error instanceof TimedOut ? transient('the message could not be prepared in time') : error
  }
}

async function relay(context: SessionContext, { sock }: Connection, prepared: PreparedMessage): Promise<void> {
  const { address, platformId, message } = prepared
  const { to, phone } = address
  const { recipients } = context
  if (isOwn(sock.authState.creds, to)) return await relayToSelf(context, sock, prepared)
  const token = address.form === 'lid' ? await context.tokens.nodeFor(to) : undefined
  const nodes = [...(prepared.nodes ?? []), ...(token ? [token] : [])]
  const attributes = { ...prepared.attributes, ...(phone !== undefined && { peer_recipient_pn: phone }) }
  try {
    if (to === STATUS_BROADCAST) {
      const { audience } = prepared
      return await writeStatus(context, sock, { platformId, message, attributes, nodes, audience })
    }
    if (jidKind(to) === 'channel') return await writePost(sock, { to, platformId, message, attributes, nodes })
    await recipients.reach(sock, to, partAttributesOf(message), keyNodes =>
      inLibraryTransaction(sock, () =>
        sock.relayMessage(to, withoutWrapper(message), {
          messageId: platformId,
          additionalAttributes: { ...attributes, ...recipients.hashAttribute(to) },
          additionalNodes: [...keyNodes, ...nodes],
        }),
      ),
    )
  } catch (error) {
    throw failureOfLibrary(error, jidKind(to) === 'group' ? 'the group' : 'the recipient')
  }
}

/** A message of the number to itself has no token: tokens are for other people. */
async function relayToSelf(
  context: SessionContext,
  sock: Connection['sock'],
  prepared: PreparedMessage,
): Promise<void> {
  const { address, platformId, message, attributes = {}, nodes = [] } = prepared
  const { to } = address
  try {
    await writeToDevices(sock, { to, platformId, message, attributes, nodes }, await context.recipients.own(sock, to))
  } catch (error) {
    throw failureOfLibrary(error, 'the recipient')
  }
}

/**
 * A rejection alone does not prove that the number is restricted: the platform is queried, and a timeout counts as a
 * yes.
 */
async function noteRestriction(context: SessionContext, connection: Connection): Promise<void> {
  const { clock, callbacks } = context
  if (await queryRestriction(context, connection)) return
  callbacks.onRestricted({ untilMs: clock.now().getTime() + DEFAULT_RESTRICTION_MS, type: null })
}

/** Reports whether the number is restricted; returns false if the platform does not answer. */
export async function queryRestriction(context: SessionContext, { sock }: Connection): Promise<boolean> {
  const { clock, callbacks } = context
  const query = sock.fetchAccountReachoutTimelock().catch(() => undefined)
  const lock = await resolveWithin(clock, RESTRICTION_QUERY_MS, query)
  if (!lock) return false
  const untilMs = lock.timeEnforcementEnds?.getTime() ?? clock.now().getTime() + DEFAULT_RESTRICTION_MS
  callbacks.onRestricted(lock.isActive ? { untilMs, type: restrictionType(lock.enforcementType) } : null)
  return true
}

/** Reports the limit of new chats, if the platform answers. */
export async function queryNewChats({ clock, callbacks }: SessionContext, { sock }: Connection): Promise<void> {
  const query = sock.fetchNewChatMessageCap().catch(() => undefined)
  const cap = newChatCapOf(await resolveWithin(clock, RESTRICTION_QUERY_MS, query), clock.now().getTime())
  if (cap) callbacks.onNewChatCap(cap)
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(linkDown())
    signal.addEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Reports the outcome of a direct message by the kind of name that it used. */
function reportOutcome(context: SessionContext, address: Address, ack: Outcome): void {
  const { form, to, chat, phone } = address
  if (form === undefined) return
  context.callbacks.onAddressed(form, outcomeOf(ack))
  if (typeof ack === 'object' && ack.ok) context.chatNames.set(phone ?? chat, to)
}
