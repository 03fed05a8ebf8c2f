import { proto } from 'baileys'
import { decodeMessage } from '../received/newer-content.ts'
import { EVENT_EDIT_USE } from '../wire/message-secret.ts'
import { replyOf } from './content.ts'

/** Content that refers to another message and is encrypted under that message's secret. */
export interface SealedContent {
  target: proto.IMessageKey
  payload: Uint8Array
  iv: Uint8Array
  /** The labels that may be part of the key: apps differ in some of them. */
  uses: readonly string[]
  read(opened: Uint8Array): proto.IMessage
}

const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
const { EVENT_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType

/** By the number of the type: the library's list ends at 2. */
const USES_OF_CHANGE: ReadonlyMap<number, readonly string[]> = new Map([
  [EVENT_EDIT, [EVENT_EDIT_USE]],
  [2, ['Message Edit']],
  [4, ['Poll Edit']],
  [5, ['Poll Add Option', 'Poll Edit']],
])

/** A message that apps show at a later time: only they can open it, so it is content of its own. */
const SCHEDULED = 3

const NONE = new Uint8Array(0)

export function sealedContentOf(content: proto.IMessage): SealedContent | undefined {
  const { secretEncryptedMessage: change, encReactionMessage: reaction, encCommentMessage: comment } = content
  const sealed = change ?? reaction ?? comment
  if (!sealed || Number(change?.secretEncType) === SCHEDULED) return undefined
  const target = sealed.targetMessageKey ?? {}
  const common = { target, payload: sealed.encPayload ?? NONE, iv: sealed.encIv ?? NONE }
  if (reaction) return { ...common, uses: ['Enc Reaction'], read: opened => readReaction(opened, target) }
  if (comment) return { ...common, uses: ['Enc Comment'], read: opened => readComment(opened, target) }
  const uses = USES_OF_CHANGE.get(Number(change?.secretEncType)) ?? []
  return { ...common, uses, read: opened => readChange(opened, target) }
}

/** Whatever says of an event only what it is from now on is an edit too. */
function readChange(opened: Uint8Array, key: proto.IMessageKey): proto.IMessage {
  const message = decodeMessage(opened)
  return message.eventMessage ? { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage: message } } : message
}

function readReaction(opened: Uint8Array, key: proto.IMessageKey): proto.IMessage {
  const { text, senderTimestampMs } = proto.Message.ReactionMessage.decode(opened)
  return { reactionMessage: { key, text, senderTimestampMs } }
}

function readComment(opened: Uint8Array, target: proto.IMessageKey): proto.IMessage {
  const message = decodeMessage(opened)
  return replyOf({ message, ...message.commentMessage, targetMessageKey: target })
}
