/**
 * A table's own value under a key. Keys come from clients, and every object inherits properties such as `constructor` and
 * `__proto__`.
 */
export function getOwn<V>(table: { readonly [key: string]: V }, key: string): V | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
