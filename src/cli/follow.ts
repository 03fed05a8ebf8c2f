import type { EventReader, Gateway, GatewayEvent } from '#listener/event-reader'
import type { EventKind } from '../domain/event.ts'
import { systemClock } from '../runtime/clock.ts'
import { jsonLineOf, lineOf } from './event-lines.ts'
import { withUserErrors } from './gateway-client.ts'
import { ownName } from './own-name.ts'

/** A reader that reports on the terminal when the gateway is unreachable and when it is back. */
export async function openReader(
  connect: () => Promise<Gateway>,
  signal: AbortSignal,
  missedText: (count: number | null) => string,
  { kinds = null, endpoint }: { kinds?: ReadonlyArray<EventKind> | null; endpoint?: string | undefined } = {},
): Promise<EventReader> {
  const { EventReader } = await import('#listener/event-reader')
  return new EventReader({
    connect,
    sleep: (ms, ending) => systemClock.sleep(ms, ending),
    signal,
    ...(kinds !== null && { kinds }),
    ...(endpoint !== undefined && { endpointId: endpoint }),
    onUnreachable: () => console.error('The gateway does not answer. Waiting for it.'),
    onReachable: () => console.error('The gateway is back.'),
    onMissed: count => console.error(missedText(count)),
  })
}

export async function withListenerErrors<T>(work: () => Promise<T>): Promise<T> {
  const { KeyRejected } = await import('#listener/event-reader')
  return await withUserErrors(KeyRejected, work)
}

interface Following<T> {
  /** Causes the events. It runs after the listener is open, so that no event is missed. */
  begin(): Promise<T>
  concerns(begun: T, event: GatewayEvent): boolean
  isLast(begun: T, event: GatewayEvent): boolean
  limitMs: number
  json: boolean
}

/** Prints the matching events and returns the last one; `undefined` if it does not arrive in time. */
export async function follow<T>(
  connect: () => Promise<Gateway>,
  { begin, concerns, isLast, limitMs, json }: Following<T>,
): Promise<GatewayEvent | undefined> {
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const reader = await openReader(connect, ending.signal, () => 'Some events are no longer available.')
  return await withListenerErrors(async () => {
    await reader.open()
    process.once('SIGINT', end).once('SIGTERM', end)
    const timer = setTimeout(end, limitMs)
    try {
      const begun = await begin()
      let shown = 0
      for await (const event of reader.events()) {
        if (!concerns(begun, event)) continue
        console.log(json ? jsonLineOf(event) : lineOf(event))
        shown++
        if (isLast(begun, event)) return event
      }
      console.error(
        `No ${shown === 0 ? '' : 'further '}event within ${limitMs / 1_000} s. ${ownName()} listen shows later events.`,
      )
      return undefined
    } finally {
      clearTimeout(timer)
      process.off('SIGINT', end).off('SIGTERM', end)
      await reader.close()
    }
  })
}
