/** A delay that doubles with each consecutive failure, up to a maximum. */
export const backoffMs = (firstMs: number, lastMs: number, failures: number): number =>
  Math.min(lastMs, firstMs * 2 ** Math.min(failures, 30))
