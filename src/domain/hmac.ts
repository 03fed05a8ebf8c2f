import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const HASH_BYTES = 32

/**
 * HMAC-SHA-256 under one key, computed with two one-shot hashes: an Hmac object for each code would cost more than
 * both.
 */
export class Hmac {
  readonly #inner: Uint8Array
  /** The outer block, and room for the inner hash. */
  readonly #outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES)

  constructor(key: Uint8Array) {
    const block = Buffer.alloc(BLOCK_BYTES)
    block.set(key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key)
    this.#inner = block.map(byte => byte ^ 0x36)
    this.#outer.set(block.map(byte => byte ^ 0x5c))
  }

  /** The code of a short ASCII text followed by bytes, in hex: creating a string is faster than creating a buffer. */
  hexOf(text: string, bytes: Uint8Array): string {
    const whole = Buffer.allocUnsafe(BLOCK_BYTES + text.length + bytes.length)
    whole.set(this.#inner)
    whole.write(text, BLOCK_BYTES, 'latin1')
    whole.set(bytes, BLOCK_BYTES + text.length)
    this.#outer.write(hash('sha256', whole, 'hex'), BLOCK_BYTES, 'hex')
    return hash('sha256', this.#outer, 'hex')
  }
}
