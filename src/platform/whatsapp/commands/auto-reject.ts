import { setTimeout as sleep } from 'node:timers/promises'
import type { BinaryNode } from 'baileys'
import { makePlatformId } from '../../../domain/ids.ts'
import { withoutDevice } from '../../../domain/jid.ts'
import { deliver } from './deliver.ts'
import type { Connection } from '../link/connection.ts'
import type { SessionContext } from '../session-context.ts'
import { type CallInfo, readCall } from '../to-event/call.ts'

const REJECT_TIMEOUT_MS = 10_000

/** Rejects a call as soon as it rings, if the customer wants that. One that rang while we were away is over. */
export function rejectIfWanted(context: SessionContext, connection: Connection, stanza: BinaryNode): void {
  const call = readCall(stanza)
  if (!call || call.isOffline || (call.tag !== 'offer' && call.tag !== 'offer_notice')) return
  const wanted = context.callbacks.autoReject()
  if (!wanted) return
  const rejected = reject(connection, call)
  context.rejections.set(call.id, rejected)
  if (wanted.message) void rejected.then(() => answer(context, connection, call, wanted.message ?? ''))
}

async function reject({ sock }: Connection, call: CallInfo): Promise<boolean> {
  const rejecting = sock.rejectCall(call.id, call.creator).then(
    () => true,
    () => false,
  )
  return Promise.race([rejecting, sleep(REJECT_TIMEOUT_MS, false, { ref: false })])
}

async function answer(context: SessionContext, connection: Connection, call: CallInfo, text: string): Promise<void> {
  try {
    const to = await context.lids.phoneFirst(call.creatorPhone ?? withoutDevice(call.creator))
    const parcel = { to, platformId: makePlatformId(), message: { extendedTextMessage: { text } } }
    await deliver(context, connection, parcel, new AbortController().signal)
  } catch {
    context.callbacks.onDropped('auto_reject_message_failed')
  }
}
