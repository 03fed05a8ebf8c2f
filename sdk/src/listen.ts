import type { Entry } from './api.ts'
import type { WebhookEvent } from './events.ts'
import type { listenerCalls } from './listener-calls.ts'
import { PosternError } from './transport.ts'

type Heard = Entry<'/v1/listeners/{id}/events'>

/** As an endpoint would receive it: `payload` is what `body` says, and `kind` tells which type it has. */
export type ListenedEvent = {
  [E in WebhookEvent as E['kind']]: Omit<Heard, 'kind'> & { readonly kind: E['kind']; readonly payload: E }
}[WebhookEvent['kind']]

export interface ListenOptions {
  /** Ends it. */
  readonly signal?: AbortSignal
  /** For how many hours this program may be away and find everything, 1 to 168. Then the listener outlives the loop. */
  readonly keepHours?: number
  /** A listener of before, as `onOpen` told it: goes on behind what it has acknowledged. */
  readonly resume?: { readonly id: string; readonly cursor: string }
  /** Which listener is read, for a later `resume`. */
  readonly onOpen?: (listener: { id: string; cursor: string }) => void
  /** So many are not kept any more; `null`: nobody knows how many. */
  readonly onMissed?: (count: number | null) => void
}

/** Less than a request may take. */
const waitSeconds = 20
const firstPauseMs = 250
const longestPauseMs = 5_000

/**
 * The events of the account as they happen, without a webhook. Asking for the event behind a page acknowledges the page;
 * a gateway that is away is asked again until it is back, and nothing is missed between.
 */
export async function* listen(
  listeners: ReturnType<typeof listenerCalls>,
  options: ListenOptions = {},
): AsyncGenerator<ListenedEvent, void> {
  const { signal, keepHours, resume, onOpen, onMissed } = options
  const kept = keepHours === undefined ? {} : { keep_hours: keepHours }
  const call = signal === undefined ? {} : { signal }
  const open = async () => {
    const opened = await listeners.create(kept, call)
    onOpen?.({ id: opened.id, cursor: opened.cursor })
    return { id: opened.id, cursor: opened.cursor }
  }
  let { id, cursor } = resume ?? (await open())
  let pauseMs = firstPauseMs
  try {
    while (!signal?.aborted) {
      try {
        const page = await listeners.read(id, { after: cursor, wait: waitSeconds, ...kept }, call)
        pauseMs = firstPauseMs
        if (page.missed > 0) onMissed?.(page.missed)
        for (const event of page.data) yield { ...event, payload: JSON.parse(event.body) } as ListenedEvent
        cursor = page.cursor
      } catch (cause) {
        if (signal?.aborted) return
        if (isUnknown(cause)) {
          ;({ id, cursor } = await open())
          onMissed?.(null)
        } else if (isPassing(cause)) {
          await pause(pauseMs, signal)
          pauseMs = Math.min(pauseMs * 2, longestPauseMs)
        } else throw cause
      }
    }
  } finally {
    if (keepHours === undefined) await listeners.delete(id).catch(() => undefined)
  }
}

const isUnknown = (cause: unknown): boolean => cause instanceof PosternError && cause.status === 404
const isPassing = (cause: unknown): boolean =>
  cause instanceof PosternError && (cause.status === 0 || cause.status === 429 || cause.status >= 500)

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
