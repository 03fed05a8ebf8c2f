import type { Context } from '../context.ts'
import { WakeUp } from '../store/wake-up.ts'

const POLL_MS = 250

/**
 * Waits for the answer to a call, which may be given on another node: a wake-up brings it at once, polling for certain.
 * `undefined` where none came in time. Begin to listen before the call is queued.
 */
export function listenForAnswer(parts: Pick<Context, 'store' | 'clock'>, id: string) {
  const { store, clock } = parts
  const wakeUp = new WakeUp(parts, ['answers'], { only: ({ requestId }) => requestId === id })
  return async (timeoutMs: number, signal?: AbortSignal): Promise<string | undefined> => {
    const deadlineMs = clock.monotonicMs() + timeoutMs
    try {
      while (signal?.aborted !== true) {
        const answer = await store.sessions.readAnswer(id)
        const leftMs = deadlineMs - clock.monotonicMs()
        if (answer !== undefined || leftMs <= 0) return answer
        await wakeUp.sleep(Math.min(POLL_MS, leftMs), signal)
      }
      return undefined
    } finally {
      wakeUp.stop()
    }
  }
}
