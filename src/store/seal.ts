import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type DecipherGCM,
  hash,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { MARK_BYTES } from '../domain/fingerprint.ts'
import { inChunks } from '../runtime/in-chunks.ts'
import { randomSlice } from '../runtime/random.ts'

const FORMAT = 1
const ID_BYTES = MARK_BYTES
const IV_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES + IV_BYTES

/** The key is not in the key ring; it may be added again later. */
export class KeyNotListed extends Error {
  override message = 'sealed under a key that POSTERN_SECRET_KEY does not list'
}

/**
 * Encryption at rest: AES-256-GCM under the first key of the ring. Any key of it decrypts, so keys can be rotated.
 * `about` names the row that the bytes belong to: sealed bytes that are moved to another row cannot be decrypted.
 */
export class Seal {
  readonly #keys: ReadonlyArray<{ id: Buffer; key: KeyObject; mark: string; printKey: string }>

  constructor(keys: Buffer[]) {
    if (keys.length === 0) throw new Error('a seal needs a key')
    this.#keys = keys.map(key => {
      const id = createHash('sha256').update(key).digest().subarray(0, ID_BYTES)
      const printKey = Buffer.from(hkdfSync('sha256', key, '', 'fingerprint', 32)).toString('base64')
      return { id, key: createSecretKey(key), mark: id.toString('hex'), printKey }
    })
  }

  /** Returns a separate buffer: a slice of a shared one would be copied whole to another thread. */
  seal(plain: Uint8Array | string, about: string): Buffer {
    const { cipher, iv } = this.#cipher(about)
    const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
    cipher.final()
    const sealed = this.#place(iv, body.length)
    sealed.set(body, HEADER_BYTES)
    sealed.set(cipher.getAuthTag(), HEADER_BYTES + body.length)
    return sealed
  }

  /** Seals content in chunks, with the event loop free in between. */
  async sealChunks(chunks: readonly Uint8Array[], about: string): Promise<Buffer> {
    const { cipher, iv } = this.#cipher(about)
    const sealed = this.#place(iv, lengthOf(chunks))
    let at = HEADER_BYTES
    for (const chunk of chunks) {
      if (at > HEADER_BYTES) await yieldToEvents()
      sealed.set(cipher.update(chunk), at)
      at += chunk.length
    }
    cipher.final()
    sealed.set(cipher.getAuthTag(), at)
    return sealed
  }

  open(sealed: Uint8Array, about: string): Buffer {
    const { decipher, body } = this.#decipher(sealed, about)
    const plain = decipher.update(body)
    decipher.final()
    return plain
  }

  /** Decrypts content of any size, chunk by chunk. */
  async openChunks(sealed: Uint8Array, about: string): Promise<Buffer> {
    const { decipher, body } = this.#decipher(sealed, about)
    const plain = Buffer.allocUnsafeSlow(body.length)
    await inChunks(body.length, (start, end) => plain.set(decipher.update(body.subarray(start, end)), start))
    decipher.final()
    return plain
  }

  #cipher(about: string): { cipher: CipherGCM; iv: Buffer } {
    const iv = randomSlice(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0]!.key, iv)
    cipher.setAAD(Buffer.from(about))
    return { cipher, iv }
  }

  /** A buffer for the sealed bytes, with the header set. */
  #place(iv: Buffer, bytes: number): Buffer {
    const sealed = Buffer.allocUnsafeSlow(HEADER_BYTES + bytes + TAG_BYTES)
    sealed[0] = FORMAT
    sealed.set(this.#keys[0]!.id, 1)
    sealed.set(iv, 1 + ID_BYTES)
    return sealed
  }

  #decipher(sealed: Uint8Array, about: string): { decipher: DecipherGCM; body: Buffer } {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    const id = bytes.subarray(1, 1 + ID_BYTES)
    const found = this.#keys.find(candidate => candidate.id.equals(id))
    if (bytes[0] !== FORMAT) throw new Error('not sealed, or damaged')
    if (found === undefined) throw new KeyNotListed()
    const decipher = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(1 + ID_BYTES, HEADER_BYTES))
    decipher.setAAD(Buffer.from(about))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    return { decipher, body: bytes.subarray(HEADER_BYTES, bytes.length - TAG_BYTES) }
  }

  sealJson(value: unknown, about: string): Buffer {
    return this.seal(JSON.stringify(value), about)
  }

  openJson<T>(sealed: Uint8Array, about: string): T {
    return JSON.parse(this.open(sealed, about).toString('utf8')) as T
  }

  /**
   * The fingerprint of a text under each key of the ring: without a key it does not confirm a guess of the text. The key
   * is in front and behind, so that one hash is enough.
   */
  print(text: string): Buffer {
    let prints = ''
    for (const { mark, printKey } of this.#keys) prints += mark + hash('sha256', printKey + text + printKey, 'hex')
    return Buffer.from(prints, 'hex')
  }

  /** The ids of the keys that decrypt and no longer seal. */
  oldKeyIds(): Buffer[] {
    return this.#keys.slice(1).map(({ id }) => id)
  }

  /** Whether it is sealed under an older key, so that it has to be sealed again. */
  isOld(sealed: Uint8Array): boolean {
    return !this.#keys[0]!.id.equals(sealed.subarray(1, 1 + ID_BYTES))
  }
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, part) => sum + part.length, 0)
