import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import type { SessionContext } from '../session-context.ts'

const LINK_WAIT_MS = 15_000

/** The open connection, waited for a while where there will be one. */
export async function whenOpen(
  { link }: Pick<SessionContext, 'link'>,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const until = Date.now() + LINK_WAIT_MS
  while (!link.current() && !link.isOver?.() && Date.now() < until) await sleep(100, undefined, { signal })
  return link.current()
}
