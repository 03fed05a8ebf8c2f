import { later } from './child.mjs'

/** Starts `work` at a steady rate for `seconds`; returns the results. */
export async function paced(rate, seconds, work) {
  const started = []
  const began = performance.now()
  while (started.length < rate * seconds) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - began) / 1000) * rate))
    while (started.length < due) started.push(work())
    await later(1)
  }
  return await Promise.all(started)
}
