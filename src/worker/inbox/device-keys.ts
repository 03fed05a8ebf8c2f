import { ExpiringMap } from '../../runtime/expiring-map.ts'
import type { KeyChange } from '../../platform/platform.ts'

type Value = Uint8Array | null

interface Unsettled {
  value: Value
  writes: number
  /** Of one of its writes nobody knows what became of it. */
  isInDoubt: boolean
}

/** Notes of a write what became of it. */
export interface KeyWrite {
  /** It is durable. */
  keep(): void
  /** Nobody knows: what it wrote is read again. */
  forget(): void
}

const REMEMBERED = 128

const nameOf = (category: string, id: string): string => `${category}\n${id}`

/**
 * The keys used last. A device has one owner, so what it wrote last is what there is; a key that is being written is
 * kept until it is durable, because a reading connection does not see it yet.
 */
export class DeviceKeys {
  readonly #settled = new ExpiringMap<Value>(REMEMBERED)
  readonly #unsettled = new Map<string, Unsettled>()

  /** `undefined` where it has to be read, `null` where there is none. */
  get(category: string, id: string): Value | undefined {
    const name = nameOf(category, id)
    const value = this.#known(name)
    // Used anew, it stays.
    if (value !== undefined) this.#settled.set(name, value)
    return value
  }

  /** Keeps what was read, unless it was written meanwhile: then answers that. */
  fill(category: string, id: string, value: Uint8Array): Value {
    const name = nameOf(category, id)
    const written = this.#known(name)
    if (written !== undefined) return written
    this.#settled.set(name, value)
    return value
  }

  write(changes: KeyChange[]): KeyWrite {
    const names = changes.map(({ category, id, value }) => this.#begin(nameOf(category, id), value))
    return {
      keep: () => names.forEach(name => this.#settle(name, false)),
      forget: () => names.forEach(name => this.#settle(name, true)),
    }
  }

  #known(name: string): Value | undefined {
    const unsettled = this.#unsettled.get(name)
    return unsettled === undefined ? this.#settled.get(name) : unsettled.value
  }

  #begin(name: string, value: Value): string {
    const before = this.#unsettled.get(name)
    if (before === undefined) this.#unsettled.set(name, { value, writes: 1, isInDoubt: false })
    else {
      before.value = value
      before.writes++
    }
    return name
  }

  #settle(name: string, isInDoubt: boolean): void {
    const unsettled = this.#unsettled.get(name)!
    unsettled.isInDoubt ||= isInDoubt
    if (--unsettled.writes > 0) return
    this.#unsettled.delete(name)
    if (unsettled.isInDoubt) this.#settled.delete(name)
    else this.#settled.set(name, unsettled.value)
  }
}
