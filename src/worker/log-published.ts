import { withoutRedaction } from '../observability/log.ts'
import type { NewEvent } from '../store/events/events.ts'
import type { HostDeps } from './deps.ts'

/** Logs one line for each published event. Its cause was known at `knownAtMs`. */
export function logPublished(
  { log, clock }: Pick<HostDeps, 'log' | 'clock'>,
  events: Array<Omit<NewEvent, 'sealedPayload' | 'redacted'>>,
  knownAtMs: number,
): void {
  const lines = withoutRedaction(log)
  const delayMs = clock.now().getTime() - knownAtMs
  for (const { id, accountId, sessionId, kind, category, bytes } of events)
    lines.info(
      { event_id: id, account: accountId, session: sessionId, kind, category, bytes, delay_ms: delayMs },
      'event.published',
    )
}
