/** A message that a listed device of somebody did not get, or could not read. */
export interface Unread {
  readonly id: string
  /** The number, and the device behind a colon; the phone has none. */
  readonly device: string
  readonly why: 'not sent' | 'unreadable'
}

const MOST = 10_000

/** What did not reach the devices that it was for; one that comes after all is struck out. */
export class UnreadMessages {
  readonly #known = new Map<string, Unread>()

  note(unread: Unread): void {
    this.#known.set(`${unread.id}/${unread.device}`, unread)
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value!)
  }

  strike(id: string, device: string): void {
    this.#known.delete(`${id}/${device}`)
  }

  all(): Unread[] {
    return [...this.#known.values()]
  }
}
