import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MAX_DATABASE_MEDIA_BYTES, MAX_DOCUMENT_BYTES, MEDIA_PIECE_BYTES, type MediaPlace } from '../../domain/media.ts'
import type { Store } from '../store.ts'
import { S3Bucket, type S3Settings, type Sink, type Source } from './s3-bucket.ts'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** A file whose bytes are stored. */
export interface StoredFile {
  id: string
  place: MediaPlace
  /** Base64. */
  key: string
  bytes: number
}

/** The bytes are missing or damaged: the folder was changed, or is another one. */
export class MediaUnreadable extends Error {
  override name = 'MediaUnreadable'
}

export interface MediaSettings {
  /** The folder for files; `null`: they are in the database, or in the bucket. */
  mediaDir: string | null
  mediaS3: S3Settings | null
}

/** Takes the pieces of a new file: all of `MEDIA_PIECE_BYTES`, the last one shorter. */
export interface MediaWriter {
  /** Base64: encrypts the file, and is stored nowhere but in its sealed row. */
  readonly key: string
  add(piece: Uint8Array): Promise<void>
  /** Resolves when all pieces are on disk. */
  finish(): Promise<void>
  /** Frees what it holds; the pieces stay until the file is removed. */
  close(): Promise<void>
}

/**
 * The bytes of stored files, in a folder, in the database or in a bucket of S3. Each file has a key of its own, and each piece is encrypted
 * by itself under that key, so that a range can be read alone and no more than a piece is in memory.
 */
export class MediaFiles {
  readonly #folder: string | null
  readonly #bucket: S3Bucket | null
  readonly #store: Pick<Store, 'media'>

  constructor({ mediaDir, mediaS3 }: MediaSettings, store: Pick<Store, 'media'>) {
    this.#folder = mediaDir
    this.#bucket = mediaS3 && new S3Bucket(mediaS3)
    this.#store = store
  }

  /** Where new files are stored. */
  get place(): MediaPlace {
    if (this.#bucket !== null) return 's3'
    return this.#folder === null ? 'database' : 'folder'
  }

  /** Where this process can read files: earlier ones may be in another place. */
  get places(): MediaPlace[] {
    return ['database', ...(this.#folder === null ? [] : ['folder' as const]), ...(this.#bucket ? ['s3' as const] : [])]
  }

  /** The size of the largest file. */
  get maxBytes(): number {
    return this.place === 'database' ? MAX_DATABASE_MEDIA_BYTES : MAX_DOCUMENT_BYTES
  }

  async create(id: string): Promise<MediaWriter> {
    const key = randomBytes(KEY_BYTES)
    const sink = await this.#createSink(id)
    let piece = 0
    return {
      key: key.toString('base64'),
      add: async plain => {
        await sink.write(seal(plain, key, id, piece), piece)
        piece += 1
      },
      finish: sink.finish,
      close: sink.close,
    }
  }

  /** The bytes from `start` up to `end`. Throws `MediaUnreadable`. */
  async *read(file: StoredFile, { start, end } = { start: 0, end: file.bytes }): AsyncGenerator<Buffer> {
    const key = Buffer.from(file.key, 'base64')
    const source = await this.#openSource(file, { start, end })
    try {
      for (let at = start; at < end; ) {
        const piece = Math.floor(at / MEDIA_PIECE_BYTES)
        const first = piece * MEDIA_PIECE_BYTES
        const length = Math.min(MEDIA_PIECE_BYTES, file.bytes - first)
        const sealed = await source.read(piece, length + TAG_BYTES)
        const plain = unseal(sealed, key, file.id, piece)
        yield plain.subarray(at - first, end - first)
        at = first + length
      }
    } finally {
      await source.close()
    }
  }

  /** Deletes the bytes of a file, if there are any. */
  async remove({ id, place }: Pick<StoredFile, 'id' | 'place'>): Promise<void> {
    if (place === 's3') await this.#requireBucket().remove(id)
    else if (place === 'folder') await rm(this.#pathOf(id), { force: true })
    else while (await this.#store.media.dropMediaPieces(id));
  }

  async #createSink(id: string): Promise<Sink> {
    if (this.#bucket !== null) return await this.#bucket.create(id)
    return this.#folder === null ? this.#rows(id) : await createFile(this.#pathOf(id))
  }

  async #openSource({ id, place, bytes }: StoredFile, { start, end }: { start: number; end: number }): Promise<Source> {
    if (place === 'database') return this.#savedRows(id)
    if (place === 'folder') return await openFile(this.#pathOf(id))
    const pieces = { start: sealedAt(start), end: Math.min(sealedAt(end - 1 + MEDIA_PIECE_BYTES), sealedBytes(bytes)) }
    const source = await this.#requireBucket().open(id, pieces)
    if (source === undefined) throw new MediaUnreadable('no_file')
    return source
  }

  #requireBucket(): S3Bucket {
    if (this.#bucket === null) throw new MediaUnreadable('no_bucket')
    return this.#bucket
  }

  /** Spread over folders, because some file systems are slow with a million files in one. */
  #pathOf(id: string): string {
    if (this.#folder === null) throw new MediaUnreadable('no_folder')
    return join(this.#folder, id.slice(-2), id)
  }

  #rows(id: string): Sink {
    return {
      write: (content, piece) => this.#store.media.addMediaPiece({ id, piece, content }),
      finish: async () => {},
      close: async () => {},
    }
  }

  #savedRows(id: string): Source {
    return {
      read: async piece => (await this.#store.media.readMediaPiece({ id, piece })) ?? Buffer.alloc(0),
      close: async () => {},
    }
  }
}

/** Where the sealed form of the piece with this byte begins. */
const sealedAt = (at: number): number => Math.floor(at / MEDIA_PIECE_BYTES) * (MEDIA_PIECE_BYTES + TAG_BYTES)

const sealedBytes = (bytes: number): number => bytes + Math.ceil(bytes / MEDIA_PIECE_BYTES) * TAG_BYTES

async function createFile(path: string): Promise<Sink> {
  const folder = dirname(path)
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  return {
    write: async content => {
      await file.writeFile(content)
    },
    finish: async () => {
      await file.sync()
      await syncFolder(folder)
      if (made !== undefined) await syncFolder(dirname(folder))
    },
    close: () => file.close(),
  }
}

/** So that the name of a new file survives a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function openFile(path: string): Promise<Source> {
  const file = await open(path).catch((error: unknown) => {
    throw new MediaUnreadable('no_file', { cause: error })
  })
  return {
    read: (piece, bytes) => readAt(file, piece * (MEDIA_PIECE_BYTES + TAG_BYTES), bytes),
    close: () => file.close(),
  }
}

async function readAt(file: FileHandle, at: number, bytes: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, at)
  return buffer.subarray(0, bytesRead)
}

/** No piece of a key has the place of another, so the place is a safe nonce. */
function nonceOf(piece: number): Buffer {
  const nonce = Buffer.alloc(IV_BYTES)
  nonce.writeUInt32BE(piece, IV_BYTES - 4)
  return nonce
}

const aboutPiece = (id: string, piece: number): Buffer => Buffer.from(`media:${id}:${piece}`)

function seal(plain: Uint8Array, key: Buffer, id: string, piece: number): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonceOf(piece)).setAAD(aboutPiece(id, piece))
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function unseal(sealed: Uint8Array, key: Buffer, id: string, piece: number): Buffer {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonceOf(piece)).setAAD(aboutPiece(id, piece))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch (error) {
    throw new MediaUnreadable('damaged', { cause: error })
  }
}
