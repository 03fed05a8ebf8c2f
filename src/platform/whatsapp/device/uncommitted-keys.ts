import type { KeyChange } from '../../platform.ts'

export const keyName = (category: string, id: string): string => `${category}/${id}`

/** Keys that are changed and not durable yet: reads see them all the same. */
export class UncommittedKeys {
  readonly #changed = new Map<string, { value: Uint8Array | null; position: number }>()

  /** Its bytes, `null` for removed, `undefined` where the durable one is right. */
  get(category: string, id: string): Uint8Array | null | undefined {
    return this.#changed.get(keyName(category, id))?.value
  }

  add(keys: readonly KeyChange[] | undefined, position: number): void {
    for (const { category, id, value } of keys ?? []) this.#changed.set(keyName(category, id), { value, position })
  }

  /** These are durable, unless they were changed again at a later position. */
  forget(keys: readonly KeyChange[] | undefined, through: number): void {
    for (const { category, id } of keys ?? []) {
      const name = keyName(category, id)
      const changed = this.#changed.get(name)
      if (changed !== undefined && changed.position <= through) this.#changed.delete(name)
    }
  }
}
