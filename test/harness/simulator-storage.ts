import type { SimulatorStorage } from '@postern/simulator/storage'

/** A storage that lives as long as the object: a restart of the simulator keeps it, the end of the process does not. */
export function createMemoryStorage(): SimulatorStorage {
  const entries = new Map<string, Uint8Array>()
  return {
    load: async () => new Map(entries),
    save: async changes => {
      for (const [key, value] of changes) {
        if (value === null) entries.delete(key)
        else entries.set(key, value)
      }
    },
  }
}
