import { proto } from 'baileys'
import { numberJid } from '../jid.ts'
import { userByJid } from '../people.ts'
import { nameTo } from '../server/face.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'

const { PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType
const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE: RESPONSE } = proto.Message.ProtocolMessage.Type

/** A phone's response to a request to resend withheld messages; `undefined` for any other request. */
export function resendAnswer(
  network: Network,
  user: User,
  requestId: string,
  message: proto.IMessage,
): proto.IMessage | undefined {
  // Some clients wrap the request in the envelope of message copies.
  const { protocolMessage } = message.deviceSentMessage?.message ?? message
  const request = protocolMessage?.peerDataOperationRequestMessage
  if (request?.peerDataOperationRequestType !== PLACEHOLDER_MESSAGE_RESEND) return undefined
  const keys = (request.placeholderMessageResendRequest ?? []).flatMap(({ messageKey }) => messageKey ?? [])
  const peerDataOperationResult = keys.map(key => {
    user.askedFor.add(key.id ?? '')
    const webMessageInfoBytes = heldCopy(network, user, key)
    return { placeholderMessageResendResponse: webMessageInfoBytes ? { webMessageInfoBytes } : {} }
  })
  const response = { peerDataOperationRequestType: PLACEHOLDER_MESSAGE_RESEND, stanzaId: requestId }
  const peerDataOperationRequestResponseMessage = { ...response, peerDataOperationResult }
  return { protocolMessage: { type: RESPONSE, peerDataOperationRequestResponseMessage } }
}

/** A message that another person sent to the number, unless the phone may not share it. */
function heldCopy(network: Network, user: User, key: proto.IMessageKey): Uint8Array | undefined {
  const sender = userByJid(network, key.participant || key.remoteJid || undefined)
  const sent = sender?.sent.get(key.id ?? '')
  const isShared = sent?.head.withheld === undefined || sent.head.withheld === 'plain'
  if (!sender || !sent || !isShared || !isForUser(user, sent.chat)) return undefined
  const isGroup = sent.chat.includes('@')
  return proto.WebMessageInfo.encode({
    key: {
      id: sent.id,
      fromMe: false,
      remoteJid: isGroup ? sent.chat : numberJid(sender.digits),
      participant: isGroup ? numberJid(sender.digits) : undefined,
    },
    message: proto.Message.decode(sent.content),
    messageTimestamp: sent.timestamp,
    pushName: nameTo(sender, [user]),
  }).finish()
}

const isForUser = (user: User, chat: string): boolean => chat === user.digits || chat.includes('@')
