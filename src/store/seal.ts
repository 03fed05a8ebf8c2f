import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { randomSlice } from '../domain/random.ts'

const FORMAT = 1
const ID_BYTES = 4
const IV_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES + IV_BYTES

/**
 * Encryption at rest: AES-256-GCM under the first key of the ring; any key of it opens, so keys can be rotated.
 * `about` names the row that the bytes belong to: sealed bytes moved to another row do not open.
 */
export class Seal {
  readonly #keys: ReadonlyArray<{ id: Buffer; key: Buffer }>

  constructor(keys: Buffer[]) {
    if (keys.length === 0) throw new Error('a seal needs a key')
    this.#keys = keys.map(key => ({ id: createHash('sha256').update(key).digest().subarray(0, ID_BYTES), key }))
  }

  /** The bytes have a buffer of their own: a slice of a shared one would take all of it along to another thread. */
  seal(plain: Uint8Array | string, about: string): Buffer {
    const { id, key } = this.#keys[0]!
    const iv = randomSlice(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    cipher.setAAD(Buffer.from(about))
    const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
    cipher.final()
    const sealed = Buffer.allocUnsafeSlow(HEADER_BYTES + body.length + TAG_BYTES)
    sealed[0] = FORMAT
    sealed.set(id, 1)
    sealed.set(iv, 1 + ID_BYTES)
    sealed.set(body, HEADER_BYTES)
    sealed.set(cipher.getAuthTag(), HEADER_BYTES + body.length)
    return sealed
  }

  open(sealed: Uint8Array, about: string): Buffer {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    const id = bytes.subarray(1, 1 + ID_BYTES)
    const found = this.#keys.find(candidate => candidate.id.equals(id))
    if (bytes[0] !== FORMAT || found === undefined) {
      throw new Error('sealed under a key that POSTERN_SECRET_KEY does not list')
    }
    const decipher = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(1 + ID_BYTES, HEADER_BYTES))
    decipher.setAAD(Buffer.from(about))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    const plain = decipher.update(bytes.subarray(HEADER_BYTES, bytes.length - TAG_BYTES))
    decipher.final()
    return plain
  }

  sealJson(value: unknown, about: string): Buffer {
    return this.seal(JSON.stringify(value), about)
  }

  openJson<T>(sealed: Uint8Array, about: string): T {
    return JSON.parse(this.open(sealed, about).toString('utf8')) as T
  }

  /** The marks of the keys that still open but seal nothing more. */
  oldKeyIds(): Buffer[] {
    return this.#keys.slice(1).map(({ id }) => id)
  }

  /** Sealed under an older key, so due to be sealed again. */
  isOld(sealed: Uint8Array): boolean {
    return !this.#keys[0]!.id.equals(sealed.subarray(1, 1 + ID_BYTES))
  }
}
