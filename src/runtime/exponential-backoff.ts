/** A wait that doubles with every failure in a row, up to the last. */
export const backoffMs = (firstMs: number, lastMs: number, failures: number): number =>
  Math.min(lastMs, firstMs * 2 ** Math.min(failures, 30))
