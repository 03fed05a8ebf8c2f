/** What a table itself has under a key that comes from outside; never what every object inherits. */
export function lookUp<V>(table: { readonly [key: string]: V }, key: string): V | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
