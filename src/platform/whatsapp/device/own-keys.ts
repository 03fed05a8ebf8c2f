import type { SignalKeyStore } from 'baileys'
import { getOwn } from '../../../runtime/get-own.ts'

type Loose<T> = {
  peek?(category: string, id: string): T | null | undefined
  get(category: string, ids: readonly string[]): Promise<Record<string, T>>
  set(data: Record<string, Record<string, T>>): void
}

/** A category of the gateway's own among the keys of a device: the library's types allow only its categories. */
export class OwnKeys<T> {
  readonly #category: string
  readonly #keys: () => SignalKeyStore

  constructor(category: string, keys: () => SignalKeyStore) {
    this.#category = category
    this.#keys = keys
  }

  async get(id: string): Promise<T | undefined> {
    return getOwn(await this.#store().get(this.#category, [id]), id)
  }

  /** The value in memory: `null` if there is none, `undefined` if it has to be read. */
  peek(id: string): T | null | undefined {
    return peekKey<T>(this.#keys(), this.#category, id)
  }

  /** The values of the ids that exist. */
  async all(ids: readonly string[]): Promise<T[]> {
    return Object.values(await this.#store().get(this.#category, ids))
  }

  set(id: string, value: T): void {
    this.#store().set({ [this.#category]: { [id]: value } })
  }

  #store(): Loose<T> {
    return this.#keys() as unknown as Loose<T>
  }
}

/** A key in memory: `null` if there is none, `undefined` if it has to be read. */
export const peekKey = <T>(keys: SignalKeyStore, category: string, id: string): T | null | undefined =>
  (keys as unknown as Loose<T>).peek?.(category, id)
