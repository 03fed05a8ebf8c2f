import type { SessionContext } from '../session-context.ts'
import type { Connection } from './connection.ts'

const LINK_WAIT_MS = 15_000
const LOOK_EVERY_MS = 100

/** The open connection, waited for a while where there will be one. */
export async function whenOpen(
  { link, clock }: Pick<SessionContext, 'link' | 'clock'>,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const untilMs = clock.monotonicMs() + LINK_WAIT_MS
  while (!link.current() && !link.isOver?.() && clock.monotonicMs() < untilMs) {
    await clock.sleep(LOOK_EVERY_MS, signal)
    signal.throwIfAborted()
  }
  return link.current()
}
