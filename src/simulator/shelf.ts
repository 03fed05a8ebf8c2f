/** What a message costs besides its content. */
const OVERHEAD_BYTES = 1_024

/** All that the phones hold, in the order it came. Where it becomes too much, the oldest is forgotten, whosever it is. */
export interface Shelf {
  put(item: object, bytes: number, forget: () => void): void
  /** It is forgotten already. */
  drop(item: object): void
}

export function createShelf(maxBytes: number): Shelf {
  const items = new Map<object, { readonly bytes: number; readonly forget: () => void }>()
  let total = 0
  const drop = (item: object): void => {
    total -= items.get(item)?.bytes ?? 0
    items.delete(item)
  }
  return {
    put(item, bytes, forget) {
      drop(item)
      items.set(item, { bytes: bytes + OVERHEAD_BYTES, forget })
      total += bytes + OVERHEAD_BYTES
      for (const [oldest, { forget: forgetOldest }] of items) {
        if (total <= maxBytes || oldest === item) return
        drop(oldest)
        forgetOldest()
      }
    },
    drop,
  }
}
