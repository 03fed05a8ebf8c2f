import { TestRunner } from 'vitest'
import { TIMEOUT_MS } from './timeout.ts'

/** Time that a test or hook needs after its last poll, to report what it found. */
const MARGIN_MS = 5_000
/** Polls often at first, and less often during a long wait, because a poll may cost a query. */
const SHORTEST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 250

/**
 * Polls until `look` returns a truthy value, and returns that. It has no timeout of its own: it stops shortly before
 * the test or hook that it runs in, so that the failure names the condition.
 */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = endOfTest() - MARGIN_MS
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.1, LONGEST_PAUSE_MS)) {
    const answer = await look()
    if (answer) return answer
    if (Date.now() > deadline) throw new Error(`not true before the test's timeout: ${look}`)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}

function endOfTest(): number {
  const test = TestRunner.getCurrentTest()
  if (test?.result?.startTime === undefined) return Date.now() + TIMEOUT_MS
  return test.result.startTime + test.timeout
}
