import type { Plan } from '../../domain/account.ts'
import { asksFor, type EndpointFilter } from '../../domain/endpoint.ts'
import type { IncludeWord } from '../../domain/include.ts'
import { pulledEventsKeptMs } from '../../domain/retention.ts'
import type { Reader } from '../transaction.ts'
import { type FilterColumns, toFilter } from './endpoints.ts'

/** An endpoint as the fan-out of an event needs it. */
export type FanOutEndpoint = EndpointFilter & {
  id: string
  /** How long a pull endpoint keeps the event; `null` for an endpoint with a URL. */
  keepMs: number | null
}

const HOUR_MS = 3_600_000

/** The active endpoints of these accounts, oldest first. An account has at most `BOUNDS.endpoints` of them. */
export async function readFanOut(reader: Reader, accountIds: string[]): Promise<Map<string, FanOutEndpoint[]>> {
  const found = new Map<string, FanOutEndpoint[]>()
  if (accountIds.length === 0) return found
  const r = reader.ids(accountIds)
  const rows = await reader.all<
    FilterColumns & { id: string; account_id: string; keep_hours: number | null; plan: Plan }
  >(
    `select e.id, e.account_id, e.keep_hours, a.plan, e.kinds, e.session_ids, e.direction, e.include
     from ${r.sql} r join accounts a on a.id = r.id join endpoints e on e.account_id = a.id where e.active = 1 order by e.id`,
    ...r.params,
  )
  for (const row of rows) {
    // The account may have had a plan that keeps events longer.
    const keepMs = row.keep_hours === null ? null : Math.min(row.keep_hours * HOUR_MS, pulledEventsKeptMs(row.plan))
    const endpoint = { id: row.id, keepMs, ...toFilter(row) }
    const others = found.get(row.account_id)
    if (others === undefined) found.set(row.account_id, [endpoint])
    else others.push(endpoint)
  }
  return found
}

/** Whether an active endpoint of the account will get what this word includes of a number that is linked next. */
export async function isIncludedForNew(
  reader: Reader,
  { accountId, sessionId, word }: { accountId: string; sessionId: string | null; word: IncludeWord },
): Promise<boolean> {
  const found = (await readFanOut(reader, [accountId])).get(accountId) ?? []
  return found.some(
    filter =>
      asksFor(filter, word) &&
      (filter.sessionIds === null || (sessionId !== null && filter.sessionIds.includes(sessionId))),
  )
}

/** Whether an active endpoint gets the events of this number that only endpoints with this word get. */
export async function isIncluded(reader: Reader, input: { sessionId: string; word: IncludeWord }): Promise<boolean> {
  const rows = await reader.all<FilterColumns>(
    `select e.kinds, e.session_ids, e.direction, e.include
     from sessions s join endpoints e on e.account_id = s.account_id where s.id = ? and e.active = 1`,
    input.sessionId,
  )
  return rows
    .map(toFilter)
    .some(
      filter =>
        asksFor(filter, input.word) && (filter.sessionIds === null || filter.sessionIds.includes(input.sessionId)),
    )
}
