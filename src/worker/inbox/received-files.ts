import { fileTypeBy } from '../../domain/file-format.ts'
import { makeId } from '../../domain/ids.ts'
import { MEDIA_PIECE_BYTES, type MediaSecrets } from '../../domain/media.ts'
import { aboutMedia } from '../../domain/sealed.ts'
import { fileTypeOf } from '../../domain/upload.ts'
import type { KeptFile, ReceivedFile, ReceivedFiles } from '../../platform/platform.ts'
import type { Media } from '../../store/media/media.ts'
import type { Store } from '../../store/store.ts'
import type { HostDeps } from '../deps.ts'
import type { HeldLease } from '../held-lease.ts'

type Deps = Pick<HostDeps, 'seal' | 'mediaFiles' | 'log'> & { store: Pick<Store, 'media'> }

/** The files that people sent to a number, as rows and bytes of stored media. */
export class StoredReceivedFiles implements ReceivedFiles {
  readonly #deps: Deps
  readonly #heldLease: HeldLease

  constructor(deps: Deps, heldLease: HeldLease) {
    this.#deps = deps
    this.#heldLease = heldLease
  }

  get maxBytes(): number {
    return this.#deps.mediaFiles.maxBytes
  }

  /** The bytes of a small file are stored at once; a crash before its event leaves a file that expires. */
  async keep({ mimetype, filename, source, length, bytes }: ReceivedFile): Promise<KeptFile | undefined> {
    const { store, mediaFiles } = this.#deps
    const id = makeId('med')
    const secrets: MediaSecrets = { filename, key: null, source: Buffer.from(source).toString('base64') }
    const added = await store.media.addMedia({
      id,
      accountId: null,
      sessionId: this.#heldLease.sessionId,
      state: 'remote',
      place: mediaFiles.place,
      mimeType: fileTypeOf(mimetype) ?? fileTypeBy(Buffer.alloc(0), undefined),
      bytes: length,
      sealed: this.#seal(id, secrets),
    })
    if (added === 'full') return undefined
    return { id, isStored: bytes !== undefined && (await this.#store(id, bytes)) }
  }

  /** A message must not be lost because a disk is full or away: the platform still has its file. */
  async #store(id: string, bytes: Uint8Array): Promise<boolean> {
    try {
      return (await this.fill(id, [bytes])) === 'kept'
    } catch (error) {
      const { syscall, code } = error as NodeJS.ErrnoException
      if (syscall === undefined) throw error
      this.#deps.log.error({ code }, 'media.write_failed')
      return false
    }
  }

  async sourceOf(id: string): Promise<Uint8Array | undefined> {
    const media = await this.#remote(id)
    const source = media && this.#secretsOf(media).source
    return source ? Buffer.from(source, 'base64') : undefined
  }

  async hasRoomFor(id: string): Promise<boolean> {
    return await this.#deps.store.media.hasRoomFor(id)
  }

  /** Only the number's own host fills its files, so no other writes the same bytes. */
  async fill(id: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<'kept' | 'full'> {
    const { store, mediaFiles } = this.#deps
    const media = await this.#remote(id)
    if (media === undefined) return 'kept'
    const { place } = mediaFiles
    await mediaFiles.remove(media)
    if (media.place !== place) await mediaFiles.remove({ id, place })
    const writer = await mediaFiles.create(id)
    let isKept = false
    try {
      let bytes = 0
      for await (const piece of inPieces(content)) {
        this.#heldLease.requireValid()
        await writer.add(piece)
        bytes += piece.length
      }
      await writer.finish()
      const sealed = this.#seal(id, { ...this.#secretsOf(media), key: writer.key })
      const finished = await store.media.finishMedia({ id, bytes, mimeType: media.mimeType, place, sealed })
      isKept = typeof finished === 'object'
      return finished === 'full' ? 'full' : 'kept'
    } finally {
      await writer.close()
      // If this fails, the cleanup removes them with the row.
      if (!isKept) await mediaFiles.remove({ id, place }).catch(() => {})
    }
  }

  async #remote(id: string): Promise<Media | undefined> {
    const media = await this.#deps.store.media.getMedia(id)
    return media?.state === 'remote' && media.sessionId === this.#heldLease.sessionId ? media : undefined
  }

  #seal(id: string, secrets: MediaSecrets): Buffer {
    return this.#deps.seal.sealJson(secrets, aboutMedia(id))
  }

  #secretsOf({ id, sealed }: Media): MediaSecrets {
    return this.#deps.seal.openJson<MediaSecrets>(sealed, aboutMedia(id))
  }
}

/** The same bytes in pieces of one size, the last one shorter. */
async function* inPieces(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      const fits = chunk.subarray(at, at + MEDIA_PIECE_BYTES - length)
      held.push(fits)
      length += fits.length
      at += fits.length
      if (length < MEDIA_PIECE_BYTES) continue
      yield Buffer.concat(held, length)
      held = []
      length = 0
    }
  }
  if (length > 0) yield Buffer.concat(held, length)
}
