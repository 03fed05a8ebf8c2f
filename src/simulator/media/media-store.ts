import { randomBytes } from 'node:crypto'
import type { Journal } from '../journal.ts'

/** Encrypted files, as the media servers of the platform keep them. */
export interface MediaStore {
  /** `host:port` of the HTTPS server. */
  host: string
  /** What a client must present to upload. */
  readonly auth: string
  /** Keeps a file and returns its path. */
  put(file: Uint8Array): string
  get(path: string): Uint8Array | undefined
  /** Makes a file unreachable with this status; a phone may put it up again unless it is lost. */
  withdraw(path: string, status: number, lost: boolean): void
  withdrawal(path: string): number | undefined
  /** Puts a withdrawn file up again under a new path. */
  renew(path: string): string | undefined
  restore(path: string, file: Uint8Array): void
  url(path: string): string
}

/** How many files are kept before the oldest is dropped. */
const MAX_FILES = 512
const PREFIX = '/v/media/'

export function createMediaStore(journal: Journal): MediaStore {
  const files = new Map<string, Uint8Array>()
  const withdrawn = new Map<string, { readonly status: number; readonly lost: boolean }>()
  const keep = (path: string, file: Uint8Array): void => {
    files.set(path, file)
    if (files.size <= MAX_FILES) return
    const oldest = files.keys().next().value!
    files.delete(oldest)
    journal.remove(`media/${oldest}`)
  }
  const store: MediaStore = {
    host: '',
    auth: randomBytes(24).toString('base64url'),
    put(file) {
      const path = `${PREFIX}${randomBytes(16).toString('hex')}.enc`
      keep(path, file)
      journal.put(`media/${path}`, () => file)
      return path
    },
    get: path => files.get(path),
    withdraw: (path, status, lost) => {
      withdrawn.set(path, { status, lost })
    },
    withdrawal: path => withdrawn.get(path)?.status,
    renew(path) {
      const file = files.get(path)
      return file && !withdrawn.get(path)?.lost ? store.put(file) : undefined
    },
    restore: keep,
    url: path => `https://${store.host}${path}`,
  }
  return store
}
