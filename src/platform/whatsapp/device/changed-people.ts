import type { SignalKeyStore } from 'baileys'
import { OwnKeys } from './own-keys.ts'

type Change = readonly [at: number, person: string]

const CATEGORY = 'postern-changed-people'
const ID = 'all'
const KEPT = 500

const kept = (keys: SignalKeyStore) => new OwnKeys<readonly Change[]>(CATEGORY, () => keys)

/**
 * People whose devices have changed, in order: sender keys that they got before are no longer complete. A change is
 * recorded immediately, and `GroupKeys` applies it the next time it reads a group.
 */
export class ChangedPeople {
  readonly #kept: OwnKeys<readonly Change[]>
  #changes: readonly Change[]

  constructor(keys: SignalKeyStore, changes: readonly Change[]) {
    this.#kept = kept(keys)
    this.#changes = changes
  }

  static async load(keys: SignalKeyStore): Promise<ChangedPeople> {
    return new ChangedPeople(keys, (await kept(keys).get(ID)) ?? [])
  }

  /** The number of the last change. */
  get last(): number {
    return this.#changes.at(-1)?.[0] ?? 0
  }

  add(person: string): void {
    this.#changes = [...this.#changes, [this.last + 1, person] as const].slice(-KEPT)
    this.#kept.set(ID, this.#changes)
  }

  /** The people who changed after that; `undefined` if the record does not reach back that far. */
  since(at: number): string[] | undefined {
    const first = this.#changes[0]?.[0] ?? 0
    if (at < first - 1) return undefined
    return this.#changes.filter(([number]) => number > at).map(([, person]) => person)
  }
}
