import type { Api, CallOptions } from './api.ts'

export interface UploadOptions extends CallOptions {
  /** The type of the file, such as `image/jpeg`; by default the gateway tells it by the first bytes. */
  readonly type?: string
  /** The name that recipients see. */
  readonly filename?: string
}

/** Files to send, and files that people sent. */
export function mediaCalls(api: Api) {
  return {
    /** Uploads a file: its `id` is the `media_id` of a message. Give a `timeoutMs` that suits its size. */
    upload: (
      content: Blob | Uint8Array,
      { type = 'application/octet-stream', filename, ...options }: UploadOptions = {},
    ) => api.call('post', '/v1/media', { file: { content, type }, query: { filename }, ...options }),
    /** The file as a stream. */
    download: (id: string, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> =>
      api.download('/v1/media/{id}', { in: { id }, ...options }),
    delete: (id: string, options: CallOptions = {}) => api.call('delete', '/v1/media/{id}', { in: { id }, ...options }),
  }
}
