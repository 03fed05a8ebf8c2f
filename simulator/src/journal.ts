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
  /** Saves what is left, or gives up if that fails. */
  stop(): Promise<void>
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
  return {
    put: () => {},
    remove: () => {},
    afterCommit: effect => effect(),
    settled: async () => {},
    stop: async () => {},
  }
}

const RETRY_MS = 100
const MAX_RETRY_MS = 5000

type Changes = Map<string, (() => unknown) | null>

/** What is to be saved and what waits for it; later changes of the same key replace earlier ones. */
interface Batch {
  readonly changes: Changes
  readonly effects: (() => void)[]
}

function merge(earlier: Batch, later: Batch): Batch {
  return {
    changes: new Map([...earlier.changes, ...later.changes]),
    effects: [...earlier.effects, ...later.effects],
  }
}

async function save(storage: SimulatorStorage, changes: Changes): Promise<void> {
  if (changes.size === 0) return
  const encoded = new Map<string, Uint8Array | null>()
  for (const [key, value] of changes) encoded.set(key, value === null ? null : serialize(value()))
  await storage.save(encoded)
}

/** A save that fails is tried again until it succeeds or the journal is stopped; nothing is told meanwhile. */
export function createJournal(storage: SimulatorStorage, onFailure: (error: unknown) => void): Journal {
  const empty = (): Batch => ({ changes: new Map(), effects: [] })
  let waiting = empty()
  let saving: Promise<void> | undefined
  let stopped = false

  const saveBatch = async (): Promise<boolean> => {
    const batch = waiting
    waiting = empty()
    try {
      await save(storage, batch.changes)
    } catch (error) {
      waiting = merge(batch, waiting)
      onFailure(error)
      return false
    }
    for (const effect of batch.effects) effect()
    return true
  }
  const saveAll = async (): Promise<void> => {
    // One turn of the event loop lets the stanzas that arrived together share a batch.
    await new Promise(resolve => setImmediate(resolve))
    let pauseMs = RETRY_MS
    while (waiting.changes.size > 0 || waiting.effects.length > 0) {
      if (await saveBatch()) pauseMs = RETRY_MS
      else if (stopped) return
      else {
        await new Promise(resolve => setTimeout(resolve, pauseMs))
        pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS)
      }
    }
  }
  const schedule = (): void => {
    saving ??= saveAll().finally(() => {
      saving = undefined
    })
  }

  return {
    put(key, value) {
      waiting.changes.set(key, value)
      schedule()
    },
    remove(key) {
      waiting.changes.set(key, null)
      schedule()
    },
    afterCommit(effect) {
      if (!saving) return effect()
      waiting.effects.push(effect)
    },
    async settled() {
      while (saving) await saving
    },
    async stop() {
      stopped = true
      await saving
    },
  }
}
