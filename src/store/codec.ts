/**
 * How the items of a batch and their results are packed for messages to and from the writer thread. Each object and
 * buffer in a message costs more than its data, so a codec packs them into few plain values.
 */
export interface Codec<Item = unknown, Output = unknown> {
  packItem(item: Item): unknown
  unpackItem(packed: unknown): Item
  packResult(result: Output): unknown
  unpackResult(packed: unknown): Output
}
