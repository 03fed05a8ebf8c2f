import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { proto } from 'baileys'
import { derive } from '../signal/derive.ts'

/** What content that is about another message is encrypted for; the label goes into its key. */
export type SecretUse = 'Message Edit' | 'Event Edit' | 'Poll Edit' | 'Poll Add Option' | 'Enc Reaction' | 'Enc Comment'

/** What the key is made from. JIDs as the phone writes them, without device. */
export interface SecretContext {
  readonly secret: Uint8Array
  readonly messageId: string
  readonly author: string
  readonly modifier: string
  readonly use: SecretUse
}

function keyOf({ secret, messageId, author, modifier, use }: SecretContext): Buffer {
  return derive(secret, Buffer.alloc(0), messageId + author + modifier + use, 32)
}

/** Content about a message, readable by those who have that message. */
export function sealWithSecret(
  context: SecretContext,
  content: Uint8Array,
): { encIv: Uint8Array; encPayload: Uint8Array } {
  const encIv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(context), encIv)
  const sealed = cipher.update(content)
  return { encIv, encPayload: Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]) }
}

export function openWithSecret(context: SecretContext, iv: Uint8Array, payload: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(context), iv)
  decipher.setAuthTag(payload.subarray(-16))
  return Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()])
}

/** Every message that is shown has a secret of its own, from which later content about it takes its key. */
export function withSecret(message: proto.IMessage): proto.IMessage {
  if (message.protocolMessage ?? message.reactionMessage ?? message.messageContextInfo?.messageSecret) return message
  return { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret: randomBytes(32) } }
}

export function secretOf(message: proto.IMessage | null | undefined): Uint8Array | undefined {
  return message?.messageContextInfo?.messageSecret ?? undefined
}
