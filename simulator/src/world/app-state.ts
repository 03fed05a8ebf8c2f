/** The collections of settings that all devices of a number share. */
export const COLLECTIONS = ['critical_block', 'critical_unblock_low', 'regular_high', 'regular', 'regular_low'] as const
export type CollectionName = (typeof COLLECTIONS)[number]

/** An encrypted setting, as the server keeps it. */
export interface SyncedRecord {
  /** The MAC of its index, which names it without revealing what it is. */
  readonly index: Buffer
  /** The encrypted value with its MAC. */
  readonly value: Buffer
  readonly keyId: Buffer
}

/** A change of a collection, as a device has uploaded it. */
export interface SyncedPatch {
  readonly version: number
  readonly bytes: Buffer
}

export interface Collection {
  version: number
  /** By the base64 of their indexes. */
  readonly records: Map<string, SyncedRecord>
  /** The newest ones; a device that is further behind gets a snapshot. */
  patches: SyncedPatch[]
  /** The sum over all records by which the phone recognizes what is missing. */
  hash: Buffer
  /** The MAC of the collection at this version, by the device that changed it last, and the key of that MAC. */
  mac: Buffer
  keyId: Buffer
}

/** The settings that the devices of a number share, and the keys that its phone has made for them. */
export interface AppState {
  readonly collections: Map<CollectionName, Collection>
  /** How many keys the phone has made; it uses the newest. */
  keys: number
}

export const createAppState = (): AppState => ({ collections: new Map(), keys: 1 })

export const isCollection = (name: string | undefined): name is CollectionName =>
  COLLECTIONS.some(known => known === name)

const HASH_BYTES = 128

export function collectionOf(state: AppState, name: CollectionName): Collection {
  const known = state.collections.get(name)
  if (known) return known
  const made: Collection = {
    version: 0,
    records: new Map(),
    patches: [],
    hash: Buffer.alloc(HASH_BYTES),
    mac: Buffer.alloc(0),
    keyId: Buffer.alloc(0),
  }
  state.collections.set(name, made)
  return made
}
