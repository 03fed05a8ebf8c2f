/** What a table itself has under a key: keys come from the wire, and every object answers to `constructor` too. */
export function getOwn<V>(table: { readonly [key: string]: V }, key: string): V | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
