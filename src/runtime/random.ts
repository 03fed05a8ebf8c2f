import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 8_192
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** From 0 to 1, for jitter: it need not be unpredictable. */
export const randomFraction = (): number => Math.random()

/** The time for ids alone, which must be unique and sort by creation: no rule depends on it. */
export const idTimeMs = (): number => Date.now()

/** Random bytes, read from the system in bulk: a call for each few bytes would cost more than their use. */
export function randomSlice(bytes: number): Buffer {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const slice = Buffer.from(pool.subarray(used, used + bytes))
  pool.fill(0, used, used + bytes)
  used += bytes
  return slice
}
