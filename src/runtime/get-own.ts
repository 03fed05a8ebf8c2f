/**
 * What a table itself has under a key. Keys come from outside, and every object answers to `constructor` and
 * `__proto__` too, with something that nobody has put into the table.
 */
export function getOwn<V>(table: { readonly [key: string]: V }, key: string): V | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
