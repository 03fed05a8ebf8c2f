import { deserialize, serialize } from 'node:v8'
import type { SimulatorStorage } from './storage.ts'

/**
 * Write-behind with a gate: changes are collected and saved in batches, and what is told to the outside
 * (`afterCommit`) waits until everything changed before it is saved, in order.
 */
export interface Journal {
  /** The value is read when the batch is saved, so a thing that changes often is written once. */
  put(key: string, value: () => unknown): void
  remove(key: string): void
  afterCommit(effect: () => void): void
  /** Resolves when everything changed so far is saved. */
  settled(): Promise<void>
}

export type Entries = ReadonlyMap<string, unknown>

export async function loadEntries(storage: SimulatorStorage): Promise<Entries> {
  const entries = new Map<string, unknown>()
  for (const [key, bytes] of await storage.load()) entries.set(key, deserialize(bytes))
  return entries
}

/** Entries whose key begins with the prefix, by the rest of the key, in the order of the keys. */
export function entriesUnder<T>(entries: Entries, prefix: string): [string, T][] {
  const found: [string, T][] = []
  for (const [key, value] of entries) if (key.startsWith(prefix)) found.push([key.slice(prefix.length), value as T])
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** Without a storage there is nothing to wait for: effects happen at once. */
export function createVolatileJournal(): Journal {
  return { put: () => {}, remove: () => {}, afterCommit: effect => effect(), settled: async () => {} }
}

/** `onFailure` is called when a save fails; from then on no effect happens any more. */
export function createJournal(storage: SimulatorStorage, onFailure: (error: unknown) => void): Journal {
  let changes = new Map<string, (() => unknown) | null>()
  let effects: (() => void)[] = []
  let saving: Promise<void> | undefined
  let failed = false

  const saveBatch = async (): Promise<void> => {
    const batch = new Map<string, Uint8Array | null>()
    for (const [key, value] of changes) batch.set(key, value === null ? null : serialize(value()))
    const waiting = effects
    changes = new Map()
    effects = []
    if (batch.size > 0) await storage.save(batch)
    for (const effect of waiting) effect()
  }
  const saveAll = async (): Promise<void> => {
    // One turn of the event loop lets the stanzas that arrived together share a batch.
    await new Promise(resolve => setImmediate(resolve))
    while (changes.size > 0 || effects.length > 0) await saveBatch()
  }
  const schedule = (): Promise<void> => {
    saving ??= saveAll()
      .catch((error: unknown) => {
        failed = true
        onFailure(error)
      })
      .finally(() => {
        saving = undefined
      })
    return saving
  }

  return {
    put(key, value) {
      changes.set(key, value)
      if (!failed) void schedule()
    },
    remove(key) {
      changes.set(key, null)
      if (!failed) void schedule()
    },
    afterCommit(effect) {
      if (failed) return
      if (!saving && changes.size === 0) effect()
      else {
        effects.push(effect)
        void schedule()
      }
    },
    async settled() {
      while (saving) await saving
    },
  }
}
