import { deflateSync } from 'node:zlib'
import { type BinaryNode, normalizeMessageContent, proto, unpadRandomMax16 } from 'baileys'
import { jidKind, withoutDevice } from '../../../domain/jid.ts'
import { decodeMessage } from './newer-content.ts'

/** The decrypted parts of one message. */
export interface ReceivedContent {
  /** The encoded message without padding; the concatenated parts of a message decode as one message. */
  bytes: Uint8Array
  message: proto.IMessage
  /** A part could not be decoded. */
  isBroken: boolean
}

export const NO_CONTENT: ReceivedContent = { bytes: new Uint8Array(0), message: {}, isBroken: false }

/** Adds a decrypted part. */
export function withPart(content: ReceivedContent, padded: Uint8Array): ReceivedContent {
  const join = (part: Uint8Array): Uint8Array => Buffer.concat([content.bytes, part])
  try {
    const part = unpadRandomMax16(padded)
    const message = unwrapped(decodeMessage(part))
    return { ...content, bytes: join(part), message: { ...content.message, ...message } }
  } catch {
    return { ...content, bytes: join(padded), isBroken: true }
  }
}

/** The content of an unencrypted channel post. */
export function plainContent(bytes: Uint8Array): ReceivedContent {
  try {
    return { bytes, message: decodeMessage(bytes), isBroken: false }
  } catch {
    return { bytes, message: {}, isBroken: true }
  }
}

/** Messages that another device of the number sent come in an envelope. */
export function unwrapped(message: proto.IMessage): proto.IMessage {
  return message.deviceSentMessage?.message ?? message
}

/**
 * What the library may see of a message, padded as it expects. The library acts on what it reads and fails on what it
 * does not expect: from other people it gets only group sender keys, from the number's phone also protocol messages.
 */
export function forLibrary({ message }: ReceivedContent, stanza: BinaryNode, isOwn: boolean): Uint8Array {
  const chat = withoutDevice(stanza.attrs.from ?? '')
  const key = message.senderKeyDistributionMessage?.axolotlSenderKeyDistributionMessage
  const hasKeys = jidKind(chat) === 'group' || jidKind(chat) === 'status'
  const protocolMessage = isOwn ? withoutHistory(normalizeMessageContent(message)?.protocolMessage) : undefined
  const seen: proto.IMessage = {
    ...(key &&
      hasKeys && { senderKeyDistributionMessage: { groupId: chat, axolotlSenderKeyDistributionMessage: key } }),
    ...(protocolMessage && { protocolMessage }),
  }
  return Buffer.concat([proto.Message.encode(seen).finish(), ONE_BYTE_OF_PADDING])
}

/**
 * The library would download and decode a history at once, with months of messages. It gets an empty one: it only has
 * to know that the phone has sent it. `learnHistory` reads the real one.
 */
function withoutHistory(
  protocol: proto.Message.IProtocolMessage | null | undefined,
): proto.Message.IProtocolMessage | undefined {
  const history = protocol?.historySyncNotification
  if (!protocol || !history) return protocol ?? undefined
  const { syncType, progress, chunkOrder } = history
  return {
    ...protocol,
    historySyncNotification: { syncType, progress, chunkOrder, initialHistBootstrapInlinePayload: EMPTY_HISTORY },
  }
}

const EMPTY_HISTORY = deflateSync(
  proto.HistorySync.encode({ syncType: proto.HistorySync.HistorySyncType.RECENT, conversations: [] }).finish(),
)

const ONE_BYTE_OF_PADDING = Buffer.of(1)
/** An empty message. */
export const EMPTY_FOR_LIBRARY: Uint8Array = ONE_BYTE_OF_PADDING
