import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const TAG_BYTES = 16
const IV_BYTES = 12
const NONE = new Uint8Array(0)

/** What the key of content about a message is derived from. Names are without device. */
export interface SecretKey {
  /** Of the message that the content is about. */
  secret: Uint8Array
  messageId: string
  author: string
  /** Who sends the content. */
  sender: string
  use: string
}

export const EVENT_EDIT_USE = 'Event Edit'
export const EVENT_RESPONSE_USE = 'Event Response'

const keyOf = ({ secret, messageId, author, sender, use }: SecretKey): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, NONE, messageId + author + sender + use, 32))

/** Answers to events are bound to the event and the person once more. */
const boundTo = ({ messageId, sender, use }: SecretKey): Uint8Array =>
  use === EVENT_RESPONSE_USE ? Buffer.from(`${messageId}\u0000${sender}`) : NONE

/** `undefined` if the content was encrypted under another key. */
export function openWithSecret(key: SecretKey, iv: Uint8Array, payload: Uint8Array): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(key), iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(boundTo(key))
    decipher.setAuthTag(payload.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

export function sealWithSecret(key: SecretKey, content: Uint8Array): { encPayload: Uint8Array; encIv: Uint8Array } {
  const encIv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(key), encIv, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(key))
  return { encPayload: Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]), encIv }
}
