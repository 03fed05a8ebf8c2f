import type { SignalKeyStore } from 'baileys'
import type { KeyChange } from '../../platform.ts'
import { encodeKey } from '../device/key-codec.ts'
import { SETTINGS_CATEGORY } from '../device/key-store.ts'
import { OwnKeys } from '../device/own-keys.ts'
import { mix, SUM_BYTES } from './records.ts'

export const COLLECTIONS = ['critical_block', 'regular_high', 'regular', 'regular_low'] as const
/** The collections that the gateway reads. The contacts of the phone's address book are in another one. */
export type CollectionName = (typeof COLLECTIONS)[number]

interface Head {
  readonly version: number
  /** Base64 of the sum over all values. */
  readonly sum: string
  /** Whether the sum is what the other devices have: otherwise they would not believe a change. */
  readonly isVerified: boolean
}

const BUCKETS = 256
const MAC_BYTES = 32
const ENTRY_BYTES = 2 * MAC_BYTES

const bucketOf = (indexMac: Uint8Array): number => indexMac[0]!
const bucketId = (name: CollectionName, bucket: number): string => `${name}/${bucket}`

/**
 * One collection of settings at one version. Of each setting the MACs of its index and of its value are stored, since
 * later changes replace values by their index: in 256 buckets, so that a change reads and writes only its own.
 */
export class Collection {
  readonly name: CollectionName
  readonly #buckets: OwnKeys<string>
  readonly #loaded = new Map<number, Map<string, Buffer>>()
  readonly #changed = new Set<number>()
  #sum: Buffer
  version: number
  isVerified: boolean
  /** Whether it was fetched before; it may be empty. */
  isRead: boolean

  private constructor(name: CollectionName, keys: () => SignalKeyStore, head: Head | undefined) {
    this.name = name
    this.#buckets = new OwnKeys(SETTINGS_CATEGORY, keys)
    this.version = head?.version ?? 0
    this.isRead = head !== undefined
    this.isVerified = head?.isVerified ?? true
    this.#sum = head ? Buffer.from(head.sum, 'base64') : Buffer.alloc(SUM_BYTES)
  }

  static async load(name: CollectionName, keys: () => SignalKeyStore): Promise<Collection> {
    return new Collection(name, keys, await new OwnKeys<Head>(SETTINGS_CATEGORY, keys).get(name))
  }

  get sum(): Buffer {
    return this.#sum
  }

  /** Begins again without any setting, for a snapshot. */
  clear(): void {
    this.#sum = Buffer.alloc(SUM_BYTES)
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      this.#loaded.set(bucket, new Map())
      this.#changed.add(bucket)
    }
  }

  async has(indexMac: Uint8Array): Promise<boolean> {
    return (await this.#bucket(bucketOf(indexMac))).has(hex(indexMac))
  }

  /** Sets a value, or with `undefined` removes it. */
  async set(indexMac: Uint8Array, valueMac: Buffer | undefined): Promise<void> {
    const bucket = bucketOf(indexMac)
    const entries = await this.#bucket(bucket)
    const before = entries.get(hex(indexMac))
    if (before) mix(this.#sum, before, -1)
    if (valueMac) {
      mix(this.#sum, valueMac, 1)
      entries.set(hex(indexMac), valueMac)
    } else entries.delete(hex(indexMac))
    this.#changed.add(bucket)
  }

  /** What has to be stored: the caller stores it. */
  takeChanges(): KeyChange[] {
    this.isRead = true
    const head: Head = { version: this.version, sum: this.#sum.toString('base64'), isVerified: this.isVerified }
    const buckets = [...this.#changed].map(bucket => {
      const entries = this.#loaded.get(bucket)!
      const bytes = Buffer.concat(
        [...entries].map(([index, value]) => Buffer.concat([Buffer.from(index, 'hex'), value])),
      )
      return keyChange(bucketId(this.name, bucket), entries.size === 0 ? undefined : bytes.toString('base64'))
    })
    this.#changed.clear()
    return [keyChange(this.name, head), ...buckets]
  }

  async #bucket(bucket: number): Promise<Map<string, Buffer>> {
    const loaded = this.#loaded.get(bucket)
    if (loaded) return loaded
    const bytes = Buffer.from((await this.#buckets.get(bucketId(this.name, bucket))) ?? '', 'base64')
    const entries = new Map<string, Buffer>()
    for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES)
      entries.set(hex(bytes.subarray(at, at + MAC_BYTES)), bytes.subarray(at + MAC_BYTES, at + ENTRY_BYTES))
    this.#loaded.set(bucket, entries)
    return entries
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function keyChange(id: string, value: unknown): KeyChange {
  return {
    category: SETTINGS_CATEGORY,
    id,
    value: value === undefined ? null : encodeKey(SETTINGS_CATEGORY, value),
  }
}
