import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { proto } from 'baileys'
import { derive } from '../signal/derive.ts'

/** The purpose of content that refers to another message; the label is part of its key. */
export type SecretUse =
  | 'Message Edit'
  | 'Event Edit'
  | 'Poll Edit'
  | 'Poll Add Option'
  | 'Enc Reaction'
  | 'Enc Comment'
  | 'Event Response'

/** The inputs of the key. JIDs are in the form that the phone uses, without device. */
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

/** Encrypts content about a message; only recipients of that message can read it. */
export function sealWithSecret(
  context: SecretContext,
  content: Uint8Array,
): { encIv: Uint8Array; encPayload: Uint8Array } {
  const encIv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(context), encIv)
  if (context.use === 'Event Response') cipher.setAAD(Buffer.from(`${context.messageId}\u0000${context.modifier}`))
  const sealed = cipher.update(content)
  return { encIv, encPayload: Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]) }
}

export function openWithSecret(context: SecretContext, iv: Uint8Array, payload: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(context), iv)
  if (context.use === 'Event Response') decipher.setAAD(Buffer.from(`${context.messageId}\u0000${context.modifier}`))
  decipher.setAuthTag(payload.subarray(-16))
  return Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()])
}

/** Adds the secret from which later content about this message derives its key. */
export function withSecret(message: proto.IMessage): proto.IMessage {
  if (message.protocolMessage ?? message.reactionMessage ?? message.messageContextInfo?.messageSecret) return message
  return { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret: randomBytes(32) } }
}

export function secretOf(message: proto.IMessage | null | undefined): Uint8Array | undefined {
  return message?.messageContextInfo?.messageSecret ?? undefined
}
