import type { SimulatorStorage } from '@postern/simulator/storage'
import type { Context } from '../context.ts'
import type { Lease } from '../domain/lease.ts'
import { aboutSimulatorEntry } from '../domain/sealed.ts'

const PAGE = 1_000

/** The sandbox network's memory in the store: sealed, and fenced so that one network writes it at a time. */
export function createStoreStorage({ store, seal }: Pick<Context, 'store' | 'seal'>, lease: Lease): SimulatorStorage {
  return {
    load: async () => {
      const entries = new Map<string, Uint8Array>()
      for (let after = ''; ; ) {
        const page = await store.sandbox.readSimulatorEntries({ after, limit: PAGE })
        for (const { key, sealed } of page) entries.set(key, seal.open(sealed, aboutSimulatorEntry(key)))
        if (page.length < PAGE) return entries
        after = page.at(-1)!.key
      }
    },
    save: async changes => {
      const entries = [...changes].map(([key, value]) => ({
        key,
        sealed: value && seal.seal(value, aboutSimulatorEntry(key)),
      }))
      const saved = await store.sandbox.saveSimulatorEntries({ lease, entries })
      if (saved === 'lost') throw new Error('another sandbox network has taken over')
    },
  }
}
