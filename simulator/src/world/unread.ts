/** A message that a listed device did not get, or could not read. */
export interface Unread {
  readonly id: string
  /** The number, followed by a colon and the device id unless it is the phone. */
  readonly device: string
  readonly why: 'not sent' | 'unreadable'
}

const MAX_ENTRIES = 10_000

/** Messages that did not reach a device; one that arrives later is removed. */
export class UnreadMessages {
  readonly #known = new Map<string, Unread>()

  add(unread: Unread): void {
    this.#known.set(`${unread.id}/${unread.device}`, unread)
    if (this.#known.size > MAX_ENTRIES) this.#known.delete(this.#known.keys().next().value!)
  }

  remove(id: string, device: string): void {
    this.#known.delete(`${id}/${device}`)
  }

  all(): Unread[] {
    return [...this.#known.values()]
  }
}
