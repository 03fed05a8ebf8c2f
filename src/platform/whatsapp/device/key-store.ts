import type { AuthenticationCreds, SignalDataSet, SignalDataTypeMap, SignalKeyStore } from 'baileys'
import { PEOPLE_CATEGORY } from '../../../domain/person.ts'
import type { DeviceStorage, KeyChange } from '../../platform.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { type LearnedPair, learnedItems } from '../remembered/pairs.ts'
import type { DeviceChanges } from './device-changes.ts'
import { decodeKey, encodeKey } from './key-codec.ts'

export interface AuthState {
  creds: AuthenticationCreds
  keys: SignalKeyStore
}

const CACHED_KEYS = 600
/** The category of the settings that devices share. They are written with other changes, past this store. */
export const SETTINGS_CATEGORY = 'postern-settings'
/** Used once, never read by the device, or rarely read and large. */
const UNCACHED = new Set(['pre-key', 'app-state-sync-key', SETTINGS_CATEGORY, PEOPLE_CATEGORY])

/**
 * The library's key store over the device's storage: writes are batched, and reads see them before they are durable.
 * One process owns a session, so cached values stay valid.
 */
export function createKeyStore(
  storage: Pick<DeviceStorage, 'readKeys'>,
  changes: Pick<DeviceChanges, 'add' | 'uncommitted'>,
): SignalKeyStore & { peek(category: string, id: string): unknown } {
  const cache = new ExpiringMap<Uint8Array | null>(CACHED_KEYS)
  let writes = 0

  /** `null`: known to be absent; `undefined`: has to be read. */
  const known = (category: string, id: string): Uint8Array | null | undefined => {
    const uncommitted = changes.uncommitted(category, id)
    return uncommitted === undefined ? cache.get(`${category}/${id}`) : uncommitted
  }

  const load = async (category: string, ids: string[]): Promise<Map<string, Uint8Array>> => {
    const before = writes
    const found = await storage.readKeys(category, ids)
    // A write since then is newer than what was read.
    const mayCache = writes === before && !UNCACHED.has(category)
    if (mayCache) for (const id of ids) cache.set(`${category}/${id}`, found.get(id) ?? null)
    return found
  }

  return {
    /** A key in memory: `null` if there is none, `undefined` if it has to be read. */
    peek: (category, id) => {
      const bytes = known(category, id)
      return bytes ? decodeKey(category, bytes) : bytes
    },
    async get<T extends keyof SignalDataTypeMap>(category: T, ids: string[]) {
      const missing = ids.filter(id => known(category, id) === undefined)
      const loaded = missing.length > 0 ? await load(category, missing) : undefined
      const found = ids.flatMap(id => {
        const now = known(category, id)
        const bytes = now === undefined ? loaded?.get(id) : now
        return bytes ? [[id, decodeKey(category, bytes) as SignalDataTypeMap[T]] as const] : []
      })
      return Object.fromEntries(found)
    },
    set(data: SignalDataSet) {
      const keys: KeyChange[] = []
      for (const [category, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {}))
          keys.push({ category, id, value: value === null || value === undefined ? null : encodeKey(category, value) })
      }
      if (keys.length === 0) return
      const learned = getOwn(data as Record<string, unknown>, PEOPLE_CATEGORY)
      changes.add(learned ? { keys, inbox: learnedItems(learned as Record<string, LearnedPair>) } : { keys })
      writes += 1
      for (const { category, id, value } of keys) if (!UNCACHED.has(category)) cache.set(`${category}/${id}`, value)
    },
  }
}
