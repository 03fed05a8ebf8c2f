import { t } from '../t.ts'
import { ACCEPT, ApiError, errorOf } from './client.ts'
import { noteReached } from './reach.ts'
import type { paths } from './schema.d.ts'

/** An uploaded file that every number of the account can send. */
export type Uploaded = paths['/v1/media']['post']['responses'][201]['content']['application/json']

export interface SizeLimit {
  bytes: number
  name: string
}

/** WhatsApp takes larger documents than files of every other kind. */
export const DOCUMENT_LIMIT: SizeLimit = { bytes: 2_048 * 1_048_576, name: '2 GB' }
export const MEDIA_LIMIT: SizeLimit = { bytes: 64 * 1_048_576, name: '64 MB' }

interface Following {
  signal: AbortSignal
  /** From 0 to 1. */
  onProgress: (share: number) => void
}

/** Uploads a file. It uses XMLHttpRequest, because `fetch` does not report progress. */
export function upload(file: File, { signal, onProgress }: Following): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/portal/api/v1/media?${new URLSearchParams({ filename: file.name.slice(-255) })}`)
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream')
    request.setRequestHeader('Accept', ACCEPT)
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () => {
      noteReached(true)
      const uploaded = request.response as Partial<Uploaded> | null
      if (request.status === 201 && uploaded?.id !== undefined) resolve(uploaded as Uploaded)
      else reject(errorOf(request.status, request.response, name => request.getResponseHeader(name)))
    }
    request.onerror = () => {
      reject(new ApiError(0, t('The upload failed. Try again, or choose a smaller file.')))
    }
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}
