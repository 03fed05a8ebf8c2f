import { setTimeout as sleep } from 'node:timers/promises'

/** Polls a condition; returns its first truthy value. Use a longer pause for an expensive condition. */
export async function until(what, condition, { limitMs = 120_000, pauseMs = 50 } = {}) {
  const deadline = performance.now() + limitMs
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1000} s: ${what}`)
    await sleep(pauseMs)
  }
}
