import { t } from '../t.ts'
import { ACCEPT, ApiError, errorOf } from './client.ts'
import { noteReached } from './reach.ts'
import type { paths } from './schema.d.ts'

/** What the gateway keeps of a file for sandbox numbers to send. */
export type Uploaded = paths['/sandbox/media']['post']['responses'][201]['content']['application/json']

/** What the gateway takes at most. */
export const MAX_UPLOAD_BYTES = 64 * 1_048_576

interface Following {
  signal: AbortSignal
  /** From 0 to 1. */
  onProgress: (share: number) => void
}

/** Brings a file to the gateway. `fetch` says nothing of how far it is. */
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
