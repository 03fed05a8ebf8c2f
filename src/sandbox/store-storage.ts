import type { SimulatorStorage } from '#simulator/storage'
import type { Context } from '../context.ts'
import type { Lease } from '../domain/lease.ts'
import { aboutSimulatorEntry } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'

const PAGE = 1_000

type StorageDeps = Pick<Context, 'seal'> & { store: Pick<Store, 'simulator'> }

/** The sandbox network's data in the store: sealed, and fenced so that one network writes it at a time. */
export class StoreStorage implements SimulatorStorage {
  readonly #deps: StorageDeps
  readonly #lease: Lease

  constructor(deps: StorageDeps, lease: Lease) {
    this.#deps = deps
    this.#lease = lease
  }

  async load(): Promise<Map<string, Uint8Array>> {
    const { store, seal } = this.#deps
    const entries = new Map<string, Uint8Array>()
    for (let after = ''; ; ) {
      const page = await store.simulator.readSimulatorEntries({ after, limit: PAGE })
      for (const { key, sealed } of page) entries.set(key, seal.open(sealed, aboutSimulatorEntry(key)))
      if (page.length < PAGE) return entries
      after = page.at(-1)!.key
    }
  }

  async save(changes: Map<string, Uint8Array | null>): Promise<void> {
    const { store, seal } = this.#deps
    const entries = [...changes].map(([key, value]) => ({
      key,
      sealed: value && seal.seal(value, aboutSimulatorEntry(key)),
    }))
    const saved = await store.simulator.saveSimulatorEntries({ lease: this.#lease, entries })
    if (saved === 'lost') throw new Error('another sandbox network has taken over')
  }
}
