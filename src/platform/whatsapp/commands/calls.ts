import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import type { CallMedia } from '../../../domain/call.ts'
import type { CommandResult } from '../../../domain/command.ts'
import { makePlatformId } from '../../../domain/ids.ts'
import { withoutDevice } from '../../../domain/jid.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { addressOf } from './addressing.ts'
import { sendAndAwaitAck } from './send-and-await-ack.ts'
import { isFinal, refused, transient, Unanswered } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import { node } from '../remembered/contact-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { type CallInfo, readCall } from '../to-event/call.ts'

const REJECT_TIMEOUT_MS = 10_000
/** Per caller and hour. */
const MAX_MESSAGES = 5
/** A call that another device answers, or that ends, rings no longer. */
const ENDS = new Set(['terminate', 'reject', 'accept'])

/**
 * Remembers who calls while it rings, and rejects the call at once if the session is set to. A call that rang while the
 * number was offline is over.
 */
export function takeCall(context: SessionContext, connection: Connection, stanza: BinaryNode): void {
  const call = readCall(context, stanza)
  if (!call || call.isOffline) return
  if (ENDS.has(call.tag)) context.ringing.delete(call.id)
  if (call.tag !== 'offer' && call.tag !== 'offer_notice') return
  context.ringing.set(call.id, call)
  const settings = context.callbacks.autoReject()
  if (!settings) return
  const rejected = reject(context, connection, call)
  context.rejections.set(call.id, rejected)
  if (settings.message) void rejected.then(() => reply(context, connection, call, settings.message ?? ''))
}

/** Rejects a call that rings; a repeated request has the outcome of the first. */
export async function rejectCall(context: SessionContext, { callId }: { callId: string }): Promise<CommandResult> {
  const connection = openConnection(context)
  const call = context.ringing.get(callId)
  const rejected = context.rejections.get(callId) ?? (call && reject(context, connection, call))
  if (rejected === undefined) throw refused('no such call is ringing', 'not_found')
  context.rejections.set(callId, rejected)
  if (await rejected) return { kind: 'done' }
  context.rejections.delete(callId)
  throw new Unanswered()
}

const TOKEN = /^[\w-]{1,200}$/
const PATHS: Record<CallMedia, string> = { audio: 'voice', video: 'video' }

/** A link under which anyone can join a call with the number. */
export async function createCallLink(context: SessionContext, { media }: { media: CallMedia }): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const asked = node('call', { to: '@call' }, [node('link_create', { media })])
  const answer = (await sock.query(asked)) as BinaryNode | undefined
  if (!answer) throw new Unanswered()
  const code = Number(answer.attrs.error)
  if (isFinal(code)) throw refused(`the platform refused the request (${code})`)
  const token = getBinaryNodeChild(answer, 'link_create')?.attrs.token ?? ''
  if (!TOKEN.test(token)) throw transient('the platform gave no link')
  return { kind: 'call_link', token, url: `https://call.whatsapp.com/${PATHS[media]}/${token}` }
}

async function reject(
  { clock }: SessionContext,
  { sock }: Connection,
  call: Pick<CallInfo, 'id' | 'creator'>,
): Promise<boolean> {
  const rejecting = sock.rejectCall(call.id, call.creator).then(
    () => true,
    () => false,
  )
  return (await resolveWithin(clock, REJECT_TIMEOUT_MS, rejecting)) ?? false
}

async function reply(context: SessionContext, connection: Connection, call: CallInfo, text: string): Promise<void> {
  const { autoReplies, callbacks, lids } = context
  const caller = withoutDevice(call.creator)
  const times = (autoReplies.get(caller) ?? 0) + 1
  if (times > MAX_MESSAGES) return callbacks.onDropped('auto_reject_message_too_often')
  autoReplies.set(caller, times)
  try {
    const to = await lids.phoneFirst(caller)
    const address = await addressOf(context, connection, to)
    const prepared = { address, platformId: makePlatformId(), message: { extendedTextMessage: { text } } }
    await sendAndAwaitAck(context, connection, prepared, new AbortController().signal)
  } catch {
    callbacks.onDropped('auto_reject_message_failed')
  }
}
