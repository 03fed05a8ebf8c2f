/**
 * How the items of a batch travel to the thread that writes, and how what came of them travels back: as few values as may
 * be. Each object and each buffer that is handed over costs more than what it holds.
 */
export interface Wire<Item = unknown, Output = unknown> {
  packItem(item: Item): unknown
  unpackItem(packed: unknown): Item
  packResult(result: Output): unknown
  unpackResult(packed: unknown): Output
}
