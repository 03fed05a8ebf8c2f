import { Readable } from 'node:stream'
import { mediaIdOf, type MediaSecrets } from '../domain/media.ts'
import { aboutMedia, aboutUpload } from '../domain/sealed.ts'
import { partName, uploadIdOf } from '../domain/upload.ts'
import { failed, TargetError } from '../net/failure.ts'
import type { Download, DownloadRequest } from '../net/fetch.ts'
import { StorageUnavailable } from '../platform/platform.ts'
import { type MediaFiles, MediaUnreadable, type StoredFile } from '../store/media/media-files.ts'
import { S3Failure } from '../store/media/s3-bucket.ts'
import type { Store } from '../store/store.ts'
import { retryUntilReachable } from '../store/retry-until-reachable.ts'
import type { HostDeps } from './deps.ts'

type UploadDeps = Pick<HostDeps, 'seal' | 'clock'> & { store: Pick<Store, 'uploads'> }
type MediaDeps = Pick<HostDeps, 'seal' | 'clock'> & { mediaFiles: MediaFiles; store: Pick<Store, 'media'> }
type GuardedDownload = (request: DownloadRequest) => Promise<Download>
type DownloadFor = (request: DownloadRequest, sessionId: string) => Promise<Download>

interface Reading {
  signal: AbortSignal | undefined
  endsAtMs: number
}

const NOT_KEPT = { kind: 'http_4xx', text: 'the uploaded file is not kept any more; upload it again' } as const

const MEDIA_NOT_KEPT = { kind: 'http_4xx', text: 'the file is not kept any more; upload it again' } as const

/** For sandbox numbers: reads uploaded files from the store, and downloads everything else. */
export const withUploads =
  (deps: UploadDeps, download: GuardedDownload) =>
  async (request: DownloadRequest, sessionId: string): Promise<Download> => {
    const id = uploadIdOf(request.url)
    if (id === undefined) return await download(request)
    const reading = { signal: request.signal, endsAtMs: deps.clock.monotonicMs() + (request.timeoutMs ?? 0) }
    const found = await read(deps, reading, () => deps.store.uploads.findUpload({ id, sessionId }))
    if (found === undefined) return { ok: false, failure: NOT_KEPT }
    const body = Readable.from(partsOf(deps, reading, id, found.parts))
    return { ok: true, contentType: found.mimeType, body }
  }

/** Reads files that the gateway has stored, and downloads everything else. */
export const withMedia =
  (deps: MediaDeps, download: DownloadFor) =>
  async (request: DownloadRequest, sessionId: string): Promise<Download> => {
    const id = mediaIdOf(request.url)
    if (id === undefined) return await download(request, sessionId)
    const reading = { signal: request.signal, endsAtMs: deps.clock.monotonicMs() + (request.timeoutMs ?? 0) }
    const found = await read(deps, reading, () => deps.store.media.findSentMedia({ id, sessionId }))
    const secrets = found && deps.seal.openJson<MediaSecrets>(found.sealed, aboutMedia(id))
    if (found === undefined || !secrets?.key) return { ok: false, failure: MEDIA_NOT_KEPT }
    if (found.bytes > request.maxBytes) return { ok: false, failure: failed('too_large') }
    const file = { ...found, key: secrets.key }
    const open = (): Readable => Readable.from(piecesOf(deps, file), { objectMode: false })
    const stored = { bytes: file.bytes, filename: secrets.filename, read: open }
    return { ok: true, contentType: file.mimeType, body: open(), stored }
  }

/** The folder of the files may have been changed, or restored from an older copy. */
async function* piecesOf({ mediaFiles }: MediaDeps, file: StoredFile): AsyncGenerator<Buffer> {
  try {
    yield* mediaFiles.read(file)
  } catch (error) {
    if (error instanceof MediaUnreadable) throw new TargetError(MEDIA_NOT_KEPT, { cause: error })
    if (error instanceof S3Failure) throw new StorageUnavailable('a stored file cannot be read now', { cause: error })
    throw error
  }
}

async function* partsOf(deps: UploadDeps, reading: Reading, id: string, count: number) {
  for (let index = 0; index < count; index++) {
    const part = partName(index)
    reading.signal?.throwIfAborted()
    const sealed = await read(deps, reading, () => deps.store.uploads.readUploadPart({ id, part }))
    if (sealed === undefined) throw new TargetError(NOT_KEPT)
    yield deps.seal.open(sealed, aboutUpload(id, part))
  }
}

/** Waits for an unreachable database as long as a download may take; the message is retried after that. */
async function read<T>(
  { clock }: Pick<HostDeps, 'clock'>,
  { signal, endsAtMs }: Reading,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await retryUntilReachable(clock, work, {
      ...(signal && { signal }),
      mayRetry: () => clock.monotonicMs() < endsAtMs,
    })
  } catch (error) {
    throw new StorageUnavailable('an uploaded file cannot be read now', { cause: error })
  }
}
