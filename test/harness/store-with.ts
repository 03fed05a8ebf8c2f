import type { Store } from '../../src/store/store.ts'

type Changes = { [Door in keyof Store]?: Partial<Store[Door]> }

/** The store with some of its units replaced, door by door. */
export function storeWith(store: Store, changes: Changes): Store {
  const doors = Object.entries(changes).map(([door, units]) => [
    door,
    Object.assign(Object.create(store[door as keyof Store] as object), units),
  ])
  return Object.assign(Object.create(store), Object.fromEntries(doors)) as Store
}
