import type { BinaryNode } from 'baileys'
import { makePlatformId } from '../../../domain/ids.ts'
import { withoutDevice } from '../../../domain/jid.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { addressOf } from './addressing.ts'
import { sendAndAwaitAck } from './send-and-await-ack.ts'
import type { Connection } from '../link/connection.ts'
import type { SessionContext } from '../session-context.ts'
import { type CallInfo, readCall } from '../to-event/call.ts'

const REJECT_TIMEOUT_MS = 10_000
/** Per caller and hour. */
const MAX_MESSAGES = 5

/**
 * Rejects a call as soon as it rings, if the session is set to. A call that rang while the number was offline is over.
 */
export function rejectIfEnabled(context: SessionContext, connection: Connection, stanza: BinaryNode): void {
  const call = readCall(context, stanza)
  if (!call || call.isOffline || (call.tag !== 'offer' && call.tag !== 'offer_notice')) return
  const settings = context.callbacks.autoReject()
  if (!settings) return
  const rejected = reject(context, connection, call)
  context.rejections.set(call.id, rejected)
  if (settings.message) void rejected.then(() => reply(context, connection, call, settings.message ?? ''))
}

async function reject({ clock }: SessionContext, { sock }: Connection, call: CallInfo): Promise<boolean> {
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
