import { systemClock } from '../../runtime/clock.ts'
import type { GatewayClient } from '../gateway-client.ts'
import { EventReader } from './event-reader.ts'
import { type HeardEvent, jsonLineOf, lineOf } from './heard-event.ts'

interface Following<T> {
  /** What causes the events; it begins when the listener is open, so that none of them is missed. */
  begin(): Promise<T>
  concerns(begun: T, event: HeardEvent): boolean
  isLast(begun: T, event: HeardEvent): boolean
  limitMs: number
  json: boolean
}

/** Prints the events of one thing until the last one; answers that one, or `undefined` where it did not come in time. */
export async function follow<T>(
  reach: () => Promise<GatewayClient>,
  { begin, concerns, isLast, limitMs, json }: Following<T>,
): Promise<HeardEvent | undefined> {
  const ending = new AbortController()
  const say = (line: string) => (): void => console.error(line)
  const news = {
    away: say('The gateway does not answer; waiting for it.'),
    back: say('The gateway is back.'),
    missed: say('Some events are not kept any more.'),
  }
  const reader = new EventReader(reach, { clock: systemClock, news, signal: ending.signal })
  await reader.open()
  const end = (): void => ending.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  const timer = setTimeout(end, limitMs)
  try {
    const begun = await begin()
    for await (const event of reader.events()) {
      if (!concerns(begun, event)) continue
      console.log(json ? jsonLineOf(event) : lineOf(event))
      if (isLast(begun, event)) return event
    }
    console.error(`No further event within ${limitMs / 1_000} s. postern listen shows what comes later.`)
    return undefined
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', end).off('SIGTERM', end)
    await reader.close()
  }
}
