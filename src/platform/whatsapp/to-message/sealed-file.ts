import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, type Readable, type Transform } from 'node:stream'

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

export const newFileKey = (): string => randomBytes(KEY_BYTES + IV_BYTES).toString('base64')

const partsOf = (key: string): [Buffer, Buffer] => {
  const bytes = Buffer.from(key, 'base64')
  return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
}

/** A stream that encrypts. */
export const sealing = (key: string): Transform => createCipheriv(ALGORITHM, ...partsOf(key))

/** The decrypted file as a stream. */
export function readSealed({ path, key }: SealedFile): Readable {
  const opened = createDecipheriv(ALGORITHM, ...partsOf(key))
  // The reader gets a failure from the stream itself.
  pipeline(createReadStream(path), opened, () => {})
  return opened
}

/** The first decrypted bytes of the file, up to this many. */
export async function readSealedHead({ path, key }: SealedFile, bytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return createDecipheriv(ALGORITHM, ...partsOf(key)).update(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}
