import type { SignalKeyStore } from 'baileys'
import { OwnKeys } from './own-keys.ts'

type Change = readonly [at: number, person: string]

const CATEGORY = 'postern-changed-people'
const ID = 'all'
const KEPT = 500

const kept = (keys: SignalKeyStore) => new OwnKeys<readonly Change[]>(CATEGORY, () => keys)

/**
 * People whose devices have changed, in order: what was agreed with them before holds no more. It is noted at once,
 * and whoever has agreed something looks here before relying on it.
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

  /** Who has changed after that; `undefined` where it is too long ago to say. */
  since(at: number): string[] | undefined {
    const first = this.#changes[0]?.[0] ?? 0
    if (at < first - 1) return undefined
    return this.#changes.filter(([number]) => number > at).map(([, person]) => person)
  }
}
