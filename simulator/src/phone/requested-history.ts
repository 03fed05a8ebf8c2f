import { proto } from 'baileys'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { encodedHistory, historyNotification, messagesIn } from './history.ts'
import { uploadFile } from './media-content.ts'

const { HISTORY_SYNC_ON_DEMAND } = proto.Message.PeerDataOperationRequestType
const { ON_DEMAND } = proto.HistorySync.HistorySyncType
const {
  COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: NO_MORE,
  COMPLETE_ON_DEMAND_SYNC_BUT_MORE_MSG_REMAIN_ON_PRIMARY: MORE,
} = proto.Conversation.EndOfHistoryTransferType

/** What a device asks its phone for: older messages of a chat. `undefined` for any other request. */
export function historyRequestIn(
  message: proto.IMessage,
): proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest | undefined {
  const { protocolMessage } = message.deviceSentMessage?.message ?? message
  const asked = protocolMessage?.peerDataOperationRequestMessage
  if (asked?.peerDataOperationRequestType !== HISTORY_SYNC_ON_DEMAND) return undefined
  return asked.historySyncOnDemandRequest ?? undefined
}

/** The messages in which the phone sends what a device asked for, newest messages first. */
export function requestedHistory(
  network: Network,
  user: User,
  requestId: string,
  {
    chatJid,
    oldestMsgId,
    oldestMsgTimestampMs,
    onDemandMsgCount,
  }: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
): proto.IMessage[] {
  const all = messagesIn(network, user, chatJid ?? '')
  const at = all.findIndex(({ key }) => key?.id === oldestMsgId)
  const before = Number(oldestMsgTimestampMs ?? 0) / 1000
  const older = at === -1 ? all.filter(({ messageTimestamp: t }) => Number(t) < before) : all.slice(at + 1)
  const wanted = older.slice(0, onDemandMsgCount ?? 50)
  const size = network.faults.historyParts.get(user.digits) ?? Math.max(1, wanted.length)
  const count = Math.max(1, Math.ceil(wanted.length / size))
  return Array.from({ length: count }, (_, part) => {
    const messages = wanted.slice(part * size, (part + 1) * size).map(message => ({ message }))
    const isLast = part === count - 1
    const conversation = {
      id: chatJid ?? '',
      messages,
      ...(isLast && { endOfHistoryTransferType: wanted.length < older.length ? MORE : NO_MORE }),
    }
    const file = uploadFile(network, encodedHistory(user, ON_DEMAND, { conversations: [conversation] }), 'md-msg-hist')
    const progress = Math.round((100 * (part + 1)) / count)
    return historyNotification(ON_DEMAND, { ...file, progress, peerDataRequestSessionId: requestId }, part + 1)
  })
}
