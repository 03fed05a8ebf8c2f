import { createHash } from 'node:crypto'
import type { SignalKeyStore } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { OwnKeys } from '../device/own-keys.ts'

const BUCKETS = 16
const KEPT_MS = 24 * 3_600_000
const MAX_IN_BUCKET = 100

/** A creation of a group that was begun under a key. Without `jid` its outcome is not known. */
export interface CreatedGroup {
  id: string
  /** The hash of subject and people: the same key must not serve another request. */
  fingerprint: string
  begunAtMs: number
  jid?: string
}

/** The groups that requests with an idempotency key have created in the last day, stored among the keys of the device. */
export class CreatedGroups {
  readonly #buckets: OwnKeys<CreatedGroup[]>
  readonly #clock: Pick<Clock, 'now'>
  #changes: Promise<void> = Promise.resolve()

  /** `category`: each kind of what is created has keys of its own. */
  constructor(keys: () => SignalKeyStore, clock: Pick<Clock, 'now'>, category = 'postern-created-groups') {
    this.#buckets = new OwnKeys(category, keys)
    this.#clock = clock
  }

  async find(key: string): Promise<CreatedGroup | undefined> {
    const id = idOf(key)
    return (await this.#read(bucketOf(id))).find(each => each.id === id)
  }

  /** Records the first of these groups that no creation has as its outcome yet as the outcome of this one. */
  claim(key: string, jids: readonly string[]): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const all = await this.#buckets.all(Array.from({ length: BUCKETS }, (_, index) => String(index)))
      const made = new Set(all.flat().map(each => each.jid))
      const jid = jids.find(each => !made.has(each))
      if (jid !== undefined) await this.#end(key, jid)
      return jid
    })
  }

  async begin(key: string, fingerprint: string): Promise<void> {
    const id = idOf(key)
    await this.#inTurn(() => this.#write(id, { id, fingerprint, begunAtMs: this.#clock.now().getTime() }))
  }

  end(key: string, jid: string): Promise<void> {
    return this.#inTurn(() => this.#end(key, jid))
  }

  /** The platform refused it, so the key is free again. */
  delete(key: string): Promise<void> {
    return this.#inTurn(() => this.#write(idOf(key), undefined))
  }

  async #end(key: string, jid: string): Promise<void> {
    const begun = await this.find(key)
    if (begun) await this.#write(begun.id, { ...begun, jid })
  }

  /** Runs one change at a time: each rewrites its bucket from what it has read. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changing = this.#changes.then(change)
    this.#changes = changing.then(
      () => {},
      () => {},
    )
    return changing
  }

  async #write(id: string, entry: CreatedGroup | undefined): Promise<void> {
    const bucket = bucketOf(id)
    const others = (await this.#read(bucket)).filter(each => each.id !== id)
    this.#buckets.set(bucket, entry ? [...others, entry].slice(-MAX_IN_BUCKET) : others)
  }

  async #read(bucket: string): Promise<CreatedGroup[]> {
    const since = this.#clock.now().getTime() - KEPT_MS
    return ((await this.#buckets.get(bucket)) ?? []).filter(({ begunAtMs }) => begunAtMs > since)
  }
}

const idOf = (key: string): string => createHash('sha256').update(key).digest('base64url')

const bucketOf = (id: string): string => String(Buffer.from(id, 'base64url')[0]! % BUCKETS)
