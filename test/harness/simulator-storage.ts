import type { SimulatorStorage } from '@postern/simulator/storage'

/** A storage in memory: it survives a restart of the simulator, but not the end of the process. */
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
