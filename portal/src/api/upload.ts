import { t } from '../t.ts'
import { ACCEPT, ApiError, errorOf } from './client.ts'
import { noteReached } from './reach.ts'
import type { paths } from './schema.d.ts'

/** An uploaded file that sandbox numbers can send. */
export type Uploaded = paths['/sandbox/media']['post']['responses'][201]['content']['application/json']

/** The largest file that the gateway accepts. */
export const MAX_UPLOAD_BYTES = 64 * 1_048_576

interface Following {
  signal: AbortSignal
  /** From 0 to 1. */
  onProgress: (share: number) => void
}

/** Uploads a file. It uses XMLHttpRequest, because `fetch` does not report progress. */
export function upload(file: File, { signal, onProgress }: Following): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/portal/api/sandbox/media')
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream')
    request.setRequestHeader('Accept', ACCEPT)
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () => {
      noteReached(true)
      const uploaded = request.response as Partial<Uploaded> | null
      if (request.status === 201 && uploaded?.media_url !== undefined) resolve(uploaded as Uploaded)
      else reject(errorOf(request.status, request.response, name => request.getResponseHeader(name)))
    }
    request.onerror = () => {
      reject(new ApiError(0, t('The upload failed. Try again, or choose a smaller file.')))
    }
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}
