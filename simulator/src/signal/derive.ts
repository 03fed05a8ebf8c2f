import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'

export function hmac(key: Uint8Array, ...parts: Uint8Array[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

export function derive(secret: Uint8Array, salt: Uint8Array, info: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}

export function encryptCbc(key: Uint8Array, iv: Uint8Array, plaintext: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([cipher.update(plaintext), cipher.final()])
}

export function decryptCbc(key: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}

/** A symmetric ratchet: `index` is the number of the next message key. */
export interface Chain {
  readonly key: Buffer
  readonly index: number
}

const MESSAGE_KEY = Buffer.from([1])
const NEXT_CHAIN = Buffer.from([2])

export function messageKey(chain: Chain): Buffer {
  return hmac(chain.key, MESSAGE_KEY)
}

export function nextChain(chain: Chain): Chain {
  return { key: hmac(chain.key, NEXT_CHAIN), index: chain.index + 1 }
}

/** How far a chain may advance for one message. */
const MAX_FORWARD = 2000
/** How many skipped keys a chain keeps. */
const MAX_SKIPPED = 2000

export interface AdvancedChain {
  readonly key: Buffer
  readonly chain: Chain
  readonly skipped: ReadonlyMap<number, Buffer>
}

/** Advances a chain to message `index` and keeps the skipped keys. */
export function advanceChain(chain: Chain, skipped: ReadonlyMap<number, Buffer>, index: number): AdvancedChain {
  if (index < chain.index) {
    const key = skipped.get(index)
    if (!key) throw new Error('the key of this message was used before')
    const rest = new Map(skipped)
    rest.delete(index)
    return { key, chain, skipped: rest }
  }
  if (index - chain.index > MAX_FORWARD) throw new Error('the message is too far ahead')
  if (index === chain.index) return { key: messageKey(chain), chain: nextChain(chain), skipped }
  const kept = new Map(skipped)
  let current = chain
  while (current.index < index) {
    kept.set(current.index, messageKey(current))
    if (kept.size > MAX_SKIPPED) kept.delete(kept.keys().next().value!)
    current = nextChain(current)
  }
  return { key: messageKey(current), chain: nextChain(current), skipped: kept }
}
