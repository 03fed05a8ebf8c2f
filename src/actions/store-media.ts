import type { Context } from '../context.ts'
import { GatewayError, mediaIsFull } from '../domain/errors.ts'
import { fileTypeBy } from '../domain/file-format.ts'
import { makeId } from '../domain/ids.ts'
import type { MediaSecrets } from '../domain/media.ts'
import { aboutMedia } from '../domain/sealed.ts'
import type { MediaFiles, MediaWriter } from '../store/media/media-files.ts'
import type { Media } from '../store/media/media.ts'
import type { Store } from '../store/store.ts'
import { emptyFile, tookTooLong } from './store-upload.ts'

type Deps = Pick<Context, 'seal' | 'clock' | 'log'> & {
  mediaFiles: MediaFiles
  store: Pick<Store, 'media'>
}

/** How often the row of an upload that is still arriving is prolonged. */
const PROLONG_EVERY_MS = 60_000
/** Also after as many bytes: a client need not say how many it will send, and the account may have no room for them. */
const PROLONG_EVERY_BYTES = 16 * 1_048_576

export interface UploadedFile {
  accountId: string
  /** As the client declares it. */
  type: string | undefined
  filename: string | null
  /** The declared size; `undefined` if the client does not say it. */
  bytes: number | undefined
  /** Its pieces as they arrive, all of `MEDIA_PIECE_BYTES`, the last one shorter. */
  pieces: AsyncIterable<Uint8Array>
}

/** Stores a file as it arrives, encrypted piece by piece. When this resolves, all of it is on disk. */
export async function storeMedia(deps: Deps, file: UploadedFile): Promise<{ media: Media; secrets: MediaSecrets }> {
  const { store, seal, mediaFiles } = deps
  const id = makeId('med')
  const unknown: MediaSecrets = { filename: file.filename, key: null, source: null }
  const row = {
    id,
    accountId: file.accountId,
    sessionId: null,
    state: 'incoming',
    place: mediaFiles.place,
    mimeType: '',
    bytes: file.bytes ?? 0,
    sealed: seal.sealJson(unknown, aboutMedia(id)),
  } as const
  if ((await store.media.addMedia(row)) === 'full') throw mediaIsFull()
  let writer: MediaWriter | undefined
  try {
    writer = await mediaFiles.create(id)
    const { bytes, head } = await write(deps, id, file.pieces, writer)
    const secrets = { ...unknown, key: writer.key }
    const arrived = {
      id,
      bytes,
      mimeType: fileTypeBy(head, file.type),
      place: row.place,
      sealed: seal.sealJson(secrets, aboutMedia(id)),
    }
    const finished = await store.media.finishMedia(arrived)
    if (finished === 'full') throw mediaIsFull()
    if (finished === 'gone') throw tookTooLong()
    return { media: { ...row, ...arrived, state: 'ready', ...finished }, secrets }
  } catch (error) {
    await discard(deps, id)
    throw refusalOf(deps, error)
  } finally {
    await writer?.close()
  }
}

async function write(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  id: string,
  pieces: AsyncIterable<Uint8Array>,
  writer: MediaWriter,
): Promise<{ bytes: number; head: Uint8Array }> {
  let bytes = 0
  let head: Uint8Array | undefined
  let [prolongedMs, prolongedBytes] = [clock.monotonicMs(), 0]
  for await (const piece of pieces) {
    head ??= piece
    await writer.add(piece)
    bytes += piece.length
    const isDue = bytes - prolongedBytes >= PROLONG_EVERY_BYTES || clock.monotonicMs() - prolongedMs >= PROLONG_EVERY_MS
    if (!isDue) continue
    const prolonged = await store.media.prolongMedia({ id, bytes })
    if (prolonged === 'full') throw mediaIsFull()
    if (prolonged === 'gone') throw tookTooLong()
    prolongedMs = clock.monotonicMs()
    prolongedBytes = bytes
  }
  if (head === undefined) throw emptyFile()
  await writer.finish()
  return { bytes, head }
}

/** If this fails too, the cleanup removes the file when its row expires. */
async function discard({ store, mediaFiles }: Pick<Deps, 'store' | 'mediaFiles'>, id: string): Promise<void> {
  try {
    await store.media.expireMedia(id)
    await mediaFiles.remove({ id, place: mediaFiles.place })
    await store.media.dropMedia([id])
  } catch {}
}

/** A full or failing disk is not the client's fault, and the operator has to know. */
function refusalOf({ log }: Pick<Deps, 'log'>, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).syscall === undefined) return error
  log.error({ code: (error as NodeJS.ErrnoException).code }, 'media.write_failed')
  return new GatewayError('not_stored', 'the gateway cannot store the file now; send it again later')
}

/** Deletes a file and its bytes at once. */
export async function deleteMedia(
  { store, mediaFiles }: Pick<Deps, 'store' | 'mediaFiles'>,
  { id, place }: Pick<Media, 'id' | 'place'>,
): Promise<void> {
  await store.media.expireMedia(id)
  await mediaFiles.remove({ id, place })
  await store.media.dropMedia([id])
}
