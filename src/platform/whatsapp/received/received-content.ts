import { type BinaryNode, normalizeMessageContent, proto, unpadRandomMax16 } from 'baileys'
import { jidKind, withoutDevice } from '../../../domain/jid.ts'
import { decodeMessage } from './newer-content.ts'

/** What was decrypted of one message. */
export interface ReceivedContent {
  /** As the protocol writes it, without padding; the parts of a message one behind the other are one message. */
  bytes: Uint8Array
  message: proto.IMessage
  /** A part was no message at all. */
  isBroken: boolean
}

export const NO_CONTENT: ReceivedContent = { bytes: new Uint8Array(0), message: {}, isBroken: false }

/** The content with one more decrypted part of the message. */
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

/** The content of a post, which is not encrypted. */
export function openContent(bytes: Uint8Array): ReceivedContent {
  try {
    return { bytes, message: decodeMessage(bytes), isBroken: false }
  } catch {
    return { bytes, message: {}, isBroken: true }
  }
}

/** What another device of the same person sent comes in an envelope. */
export function unwrapped(message: proto.IMessage): proto.IMessage {
  return message.deviceSentMessage?.message ?? message
}

/**
 * What the library may see of a message, padded as it expects it. It acts on what it reads, and fails on what it does
 * not expect: of other people it gets the key of their group alone, of the own phone also what concerns the device.
 */
export function forLibrary({ message }: ReceivedContent, stanza: BinaryNode, isOwn: boolean): Uint8Array {
  const chat = withoutDevice(stanza.attrs.from ?? '')
  const key = message.senderKeyDistributionMessage?.axolotlSenderKeyDistributionMessage
  const hasKeys = jidKind(chat) === 'group' || jidKind(chat) === 'status'
  const protocolMessage = isOwn ? normalizeMessageContent(message)?.protocolMessage : undefined
  const seen: proto.IMessage = {
    ...(key &&
      hasKeys && { senderKeyDistributionMessage: { groupId: chat, axolotlSenderKeyDistributionMessage: key } }),
    ...(protocolMessage && { protocolMessage }),
  }
  return Buffer.concat([proto.Message.encode(seen).finish(), ONE_BYTE_OF_PADDING])
}

const ONE_BYTE_OF_PADDING = Buffer.of(1)
/** A message that says nothing. */
export const EMPTY_FOR_LIBRARY: Uint8Array = ONE_BYTE_OF_PADDING
