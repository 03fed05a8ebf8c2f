type Item = object | string

interface Share {
  readonly items: Map<Item, { readonly bytes: number; readonly forget: () => void }>
  bytes: number
}

const OVERHEAD_BYTES = 1_024

/** A limit in bytes that many owners share. Above it, the owner with the most bytes loses its oldest item. */
export class MemoryBudget {
  readonly #maxBytes: number
  readonly #overhead: number
  readonly #shares = new Map<string, Share>()
  readonly #owners = new Map<Item, string>()
  #total = 0

  /** `overhead` is what an item costs besides its content. */
  constructor(maxBytes: number, overhead = OVERHEAD_BYTES) {
    this.#maxBytes = maxBytes
    this.#overhead = overhead
  }

  add(item: Item, owner: string, contentBytes: number, forget: () => void): void {
    this.remove(item)
    const bytes = contentBytes + this.#overhead
    const share = this.#shares.get(owner) ?? { items: new Map(), bytes: 0 }
    this.#shares.set(owner, share)
    share.items.set(item, { bytes, forget })
    share.bytes += bytes
    this.#owners.set(item, owner)
    this.#total += bytes
    this.#makeRoom(item)
  }

  /** Removes an item that its owner has deleted already. */
  remove(item: Item): void {
    const owner = this.#owners.get(item)
    if (owner === undefined) return
    const share = this.#shares.get(owner)!
    const { bytes } = share.items.get(item)!
    this.#owners.delete(item)
    share.items.delete(item)
    share.bytes -= bytes
    this.#total -= bytes
    if (share.items.size === 0) this.#shares.delete(owner)
  }

  /** The newest always stays. */
  #makeRoom(newest: Item): void {
    while (this.#total > this.#maxBytes) {
      const [oldest, { forget }] = oldestOf(largest(this.#shares))
      if (oldest === newest) return
      this.remove(oldest)
      forget()
    }
  }
}

function largest(shares: ReadonlyMap<string, Share>): Share {
  return [...shares.values()].reduce((most, share) => (share.bytes > most.bytes ? share : most))
}

const oldestOf = ({ items }: Share) => items.entries().next().value!
