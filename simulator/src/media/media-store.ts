import { createHash, randomBytes } from 'node:crypto'
import type { Journal } from '../journal.ts'
import { currentOwner } from '../on-behalf.ts'
import { createShelf } from '../shelf.ts'

/** Encrypted files, as the media servers of the platform keep them. */
export interface MediaStore {
  /** `host:port` of the HTTPS server. */
  host: string
  /** What a client of the owner must present to upload. */
  authOf(owner: string): string
  /** Whose client presents this; undefined where it may not upload. */
  ownerBy(auth: string): MediaOwner | undefined
  /** Keeps a file and returns its path. */
  put(file: Uint8Array, owner?: MediaOwner): string
  get(path: string): Uint8Array | undefined
  /** Makes a file unreachable with this status; a phone may put it up again unless it is lost. */
  withdraw(path: string, status: number, lost: boolean): void
  withdrawal(path: string): number | undefined
  /** Puts a withdrawn file up again under a new path. */
  renew(path: string): string | undefined
  restore(path: string, file: Uint8Array): void
  url(path: string): string
}

/** Stands for an owner in paths, which tell nothing about it. */
type MediaOwner = string & { readonly mark: 'media owner' }

const mediaOwner = (owner: string): MediaOwner =>
  createHash('sha256').update(`media:${owner}`).digest('hex').slice(0, 16) as MediaOwner

/** What is kept, all files together, before whoever has the most loses the oldest; the newest always stays. */
const MAX_FILES = 512
const MAX_BYTES = 256 * 1024 * 1024
const PREFIX = '/v/media/'

export function createMediaStore(journal: Journal): MediaStore {
  const files = new Map<string, Uint8Array>()
  const withdrawn = new Map<string, { readonly status: number; readonly lost: boolean }>()
  const secret = randomBytes(24).toString('base64url')
  const shelf = createShelf(MAX_BYTES, 0)
  const drop = (path: string): void => {
    files.delete(path)
    withdrawn.delete(path)
    journal.remove(`media/${path}`)
  }
  const keep = (path: string, file: Uint8Array): void => {
    files.set(path, file)
    const owner = path.slice(PREFIX.length).split('-')[0]!
    shelf.put(path, owner, Math.max(file.length, MAX_BYTES / MAX_FILES), () => drop(path))
  }
  const store: MediaStore = {
    host: '',
    authOf: owner => `${secret}.${mediaOwner(owner)}`,
    ownerBy: auth => (auth.startsWith(`${secret}.`) ? (auth.slice(secret.length + 1) as MediaOwner) : undefined),
    put(file, owner = mediaOwner(currentOwner())) {
      const path = `${PREFIX}${owner}-${randomBytes(16).toString('hex')}.enc`
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
