import type { SignalDataSet, SignalKeyStore } from 'baileys'
import type { KeyChange } from '../../platform.ts'
import { decodeKey, encodeKey } from './key-codec.ts'

/** The key store of a device that no worker hosts yet. */
export function createMemoryKeys(known: readonly KeyChange[] = []): { store: SignalKeyStore; all(): KeyChange[] } {
  const values = new Map(known.map(change => [`${change.category}/${change.id}`, change]))
  const store = {
    get: (category: string, ids: string[]) => {
      const found = ids.flatMap(id => {
        const value = values.get(`${category}/${id}`)?.value
        return value ? [[id, decodeKey(category, value)] as const] : []
      })
      return Object.fromEntries(found)
    },
    set: (data: SignalDataSet) => {
      for (const [category, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries ?? {})) {
          if (value === null || value === undefined) values.delete(`${category}/${id}`)
          else values.set(`${category}/${id}`, { category, id, value: encodeKey(category, value) })
        }
    },
  }
  return { store: store as unknown as SignalKeyStore, all: () => [...values.values()] }
}
