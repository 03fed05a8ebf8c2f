import type { Context } from '../context.ts'
import { bodyInvalid, GatewayError, tooManyUploads } from '../domain/errors.ts'
import { aboutUpload } from '../domain/sealed.ts'
import { makeUploadId, partName } from '../domain/upload.ts'
import type { Store } from '../store/store.ts'

type Deps = Pick<Context, 'seal'> & { store: Pick<Store, 'uploads'> }

export interface IncomingFile {
  accountId: string
  mimeType: string
  /** The size that it may have at most. */
  maxBytes: number
  /** Its parts as they arrive. */
  parts: AsyncIterable<Uint8Array>
}

export interface StoredUpload {
  id: string
  bytes: number
  expiresAt: number
}

/** Stores a file for the account's sandbox numbers to send, sealed part by part as it arrives. */
export async function storeUpload({ store, seal }: Deps, file: IncomingFile): Promise<StoredUpload> {
  const { accountId, mimeType, maxBytes } = file
  const id = makeUploadId()
  const begun = await store.uploads.beginUpload({ id, accountId, mimeType, bytes: maxBytes })
  if (begun.kind === 'full') throw tooManyUploads(begun.retryAfterMs)
  let [bytes, parts] = [0, 0]
  try {
    for await (const plain of file.parts) {
      const part = partName(parts)
      const isKept = await store.uploads.addUploadPart({ id, part, sealed: seal.seal(plain, aboutUpload(id, part)) })
      if (!isKept) throw tookTooLong()
      bytes += plain.length
      parts += 1
    }
    if (bytes === 0) throw emptyFile()
    const expiresAt = await store.uploads.finishUpload({ id, bytes, parts })
    if (expiresAt === undefined) throw tookTooLong()
    return { id, bytes, expiresAt }
  } catch (error) {
    // If this fails too, retention removes the upload when it expires.
    await store.uploads.abandonUpload({ id, bytes }).catch(() => {})
    throw error
  }
}

export const emptyFile = (): GatewayError => bodyInvalid('body is empty: it must be the file itself')

export const tookTooLong = (): GatewayError =>
  new GatewayError('request_timeout', 'the request did not arrive in time; send it again')
