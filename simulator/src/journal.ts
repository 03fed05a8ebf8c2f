import { deserialize, serialize } from 'node:v8'
import type { SimulatorStorage } from './storage.ts'

/**
 * Write-behind with a gate: the journal saves changes in batches, and effects that clients can see
 * (`afterCommit`) run in order, each after all changes made before it are saved.
 */
export interface Journal {
  /** The journal reads the value when it saves the batch, so it writes a value that changes often only once. */
  put(key: string, value: () => unknown): void
  remove(key: string): void
  afterCommit(effect: () => void): void
  /** Resolves when all changes so far are saved; rejects with `Unsaved` if they never will be. */
  saved(): Promise<void>
  /** Saves what is left, or gives up if that fails. */
  stop(): Promise<void>
}

/** The changes are not saved, and this simulator will not save them any more. */
export class Unsaved extends Error {
  override name = 'Unsaved'
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

/** Without a storage there is nothing to wait for: effects run immediately. */
export class VolatileJournal implements Journal {
  put(): void {}

  remove(_key: string): void {}

  afterCommit(effect: () => void): void {
    effect()
  }

  async saved(): Promise<void> {}

  async stop(): Promise<void> {}
}

const RETRY_MS = 100
const MAX_RETRY_MS = 5000

type Changes = Map<string, (() => unknown) | null>

/** Changes to save and the effects that wait for them; a later change of a key replaces an earlier one. */
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

const emptyBatch = (): Batch => ({ changes: new Map(), effects: [] })

/** The journal retries a failed save until it succeeds or the journal is stopped; no effect runs in the meantime. */
export class SavingJournal implements Journal {
  readonly #storage: SimulatorStorage
  readonly #onFailure: (error: unknown) => void
  #waiting = emptyBatch()
  /** Rejects the callers that wait for a save. */
  readonly #refusals = new Set<(error: Unsaved) => void>()
  #saving: Promise<void> | undefined
  #isStopped = false

  constructor(storage: SimulatorStorage, onFailure: (error: unknown) => void) {
    this.#storage = storage
    this.#onFailure = onFailure
  }

  put(key: string, value: () => unknown): void {
    this.#waiting.changes.set(key, value)
    this.#schedule()
  }

  remove(key: string): void {
    this.#waiting.changes.set(key, null)
    this.#schedule()
  }

  /** Never runs the effect synchronously, so that changes later in the same tick are saved before it too. */
  afterCommit(effect: () => void): void {
    this.#waiting.effects.push(effect)
    this.#schedule()
  }

  /** Does not wait for changes made after the call. */
  async saved(): Promise<void> {
    if (this.#saving === undefined && this.#waiting.changes.size === 0) return
    await new Promise<void>((resolve, reject) => {
      this.#refusals.add(reject)
      this.afterCommit(() => {
        this.#refusals.delete(reject)
        resolve()
      })
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#saving
  }

  #schedule(): void {
    this.#saving ??= this.#saveAll()
  }

  async #saveAll(): Promise<void> {
    // One turn of the event loop lets stanzas that arrived together share a batch.
    await new Promise(resolve => setImmediate(resolve))
    let pauseMs = RETRY_MS
    while (this.#waiting.changes.size > 0 || this.#waiting.effects.length > 0) {
      if (await this.#saveBatch()) pauseMs = RETRY_MS
      else if (this.#isStopped) break
      else {
        await new Promise(resolve => setTimeout(resolve, pauseMs))
        pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS)
      }
    }
    // Synchronous with the last check: a change from here on starts the next save.
    this.#saving = undefined
    if (this.#waiting.changes.size > 0) this.#giveUp()
  }

  #giveUp(): void {
    for (const refuse of this.#refusals) refuse(new Unsaved('the network ended before this could be saved: ask again'))
    this.#refusals.clear()
  }

  async #saveBatch(): Promise<boolean> {
    const batch = this.#waiting
    this.#waiting = emptyBatch()
    try {
      await save(this.#storage, batch.changes)
    } catch (error) {
      this.#waiting = merge(batch, this.#waiting)
      this.#onFailure(error)
      return false
    }
    for (const effect of batch.effects) effect()
    return true
  }
}
