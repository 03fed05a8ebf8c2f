import { createHash, randomBytes } from 'node:crypto'
import type { Journal } from '../journal.ts'
import { currentOwner } from '../owner.ts'
import { MemoryBudget } from '../memory-budget.ts'
import { LargeFiles } from './large-files.ts'

/** The form of an owner in paths, which does not reveal it. */
type MediaOwner = string & { readonly mark: 'media owner' }

const mediaOwner = (owner: string): MediaOwner =>
  createHash('sha256').update(`media:${owner}`).digest('hex').slice(0, 16) as MediaOwner

/** Above these limits the owner with the most files loses its oldest; the newest file always stays. */
const MAX_FILES = 512
const MAX_BYTES = 256 * 1024 * 1024
const PREFIX = '/v/media/'

/** Encrypted files, as the media servers of the platform keep them. */
export class MediaStore {
  /** `host:port` of the HTTPS server. */
  host = ''
  /** The same server under the name `localhost`, if it listens on the loopback address. */
  otherHost: string | undefined
  /** Files too large for memory; `undefined` if there is no folder for them. */
  readonly large: LargeFiles | undefined
  readonly #journal: Journal
  readonly #files = new Map<string, Uint8Array>()
  readonly #withdrawn = new Map<string, { readonly status: number | 'corrupt'; readonly lost: boolean }>()
  readonly #secret = randomBytes(24).toString('base64url')
  readonly #budget = new MemoryBudget(MAX_BYTES, 0)

  constructor(journal: Journal, folderForLargeFiles?: string) {
    this.#journal = journal
    this.large = folderForLargeFiles === undefined ? undefined : new LargeFiles(folderForLargeFiles)
  }

  /** The token that a client of the owner must present to upload. */
  authOf(owner: string): string {
    return `${this.#secret}.${mediaOwner(owner)}`
  }

  /** The owner whose token this is; undefined for an invalid token. */
  ownerBy(auth: string): MediaOwner | undefined {
    const mark = `${this.#secret}.`
    return auth.startsWith(mark) ? (auth.slice(mark.length) as MediaOwner) : undefined
  }

  /** Keeps a file and returns its path. `channelType` is the kind of a file that was uploaded for channels. */
  put(file: Uint8Array, owner: MediaOwner = mediaOwner(currentOwner()), channelType?: string): string {
    const path = this.newPath(owner, channelType)
    this.restore(path, file)
    this.#journal.put(`media/${path}`, () => file)
    return path
  }

  newPath(owner: MediaOwner = mediaOwner(currentOwner()), channelType?: string): string {
    const ending = channelType === undefined ? 'enc' : `newsletter-${channelType}`
    return `${PREFIX}${owner}-${randomBytes(16).toString('hex')}.${ending}`
  }

  get(path: string): Uint8Array | undefined {
    return this.#files.get(path)
  }

  /** The kind and the handle of a file that was uploaded for channels; undefined for all other files. */
  channelUpload(path: string): { readonly type: string; readonly handle: string } | undefined {
    const type = /\.newsletter-([a-z]+)$/.exec(path)?.[1]
    if (type === undefined || !this.#files.has(path)) return undefined
    return { type, handle: createHash('sha256').update(path).digest('base64url') }
  }

  /** The hosts that clients are given. */
  hosts(): string[] {
    return this.otherHost === undefined ? [this.host] : [this.host, this.otherHost]
  }

  /** Makes a file fail with this status, or changes its bytes; a phone may upload it again unless it is lost. */
  withdraw(path: string, status: number | 'corrupt', lost: boolean): void {
    this.#withdrawn.set(path, { status, lost })
  }

  withdrawal(path: string): number | 'corrupt' | undefined {
    return this.#withdrawn.get(path)?.status
  }

  /** Uploads a withdrawn file again under a new path. */
  renew(path: string): string | undefined {
    const file = this.#files.get(path)
    return file && !this.#withdrawn.get(path)?.lost ? this.put(file) : undefined
  }

  /** Puts a saved file back where it was. */
  restore(path: string, file: Uint8Array): void {
    this.#files.set(path, file)
    const owner = path.slice(PREFIX.length).split('-')[0]!
    this.#budget.add(path, owner, Math.max(file.length, MAX_BYTES / MAX_FILES), () => this.#drop(path))
  }

  url(path: string): string {
    return `https://${this.host}${path}`
  }

  #drop(path: string): void {
    this.#files.delete(path)
    this.#withdrawn.delete(path)
    this.#journal.remove(`media/${path}`)
  }
}
