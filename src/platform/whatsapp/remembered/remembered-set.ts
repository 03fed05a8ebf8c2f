import { createHash } from 'node:crypto'
import type { SignalKeyStore } from 'baileys'
import { OwnKeys } from '../device/own-keys.ts'

const BUCKETS = 32
const EVERY_BUCKET = Array.from({ length: BUCKETS }, (_, index) => String(index))

/**
 * A set of names that is stored among the keys of a device, in buckets, so that a new name rewrites only a small part.
 */
export class RememberedSet {
  readonly #buckets: OwnKeys<string[]>
  #changes: Promise<void> = Promise.resolve()

  constructor(category: string, keys: () => SignalKeyStore) {
    this.#buckets = new OwnKeys(category, keys)
  }

  async has(name: string): Promise<boolean> {
    return (await this.#read(bucketOf(name))).includes(name)
  }

  add(name: string): Promise<void> {
    return this.#change(name, known => (known.includes(name) ? known : [...known, name]))
  }

  delete(name: string): Promise<void> {
    return this.#change(name, known => known.filter(other => other !== name))
  }

  async all(): Promise<string[]> {
    return (await this.#buckets.all(EVERY_BUCKET)).flat()
  }

  /** Runs one change at a time: each rewrites its bucket from what it has read. */
  #change(name: string, to: (known: string[]) => string[]): Promise<void> {
    const bucket = bucketOf(name)
    const changing = this.#changes.then(async () => {
      const known = await this.#read(bucket)
      const next = to(known)
      if (next.length !== known.length) this.#buckets.set(bucket, next)
    })
    this.#changes = changing.catch(() => {})
    return changing
  }

  async #read(bucket: string): Promise<string[]> {
    return (await this.#buckets.get(bucket)) ?? []
  }
}

const bucketOf = (name: string): string => String(createHash('sha256').update(name).digest()[0]! % BUCKETS)
