import { Readable } from 'node:stream'
import { aboutUpload } from '../domain/sealed.ts'
import { partName, uploadIdOf } from '../domain/upload.ts'
import { TargetError } from '../net/failure.ts'
import type { Download, DownloadRequest } from '../net/fetch.ts'
import { StorageAway } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'
import { retryUntilReachable } from '../store/retry-until-reachable.ts'
import type { HostDeps } from './deps.ts'

type UploadParts = Pick<HostDeps, 'seal' | 'clock'> & { store: Pick<Store, 'uploads'> }
type GuardedDownload = (request: DownloadRequest) => Promise<Download>

interface Reading {
  signal: AbortSignal | undefined
  endsAtMs: number
}

const NOT_KEPT = { kind: 'http_4xx', text: 'the uploaded file is not kept any more; upload it again' } as const

/** For the numbers of the sandbox: files that were uploaded come from the store, and everything else from `download`. */
export const withUploads =
  (parts: UploadParts, download: GuardedDownload) =>
  async (request: DownloadRequest, sessionId: string): Promise<Download> => {
    const id = uploadIdOf(request.url)
    if (id === undefined) return await download(request)
    const reading = { signal: request.signal, endsAtMs: parts.clock.monotonicMs() + (request.timeoutMs ?? 0) }
    const found = await read(parts, reading, () => parts.store.uploads.findUpload({ id, sessionId }))
    if (found === undefined) return { ok: false, failure: NOT_KEPT }
    const body = Readable.from(partsOf(parts, reading, id, found.parts))
    return { ok: true, contentType: found.mimeType, body }
  }

async function* partsOf(parts: UploadParts, reading: Reading, id: string, count: number) {
  for (let index = 0; index < count; index++) {
    const part = partName(index)
    reading.signal?.throwIfAborted()
    const sealed = await read(parts, reading, () => parts.store.uploads.readUploadPart({ id, part }))
    if (sealed === undefined) throw new TargetError(NOT_KEPT)
    yield parts.seal.open(sealed, aboutUpload(id, part))
  }
}

/** A database that is away is waited for as long as a download may take; then the message waits. */
async function read<T>({ clock }: UploadParts, { signal, endsAtMs }: Reading, work: () => Promise<T>): Promise<T> {
  try {
    return await retryUntilReachable(clock, work, {
      ...(signal && { signal }),
      makesSense: () => clock.monotonicMs() < endsAtMs,
    })
  } catch (error) {
    throw new StorageAway('an uploaded file cannot be read now', { cause: error })
  }
}
