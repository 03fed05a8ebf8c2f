import type { Store } from '../../src/store/store.ts'

type Changes = { [Name in keyof Store]?: Partial<Store[Name]> }

/** The store with some methods of its repositories replaced. */
export function storeWith(store: Store, changes: Changes): Store {
  const repositories = Object.entries(changes).map(([name, methods]) => [
    name,
    Object.assign(Object.create(store[name as keyof Store] as object), methods),
  ])
  return Object.assign(Object.create(store), Object.fromEntries(repositories)) as Store
}
