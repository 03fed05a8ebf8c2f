import type { proto } from 'baileys'

/** By the message that the library gets instead. */
const wholes = new WeakMap<object, proto.IMessage>()

/**
 * The message without its wrapper. The library names the media of a message only if it gets it this way; `wrapAgain`
 * gives it the whole message when it encrypts.
 */
export function withoutWrapper(message: proto.IMessage): proto.IMessage {
  const inside = message.viewOnceMessageV2?.message ?? message.documentWithCaptionMessage?.message
  if (!inside) return message
  const { messageContextInfo } = message
  const face = { ...inside, ...(messageContextInfo && { messageContextInfo }) }
  wholes.set(face, message)
  return face
}

/** For the library, before it encrypts a message or the copy for the number's own devices. */
export function wrapAgain(message: proto.IMessage): proto.IMessage {
  const copy = message.deviceSentMessage
  const inside = copy?.message && wholes.get(copy.message)
  return inside ? { ...message, deviceSentMessage: { ...copy, message: inside } } : (wholes.get(message) ?? message)
}
