import type { Context } from '../context.ts'
import { makeWakeUp } from '../store/wake-up.ts'

const POLL_MS = 250

/**
 * Waits for the answer to a call, which may be given on another node: a wake-up brings it at once, polling for certain.
 * `undefined` where none came in time. Begin to listen before the call is queued.
 */
export function listenForAnswer({ store }: Pick<Context, 'store'>, id: string) {
  const wakeUp = makeWakeUp(store.signals, ['answers'], { key: id })
  return async (timeoutMs: number, signal?: AbortSignal): Promise<string | undefined> => {
    const deadlineMs = performance.now() + timeoutMs
    try {
      while (signal?.aborted !== true) {
        const answer = await store.sessions.readAnswer(id)
        const leftMs = deadlineMs - performance.now()
        if (answer !== undefined || leftMs <= 0) return answer
        await wakeUp.sleep(Math.min(POLL_MS, leftMs), signal)
      }
      return undefined
    } finally {
      wakeUp.stop()
    }
  }
}
