import type { SessionContext } from '../session-context.ts'
import type { Connection } from './connection.ts'

const LINK_WAIT_MS = 15_000
const CHECK_INTERVAL_MS = 100

/** Waits up to 15 seconds for the open connection, unless the link is over. */
export async function whenOpen(
  { link, clock }: Pick<SessionContext, 'link' | 'clock'>,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const untilMs = clock.monotonicMs() + LINK_WAIT_MS
  while (!link.current() && !link.isOver?.() && clock.monotonicMs() < untilMs) {
    await clock.sleep(CHECK_INTERVAL_MS, signal)
    signal.throwIfAborted()
  }
  return link.current()
}
