import type { Entry } from './api.ts'
import type { WebhookEvent } from './events.ts'
import { firstPauseMs, isTransient, longestPauseMs, pause, waitSeconds } from './listen.ts'
import type { endpointCalls } from './webhook-calls.ts'

type RawEvent = Entry<'/v1/endpoints/{id}/events'>

/** An event as an endpoint with a URL would receive it: `payload` is the parsed `body`. */
export type PulledEvent = RawEvent & { readonly payload: WebhookEvent }

export interface PullOptions {
  /** Ends the loop. */
  readonly signal?: AbortSignal
  /** Called with the number of events that the gateway deleted before your program acknowledged them. */
  readonly onMissed?: (count: number) => void
}

const ackTimeoutMs = 2_000

/**
 * The events of a pull endpoint. The first one is the one after the last acknowledged event, also after a restart.
 * Requesting the next event acknowledges the one before. While the gateway is unreachable, the loop retries.
 */
export async function* pull(
  endpoints: Pick<ReturnType<typeof endpointCalls>, 'ack' | 'read'>,
  id: string,
  { signal, onMissed }: PullOptions = {},
): AsyncGenerator<PulledEvent, void> {
  const call = signal === undefined ? {} : { signal }
  let handled: string | undefined
  let acknowledged: string | undefined
  let pauseMs = firstPauseMs
  try {
    while (!signal?.aborted) {
      try {
        const startedMs = Date.now()
        const after = handled
        const page = await endpoints.read(id, { wait: waitSeconds, ...(after !== undefined && { after }) }, call)
        acknowledged = after
        pauseMs = firstPauseMs
        if (page.missed > 0) onMissed?.(page.missed)
        for (const event of page.data) {
          yield { ...event, payload: JSON.parse(event.body) as WebhookEvent }
          handled = event.cursor
        }
        handled = page.cursor
        // A proxy may end the wait early.
        if (page.cursor === after && Date.now() - startedMs < firstPauseMs) await pause(firstPauseMs, signal)
      } catch (cause) {
        if (signal?.aborted) return
        if (!isTransient(cause)) throw cause
        await pause(pauseMs, signal)
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      }
    }
  } finally {
    if (handled !== undefined && handled !== acknowledged)
      await endpoints.ack(id, handled, { timeoutMs: ackTimeoutMs, maxRetries: 0 }).catch(() => undefined)
  }
}
