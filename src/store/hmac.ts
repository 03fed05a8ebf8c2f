import { hash } from 'node:crypto'

const BLOCK_BYTES = 64

/**
 * HMAC-SHA-256 under one key, computed with two one-shot hashes: an Hmac object for each code would cost more than
 * both.
 */
export class Hmac {
  readonly #inner: Uint8Array
  readonly #outer: Uint8Array

  constructor(key: Uint8Array) {
    const block = Buffer.alloc(BLOCK_BYTES)
    block.set(key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key)
    this.#inner = block.map(byte => byte ^ 0x36)
    this.#outer = block.map(byte => byte ^ 0x5c)
  }

  /** In hex: creating a string is faster than creating a buffer. */
  hexOf(bytes: Uint8Array): string {
    const inner = hash('sha256', Buffer.concat([this.#inner, bytes]), 'hex')
    return hash('sha256', Buffer.concat([this.#outer, Buffer.from(inner, 'hex')]), 'hex')
  }
}
