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

/** What is kept, all files together, before the oldest are dropped; the newest always stays. */
const MAX_FILES = 512
const MAX_BYTES = 256 * 1024 * 1024
const PREFIX = '/v/media/'

export function createMediaStore(journal: Journal): MediaStore {
  const files = new Map<string, Uint8Array>()
  const withdrawn = new Map<string, { readonly status: number; readonly lost: boolean }>()
  let keptBytes = 0
  const drop = (path: string, file: Uint8Array): void => {
    files.delete(path)
    withdrawn.delete(path)
    keptBytes -= file.length
    journal.remove(`media/${path}`)
  }
  const keep = (path: string, file: Uint8Array): void => {
    files.set(path, file)
    keptBytes += file.length
    for (const [oldest, old] of files) {
      if (oldest === path || (files.size <= MAX_FILES && keptBytes <= MAX_BYTES)) return
      drop(oldest, old)
    }
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
