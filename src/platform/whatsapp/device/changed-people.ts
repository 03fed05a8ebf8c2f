import type { SignalKeyStore } from 'baileys'
import { lookUp } from '../../../domain/look-up.ts'

type Change = readonly [at: number, person: string]
type Loose = {
  get(category: string, ids: string[]): Promise<Record<string, Change[]>>
  set(data: Record<string, Record<string, readonly Change[]>>): void
}

const CATEGORY = 'postern-changed-people'
const ID = 'all'
const KEPT = 500

/**
 * People whose devices have changed, in order: what was agreed with them before holds no more. It is noted at once,
 * and whoever has agreed something looks here before relying on it.
 */
export class ChangedPeople {
  readonly #keys: SignalKeyStore
  #changes: readonly Change[]

  constructor(keys: SignalKeyStore, changes: readonly Change[]) {
    this.#keys = keys
    this.#changes = changes
  }

  static async load(keys: SignalKeyStore): Promise<ChangedPeople> {
    const stored = await (keys as unknown as Loose).get(CATEGORY, [ID])
    return new ChangedPeople(keys, lookUp(stored, ID) ?? [])
  }

  /** The number of the last change. */
  get last(): number {
    return this.#changes.at(-1)?.[0] ?? 0
  }

  add(person: string): void {
    this.#changes = [...this.#changes, [this.last + 1, person] as const].slice(-KEPT)
    ;(this.#keys as unknown as Loose).set({ [CATEGORY]: { [ID]: this.#changes } })
  }

  /** Who has changed after that; `undefined` where it is too long ago to say. */
  since(at: number): string[] | undefined {
    const first = this.#changes[0]?.[0] ?? 0
    if (at < first - 1) return undefined
    return this.#changes.filter(([number]) => number > at).map(([, person]) => person)
  }
}
