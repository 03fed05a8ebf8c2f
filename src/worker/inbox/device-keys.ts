import { ExpiringMap } from '../../runtime/expiring-map.ts'
import type { KeyChange } from '../../platform/platform.ts'

type Value = Uint8Array | null

interface Pending {
  value: Value
  writes: number
  /** The outcome of one of its writes is unknown. */
  isInDoubt: boolean
}

/** Reports the outcome of a write. */
export interface KeyWrite {
  /** It is durable. */
  committed(): void
  /** The outcome is unknown: the keys are read again. */
  inDoubt(): void
}

const REMEMBERED = 128
/** A pre-key is read at most once, and hundreds are written at a time: they would displace all others. */
const READ_ONCE = 'pre-key'

const nameOf = (category: string, id: string): string => `${category}\n${id}`

/**
 * A cache of recently used keys. A device has one owner, so its last write is the current value. A key that is being written
 * stays in memory until it is durable, because a reading connection does not see it yet.
 */
export class DeviceKeys {
  readonly #durable = new ExpiringMap<Value>(REMEMBERED)
  readonly #pending = new Map<string, Pending>()

  /** `undefined` if it has to be read, `null` if it does not exist. */
  get(category: string, id: string): Value | undefined {
    const name = nameOf(category, id)
    const value = this.#known(name)
    // It becomes the most recently used one.
    if (value !== undefined) this.#durable.set(name, value)
    return value
  }

  /** Caches a key that was read and returns it, or the value that was written meanwhile. */
  fill(category: string, id: string, value: Uint8Array): Value {
    const name = nameOf(category, id)
    const written = this.#known(name)
    if (written !== undefined) return written
    this.#durable.set(name, value)
    return value
  }

  write(changes: KeyChange[]): KeyWrite {
    const names = changes.map(({ category, id, value }) => this.#begin(nameOf(category, id), value))
    return {
      committed: () => names.forEach(name => this.#finish(name, false)),
      inDoubt: () => names.forEach(name => this.#finish(name, true)),
    }
  }

  #known(name: string): Value | undefined {
    const pending = this.#pending.get(name)
    return pending === undefined ? this.#durable.get(name) : pending.value
  }

  #begin(name: string, value: Value): string {
    const before = this.#pending.get(name)
    if (before === undefined) this.#pending.set(name, { value, writes: 1, isInDoubt: false })
    else {
      before.value = value
      before.writes++
    }
    return name
  }

  #finish(name: string, isInDoubt: boolean): void {
    const pending = this.#pending.get(name)!
    pending.isInDoubt ||= isInDoubt
    if (--pending.writes > 0) return
    this.#pending.delete(name)
    const mayBeRead = pending.value === null || !name.startsWith(`${READ_ONCE}\n`)
    if (pending.isInDoubt || !mayBeRead) this.#durable.delete(name)
    else this.#durable.set(name, pending.value)
  }
}
