/** A table's own value for an untrusted key, never an inherited property. */
export function lookUp<V>(table: { readonly [key: string]: V }, key: string): V | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
