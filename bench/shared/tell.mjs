import { appendFileSync } from 'node:fs'

/**
 * Tells a figure of `bench/figures.mjs` to the run of all benches, where this is a part of it. `spread` has the values of
 * the rounds, where there are some.
 */
export function tell(name, value, spread = []) {
  const file = process.env.BENCH_TOLD
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, value, spread })}\n`)
}
