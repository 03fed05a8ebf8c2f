import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Clock } from '../../../runtime/clock.ts'
import { HEAD_BYTES } from '../../../domain/file-format.ts'
import { MAX_DOCUMENT_BYTES, mediaIdOf } from '../../../domain/media.ts'
import { MAX_SENT_MEDIA_BYTES, type MediaType } from '../../../domain/message.ts'
import { saveDownload } from '../../../net/download.ts'
import type { Download, DownloadRequest } from '../../../net/fetch.ts'
import { mediaFailed } from '../errors.ts'
import { formatOf } from './media-format.ts'
import { newFileKey, readSealed, readSealedHead, type SealedFile, sealing } from './sealed-file.ts'

/** Fetches from addresses that customers chose, with the address guard of `net`. */
export type GuardedDownload = (request: DownloadRequest) => Promise<Download>
/** The same, for a given session. */
export type DownloadFor = (request: DownloadRequest, sessionId: string) => Promise<Download>

/** A file to send. */
export interface FetchedMedia {
  read(): Readable
  head(bytes: number): Promise<Uint8Array>
  /** A sealed temporary copy, which is removed after use; a stored document has none. */
  file?: SealedFile
  mimetype: string
  bytes: number
  /** The name that it was stored with. */
  filename: string | null
}

// One deadline for the whole download.
const TIMEOUT_MS = 60_000

const FOLDER = 'postern-media-'
const FILE = 'file'
/** The same file as its message needs it. */
export const CONVERTED_FILE = 'converted'
/** `mkdtemp` adds six characters to the name. */
const OWN_NAME = /^postern-media-[A-Za-z0-9]{6}$/
/** The library encrypts a file into such a one before it uploads it. */
const ENCRYPTED_NAME = /^[a-z-]+3EB0[0-9A-F]{18}-enc$/
const ABANDONED_MS = 3_600_000

/**
 * Removes what killed processes of this user left behind; what running processes use is younger. Everyone can put
 * something into the folder for temporary files, so only a folder as `withFetchedMedia` makes it counts as one.
 */
export async function removeAbandonedMedia(clock: Pick<Clock, 'now'>, uid = process.getuid?.()): Promise<void> {
  const abandonedBeforeMs = clock.now().getTime() - ABANDONED_MS
  const names = (await readdir(tmpdir())).filter(name => OWN_NAME.test(name) || ENCRYPTED_NAME.test(name))
  // Some may be removed by now.
  await Promise.allSettled(names.map(name => removeIfAbandoned(join(tmpdir(), name), abandonedBeforeMs, uid)))
}

async function removeIfAbandoned(path: string, beforeMs: number, uid: number | undefined): Promise<void> {
  const found = await lstat(path)
  if (found.mtimeMs >= beforeMs || (uid !== undefined && found.uid !== uid)) return
  if (found.isFile()) return await rm(path, { force: true })
  if (!found.isDirectory() || ENCRYPTED_NAME.test(basename(path))) return
  if ((await readdir(path)).some(name => name !== FILE && name !== CONVERTED_FILE)) return
  await rm(path, { recursive: true, force: true })
}

interface Source {
  url: string
  mediaType: MediaType
  /** The field that names it, for failures. */
  field?: string
}

/** Downloads a file and passes it to `use`. Rejects with MEDIA_FAILED when the download fails or the type is wrong. */
export async function withFetchedMedia<T>(
  source: Source,
  download: GuardedDownload,
  signal: AbortSignal,
  use: (media: FetchedMedia) => Promise<T>,
): Promise<T> {
  const isDocument = source.mediaType === 'document'
  const maxBytes = isDocument && mediaIdOf(source.url) !== undefined ? MAX_DOCUMENT_BYTES : MAX_SENT_MEDIA_BYTES
  const started = await download({ url: source.url, maxBytes, timeoutMs: TIMEOUT_MS, signal })
  const stored = started.ok ? started.stored : undefined
  // Nothing opens a document, so a stored one needs no copy.
  if (started.ok && stored !== undefined && isDocument) {
    started.body.destroy()
    const head = (bytes: number) => headOf(stored.read(), bytes)
    return await use({ ...stored, head, mimetype: started.contentType })
  }
  const folder = await mkdtemp(join(tmpdir(), FOLDER))
  try {
    const file = { path: join(folder, FILE), key: newFileKey() }
    return await use(await fetchInto(file, source, started))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fetchInto(file: SealedFile, source: Source, started: Download): Promise<FetchedMedia> {
  const field = source.field ?? (mediaIdOf(source.url) === undefined ? 'media_url' : 'media_id')
  const saved = await saveDownload(started, file.path, sealing(file.key))
  if (!saved.ok) {
    const isTooLarge = saved.failure.kind === 'too_large'
    throw mediaFailed(isTooLarge ? 'the media is larger than 64 MB' : `${field}: ${saved.failure.text}`)
  }
  if (saved.bytes === 0) throw mediaFailed(`${field}: the content is empty`)
  const head = (bytes: number): Promise<Uint8Array> => readSealedHead(file, bytes)
  const format = formatOf(source.mediaType, await head(HEAD_BYTES), saved.contentType)
  if ('problem' in format) throw mediaFailed(`${field}: ${format.problem}`)
  const filename = started.ok ? (started.stored?.filename ?? null) : null
  return { read: () => readSealed(file), head, file, mimetype: format.mimetype, bytes: saved.bytes, filename }
}

async function headOf(body: Readable, bytes: number): Promise<Uint8Array> {
  for await (const chunk of body) return (chunk as Buffer).subarray(0, bytes)
  return Buffer.alloc(0)
}
