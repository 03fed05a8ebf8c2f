import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a condition; what it gave, once that counts as true. One that costs something is asked with longer pauses. */
export async function until(what, condition, { limitMs = 120_000, pauseMs = 50 } = {}) {
  const deadline = performance.now() + limitMs
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1000} s: ${what}`)
    await sleep(pauseMs)
  }
}
