/** The own property of a table: keys come from the wire, and `constructor` would find an inherited one. */
export function getOwn<V>(table: { readonly [key: string]: V }, key: string): V | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
