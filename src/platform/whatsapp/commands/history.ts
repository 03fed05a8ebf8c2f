import { jidNormalizedUser, proto } from 'baileys'
import type { CommandResult, HistoryRequest } from '../../../domain/command.ts'
import { failureOfAck, failureOfLibrary, refused } from '../errors.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { seenIn } from '../to-event/names.ts'
import { lastNameOf } from './addressing.ts'

/**
 * Asks the number's own phone for older messages of a chat. The platform keeps the request until the phone is reachable;
 * the phone names it in its answer.
 */
export async function requestHistory(
  context: SessionContext,
  { platformId, chatJid, beforeMessageId, beforeMs, count }: HistoryRequest,
): Promise<CommandResult> {
  const { sock, acks } = openConnection(context)
  const before = await seenIn(context, chatJid, beforeMessageId)
  if (!before) throw refused('before_message_id refers to no message of this chat that the gateway knows')
  const historySyncOnDemandRequest = {
    chatJid: await lastNameOf(context, chatJid),
    oldestMsgId: beforeMessageId,
    oldestMsgFromMe: before.fromMe,
    oldestMsgTimestampMs: beforeMs ?? context.clock.now().getTime(),
    onDemandMsgCount: count,
  }
  const protocolMessage = {
    type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_MESSAGE,
    peerDataOperationRequestMessage: {
      peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.HISTORY_SYNC_ON_DEMAND,
      historySyncOnDemandRequest,
    },
  }
  const expected = acks.expect(platformId)
  const own = jidNormalizedUser(sock.authState.creds.me!.id)
  try {
    await sock.relayMessage(
      own,
      { protocolMessage },
      {
        messageId: platformId,
        additionalAttributes: { category: 'peer', push_priority: 'high_force' },
        additionalNodes: [{ tag: 'meta', attrs: { appdata: 'default' } }],
      },
    )
  } catch (error) {
    throw failureOfLibrary(error, 'the phone')
  }
  expected.within(context.ackTimeoutMs)
  const ack = await expected.outcome
  if (ack === 'timeout' || ack === 'lost' || !ack.ok) throw failureOfAck(ack)
  return { kind: 'done' }
}
