import type { Api, Body, CallOptions, Entry, Query } from './api.ts'
import type { WebhookEvent } from './events.ts'
import { PosternError } from './transport.ts'

/** The events of the account for a program that no webhook reaches: `read` acknowledges the events up to `after`. */
export const listenerCalls = (api: Api) => ({
  create: (body: Body<'post', '/v1/listeners'> = {}, options: CallOptions = {}) =>
    api.call('post', '/v1/listeners', { body, ...options }),
  read: (id: string, query: Query<'/v1/listeners/{id}/events'>, options: CallOptions = {}) =>
    api.call('get', '/v1/listeners/{id}/events', { in: { id }, query, ...options }),
  delete: (id: string, options: CallOptions = {}) =>
    api.call('delete', '/v1/listeners/{id}', { in: { id }, ...options }),
})

type RawEvent = Entry<'/v1/listeners/{id}/events'>

/** An event as an endpoint would receive it: `payload` is the parsed `body`, and `kind` says which type it has. */
export type ListenedEvent = {
  [E in WebhookEvent as E['kind']]: Omit<RawEvent, 'kind'> & { readonly kind: E['kind']; readonly payload: E }
}[WebhookEvent['kind']]

/** Save it to continue after a restart: `listen({ resume })`. */
export interface ListenerPosition {
  readonly id: string
  readonly cursor: string
  readonly keepHours?: number
}

export interface ListenOptions {
  /** Ends the loop. */
  readonly signal?: AbortSignal
  /**
   * For how many hours the gateway keeps events while this program does not read them, 1 to 168. The loop then does not
   * delete the listener when it ends.
   */
  readonly keepHours?: number
  /**
   * The kinds of events to read; all by default. Reading `typing` or `presence` makes numbers with `appear: auto` appear
   * online. A resumed listener keeps its kinds.
   */
  readonly kinds?: ReadonlyArray<WebhookEvent['kind']>
  /**
   * A position of `onOpen` or `onAcknowledge`: the loop continues with the event after it. It does not delete the
   * listener when it ends, and the gateway keeps events for as long as before.
   */
  readonly resume?: ListenerPosition
  /** Called with the position of each listener that is opened. */
  readonly onOpen?: (position: ListenerPosition) => void
  /** Called when the loop requests the next event: your program has handled every event up to this position. */
  readonly onAcknowledge?: (position: ListenerPosition) => void
  /** Called with the number of events that you missed because the gateway has deleted them; `null` if it is unknown. */
  readonly onMissed?: (count: number | null) => void
}

/** Shorter than the timeout of a request. */
export const waitSeconds = 20
export const firstPauseMs = 250
export const longestPauseMs = 5_000
const maxKeepHours = 168
const deleteTimeoutMs = 2_000

/**
 * The events of the account as they happen, without a webhook. Requesting the next event acknowledges the one before.
 * While the gateway is unreachable the loop retries with backoff, and no event is lost meanwhile.
 */
export async function* listen(
  listeners: ReturnType<typeof listenerCalls>,
  options: ListenOptions = {},
): AsyncGenerator<ListenedEvent, void> {
  const { signal, kinds, resume, onOpen, onAcknowledge, onMissed } = options
  // Reading without keep_hours would shorten a resumed listener to one hour.
  const keepHours = options.keepHours ?? (resume && (resume.keepHours ?? maxKeepHours))
  const keep = keepHours === undefined ? {} : { keep_hours: keepHours }
  const call = signal === undefined ? {} : { signal }
  const positionAt = (id: string, cursor: string): ListenerPosition => ({
    id,
    cursor,
    ...(keepHours !== undefined && { keepHours }),
  })
  let position: ListenerPosition | undefined = resume
  let isForgotten = false
  let pauseMs = firstPauseMs
  try {
    while (!signal?.aborted) {
      try {
        if (position === undefined) {
          const opened = await listeners.create({ ...keep, ...(kinds && { kinds: [...kinds] }) }, call)
          position = positionAt(opened.id, opened.cursor)
          onOpen?.(position)
          if (isForgotten) onMissed?.(null)
        }
        const startedMs = Date.now()
        const { id, cursor } = position
        const page = await listeners.read(id, { after: cursor, wait: waitSeconds, ...keep }, call)
        pauseMs = firstPauseMs
        if (page.missed > 0) onMissed?.(page.missed)
        for (const event of page.data) {
          yield { ...event, payload: JSON.parse(event.body) } as ListenedEvent
          position = positionAt(id, event.cursor)
          onAcknowledge?.(position)
        }
        position = positionAt(id, page.cursor)
        // A proxy may end the wait early.
        if (page.cursor === cursor && Date.now() - startedMs < firstPauseMs) await pause(firstPauseMs, signal)
      } catch (cause) {
        if (signal?.aborted) return
        if (isUnknownListener(cause)) {
          position = undefined
          isForgotten = true
        } else if (isTransient(cause)) {
          await pause(pauseMs, signal)
          pauseMs = Math.min(pauseMs * 2, longestPauseMs)
        } else throw cause
      }
    }
  } finally {
    if (keepHours === undefined && position !== undefined)
      await listeners.delete(position.id, { timeoutMs: deleteTimeoutMs, maxRetries: 0 }).catch(() => undefined)
  }
}

const isUnknownListener = (cause: unknown): boolean =>
  cause instanceof PosternError && cause.status === 404 && cause.code === 'not_found'

/** A 404 without the gateway's code comes from a proxy that has no gateway behind it now. */
export const isTransient = (cause: unknown): boolean =>
  cause instanceof PosternError &&
  ([0, 408, 429].includes(cause.status) || cause.status >= 500 || (cause.status === 404 && cause.code === undefined))

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
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
