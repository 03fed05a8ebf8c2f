import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 8_192
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** From 0 to 1, for pauses that should not fall together: nobody gains by foreseeing it. */
export const randomFraction = (): number => Math.random()

/** The time for ids alone, which must be new each time and sort by their making: no rule depends on it. */
export const idTimeMs = (): number => Date.now()

/** Random bytes, drawn from the system in bulk: asking for each few bytes would cost more than what they are for. */
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
