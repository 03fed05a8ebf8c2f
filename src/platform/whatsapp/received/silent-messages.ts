import { normalizeMessageContent, proto, type WAMessage } from 'baileys'
import { unknownContent } from './newer-content.ts'

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

/** The reason of a part of the phone's history. It is no event, but the gateway learns the names of people from it. */
export const HISTORY = 'history_sync'

/** The number's own phone sent it: only endpoints that include `own` receive it. */
export const OWN_MESSAGE = 'own_message'

/** Contents that are for the app, not for a person, and notes about content that comes separately. */
const NOT_SHOWN = new Set<string>([
  'albumMessage',
  'botInvokeMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'groupStatusMentionMessage',
  'keepInChatMessage',
  'limitSharingMessage',
  'pinInChatMessage',
  'statusMentionMessage',
  'stickerSyncRmrMessage',
])

/** Why a received message is no event; `undefined` when it is one. `bytes` may have content newer than the library. */
export function silentReason(received: Pick<WAMessage, 'key' | 'message'>, bytes?: Uint8Array): string | undefined {
  const content = normalizeMessageContent(received.message)
  const protocol = content?.protocolMessage
  if (protocol && !isChange(protocol)) return protocolReason(protocol)
  if (received.key.fromMe) return OWN_MESSAGE
  return contentReason(content, bytes)
}

/** Why content is no event, for every sender. */
export function contentReason(content: proto.IMessage | undefined, bytes?: Uint8Array): string | undefined {
  const type = content && contentTypeOf(content)
  const unknown = type === undefined && bytes ? unknownContent(bytes) : undefined
  if (unknown) return unknown === 'hidden' ? 'not_shown_newer' : undefined
  if (!content) return 'empty_message'
  if (type === undefined) return content.senderKeyDistributionMessage ? 'sender_key' : 'empty_message'
  return NOT_SHOWN.has(type) ? `not_shown_${type}` : aboutNothing(content)
}

/** Fields that accompany content. */
const BESIDE = new Set<string>(['messageContextInfo', 'senderKeyDistributionMessage'])

/** The field of the content. The library finds only fields whose name contains "Message", and some have other names. */
const contentTypeOf = (content: proto.IMessage): string | undefined =>
  Object.entries(content).find(([name, value]) => !BESIDE.has(name) && value !== null && value !== undefined)?.[0]

const isChange = ({ type }: proto.Message.IProtocolMessage): boolean => type === MESSAGE_EDIT || type === REVOKE

/** Contents that are meaningless without the message that they refer to. */
function aboutNothing(content: proto.IMessage): string | undefined {
  const { protocolMessage, reactionMessage, pollUpdateMessage, encEventResponseMessage: answer } = content
  if (answer && !answer.eventCreationMessageKey?.id) return 'not_shown_encEventResponseMessage'
  if (protocolMessage && !protocolMessage.key?.id)
    return protocolMessage.type === REVOKE ? 'revoke_of_nothing' : 'edit_of_nothing'
  if (reactionMessage && !reactionMessage.key?.id) return 'reaction_to_nothing'
  if (pollUpdateMessage && !pollUpdateMessage.pollCreationMessageKey?.id) return 'vote_on_nothing'
  return undefined
}

function protocolReason(protocol: proto.Message.IProtocolMessage): string {
  const { HISTORY_SYNC_NOTIFICATION } = proto.Message.ProtocolMessage.Type
  if (protocol.type === HISTORY_SYNC_NOTIFICATION) return HISTORY
  return `protocol_${(proto.Message.ProtocolMessage.Type[protocol.type ?? -1] ?? 'unknown').toLowerCase()}`
}
