import { createCipheriv, createDecipheriv, type Decipher, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { pipeline as pipelineEnded } from 'node:stream/promises'

/** A temporary file encrypted under a key that is never stored and never used for another file. */
export interface SealedFile {
  path: string
  /** Base64. */
  key: string
}

// CTR keeps the length, and the beginning can be decrypted without the rest.
const ALGORITHM = 'aes-256-ctr'
const KEY_BYTES = 32
const IV_BYTES = 16
const BLOCK_BYTES = 16
const MAX_COUNTER = (1n << 128n) - 1n

export const newFileKey = (): string => randomBytes(KEY_BYTES + IV_BYTES).toString('base64')

const partsOf = (key: string): [Buffer, Buffer] => {
  const bytes = Buffer.from(key, 'base64')
  return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
}

/** A stream that encrypts. */
export const sealing = (key: string): Transform => createCipheriv(ALGORITHM, ...partsOf(key))

/** Writes a new file, encrypted. */
export const writeSealed = (file: SealedFile, content: Readable): Promise<void> =>
  pipelineEnded(content, sealing(file.key), createWriteStream(file.path, { flags: 'wx', mode: 0o600 }))

/** The decrypted file as a stream, or its bytes from `start` up to `end`. */
export function readSealed({ path, key }: SealedFile, start = 0, end = Number.POSITIVE_INFINITY): Readable {
  const opened = openAt(key, start)
  // The reader gets a failure from the stream itself.
  pipeline(createReadStream(path, { start, end: end - 1 }), opened, () => {})
  return opened
}

/** The first decrypted bytes of the file, up to this many. */
export const readSealedHead = (file: SealedFile, bytes: number): Promise<Buffer> => readSealedPart(file, 0, bytes)

/** Some decrypted bytes of the file, fewer at its end. */
export async function readSealedPart({ path, key }: SealedFile, start: number, bytes: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, start)
    return openAt(key, start).update(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** A decipher for the bytes from this place on. */
function openAt(key: string, at: number): Decipher {
  const [secret, counter] = partsOf(key)
  const first = (BigInt(`0x${counter.toString('hex')}`) + BigInt(Math.floor(at / BLOCK_BYTES))) & MAX_COUNTER
  const decipher = createDecipheriv(
    ALGORITHM,
    secret,
    Buffer.from(first.toString(16).padStart(2 * IV_BYTES, '0'), 'hex'),
  )
  // The place may be within a block.
  decipher.update(Buffer.alloc(at % BLOCK_BYTES))
  return decipher
}
