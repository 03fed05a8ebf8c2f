/**
 * How the items of a batch and their results are packed for the journey to the writer thread and back. Each object and
 * each buffer in a thread message costs more than the data in it, so a codec packs into few plain values.
 */
export interface Codec<Item = unknown, Output = unknown> {
  packItem(item: Item): unknown
  unpackItem(packed: unknown): Item
  packResult(result: Output): unknown
  unpackResult(packed: unknown): Output
}
