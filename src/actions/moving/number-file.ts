import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'

/**
 * A sealed file: the name of the format, a salt, and pieces, each with its length, its text under AES-256-GCM and its tag.
 * Every piece is bound to its place and to whether it is the last one, so none can be changed, moved, added or left out.
 */
const MAGIC = Buffer.from('POSTERN NUMBER 1\n')
const SALT_BYTES = 16
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
/** Length of the piece, and whether it is the last one. */
const HEAD_BYTES = 5
const PIECE_BYTES = 256 * 1024

/** As OWASP recommends it, with the least memory: 32 MiB, three times in a row. A file cannot choose others. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }

/** It is no such file, is damaged or cut short, or has another passphrase. The message is for people. */
export class NumberFileError extends Error {
  override name = 'NumberFileError'
}

function keyOf(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** The key is of this file alone, so its place is a safe nonce of a piece. */
function nonceOf(index: number): Buffer {
  const nonce = Buffer.alloc(IV_BYTES)
  nonce.writeUInt32BE(index, IV_BYTES - 4)
  return nonce
}

const aboutPiece = (index: number, isLast: boolean): Buffer =>
  Buffer.from(`number:${index}:${isLast ? 'last' : 'more'}`)

/** Seals lines of text as they come. */
export async function* sealLines(passphrase: string, lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const key = await keyOf(passphrase, salt)
  yield Buffer.concat([MAGIC, salt])
  let index = 0
  const piece = (text: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index)).setAAD(aboutPiece(index, isLast))
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeUInt32BE(text.length)
    head[4] = isLast ? 1 : 0
    index += 1
    return Buffer.concat([head, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  }
  let held = Buffer.alloc(0)
  for await (const line of lines) {
    held = Buffer.concat([held, Buffer.from(`${line}\n`)])
    for (; held.length > PIECE_BYTES; held = held.subarray(PIECE_BYTES))
      yield piece(held.subarray(0, PIECE_BYTES), false)
  }
  yield piece(held, true)
}

/** The lines of a sealed file, as its bytes arrive. Throws `NumberFileError`. */
export async function* openLines(passphrase: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const reader = new ByteReader(bytes)
  const magic = await reader.take(MAGIC.length)
  if (magic === undefined || !MAGIC.equals(magic))
    throw new NumberFileError('it is not a file of `postern sessions export`')
  const salt = await reader.take(SALT_BYTES)
  if (salt === undefined) throw incomplete()
  const key = await keyOf(passphrase, salt)
  let rest = ''
  for (let index = 0, isLast = false; !isLast; index += 1) {
    const head = await reader.take(HEAD_BYTES)
    if (head === undefined) throw incomplete()
    const length = head.readUInt32BE()
    isLast = head[4] === 1
    if (length > PIECE_BYTES) throw damaged()
    const sealed = await reader.take(length + TAG_BYTES)
    if (sealed === undefined) throw incomplete()
    rest += openPiece(key, sealed, { index, isLast })
    const lines = rest.split('\n')
    rest = lines.pop()!
    yield* lines
  }
  if (rest !== '' || (await reader.take(1)) !== undefined) throw damaged()
}

const incomplete = (): NumberFileError => new NumberFileError('the file is incomplete: export the number again')
const damaged = (): NumberFileError => new NumberFileError('the file is damaged: export the number again')

/** Bytes of a character may be in two pieces, so pieces are kept as Latin-1: the lines are ASCII. */
function openPiece(key: Buffer, sealed: Buffer, { index, isLast }: { index: number; isLast: boolean }): string {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index)).setAAD(aboutPiece(index, isLast))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('latin1')
  } catch {
    throw index === 0 ? new NumberFileError('the passphrase is wrong, or the file is damaged') : damaged()
  }
}

/** Takes exact numbers of bytes from chunks of any size. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  /** `undefined` if fewer are left. */
  async take(count: number): Promise<Buffer | undefined> {
    const parts = [this.#held]
    let length = this.#held.length
    while (length < count) {
      const next = await this.#chunks.next()
      if (next.done === true) return undefined
      parts.push(Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength))
      length += next.value.length
    }
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts, length)
    this.#held = all.subarray(count)
    return all.subarray(0, count)
  }
}
