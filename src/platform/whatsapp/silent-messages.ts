import { getContentType, normalizeMessageContent, proto, type WAMessage } from 'baileys'

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

/** Contents that tell something to the app, not to a person. */
const NOT_SHOWN = new Set<string>([
  'encReactionMessage',
  'encCommentMessage',
  'encEventResponseMessage',
  'keepInChatMessage',
  'pinInChatMessage',
  'pollResultSnapshotMessage',
  'secretEncryptedMessage',
  'stickerSyncRmrMessage',
  'botInvokeMessage',
])

/** Why a received message is no event; `undefined` when it is one. */
export function silentReason(received: Pick<WAMessage, 'key' | 'message'>): string | undefined {
  const content = normalizeMessageContent(received.message)
  const protocol = content?.protocolMessage
  if (protocol && protocol.type !== MESSAGE_EDIT && protocol.type !== REVOKE) return protocolReason(protocol)
  if (received.key.fromMe) return 'own_message'
  if (!content) return received.key.isViewOnce ? 'view_once_unavailable' : 'empty_message'
  const type = getContentType(content)
  if (type === undefined) return content.senderKeyDistributionMessage ? 'sender_key' : 'empty_message'
  return NOT_SHOWN.has(type) ? `not_shown_${type}` : undefined
}

function protocolReason(protocol: proto.Message.IProtocolMessage): string {
  const { HISTORY_SYNC_NOTIFICATION } = proto.Message.ProtocolMessage.Type
  if (protocol.type === HISTORY_SYNC_NOTIFICATION) return 'history_sync'
  return `protocol_${(proto.Message.ProtocolMessage.Type[protocol.type ?? -1] ?? 'unknown').toLowerCase()}`
}
