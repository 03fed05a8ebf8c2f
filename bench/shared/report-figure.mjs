import { appendFileSync } from 'node:fs'

/**
 * Reports a figure of `bench/figures.mjs` to the run of all benchmarks, if this is part of one. `spread` has the values of
 * the rounds, if any.
 */
export function reportFigure(name, value, spread = []) {
  const file = process.env.BENCH_FIGURES_FILE
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, value, spread })}\n`)
}
