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
  /** Resolves when everything changed so far is saved; rejects with `Unsaved` where it never will be. */
  settled(): Promise<void>
  /** Saves what is left, or gives up if that fails. */
  stop(): Promise<void>
}

/** What was changed is not saved, and this simulator will not save it any more. */
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

/** Without a storage there is nothing to wait for: effects happen at once. */
export class VolatileJournal implements Journal {
  put(): void {}

  remove(_key: string): void {}

  afterCommit(effect: () => void): void {
    effect()
  }

  async settled(): Promise<void> {}

  async stop(): Promise<void> {}
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

const emptyBatch = (): Batch => ({ changes: new Map(), effects: [] })

/** A save that fails is tried again until it succeeds or the journal is stopped; nothing is told meanwhile. */
export class SavingJournal implements Journal {
  readonly #storage: SimulatorStorage
  readonly #onFailure: (error: unknown) => void
  #waiting = emptyBatch()
  /** Of those who wait for something to be saved. */
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

  /** Never at once: what is changed in the same turn, also after this, is saved before anybody hears of it. */
  afterCommit(effect: () => void): void {
    this.#waiting.effects.push(effect)
    this.#schedule()
  }

  /** Whatever is changed after this is not waited for. */
  async settled(): Promise<void> {
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
    // One round of the event loop lets the stanzas that arrived together share a batch.
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
    // In the same step as the last look: what is changed from here on begins anew.
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
