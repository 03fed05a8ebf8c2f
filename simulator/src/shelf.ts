type Item = object | string

/** What many owners keep in one room. Where it is full, whoever has the most there loses the oldest. */
export interface Shelf {
  put(item: Item, owner: string, bytes: number, forget: () => void): void
  /** It is forgotten already. */
  drop(item: Item): void
}

interface Share {
  readonly items: Map<Item, { readonly bytes: number; readonly forget: () => void }>
  bytes: number
}

/** `overhead` is what an item costs besides its content. */
export function createShelf(maxBytes: number, overhead = 1_024): Shelf {
  const shares = new Map<string, Share>()
  const owners = new Map<Item, string>()
  let total = 0

  function drop(item: Item): void {
    const owner = owners.get(item)
    if (owner === undefined) return
    const share = shares.get(owner)!
    const { bytes } = share.items.get(item)!
    owners.delete(item)
    share.items.delete(item)
    share.bytes -= bytes
    total -= bytes
    if (share.items.size === 0) shares.delete(owner)
  }

  return {
    put(item, owner, contentBytes, forget) {
      drop(item)
      const bytes = contentBytes + overhead
      const share = shares.get(owner) ?? { items: new Map(), bytes: 0 }
      shares.set(owner, share)
      share.items.set(item, { bytes, forget })
      share.bytes += bytes
      owners.set(item, owner)
      total += bytes
      while (total > maxBytes) {
        const [oldest, { forget: forgetOldest }] = oldestOf(largest(shares))
        if (oldest === item) return
        drop(oldest)
        forgetOldest()
      }
    },
    drop,
  }
}

function largest(shares: ReadonlyMap<string, Share>): Share {
  return [...shares.values()].reduce((most, share) => (share.bytes > most.bytes ? share : most))
}

const oldestOf = ({ items }: Share) => items.entries().next().value!
