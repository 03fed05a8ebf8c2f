import { rateOf } from '../../runtime/token-bucket.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Fragment, Value } from '../transaction.ts'
import { type AcceptRequest, tracesIn, type AcceptResult, inOrder } from './accept-messages.ts'
import { isLimited, type MessageLimits } from './message-meters.ts'
import { LOCKED, UNDECIDED } from '../deferred.ts'
import { arrayOf, Pieces } from '../postgres/parameters.ts'
import { MOMENT, type SingleStatement } from '../single-statement.ts'

/**
 * Accepts many messages with one PostgreSQL statement, which commits itself: what `acceptMessages` does in many round
 * trips, for the simple cases. It inserts new messages of own numbers if all of the account's messages in the batch
 * fit its limits, and returns their ids; it leaves the others untouched. Meters are locked before keys are taken, as
 * everywhere; for a locked meter it waits, or returns the account.
 */
function acceptStatement(inOrder: AcceptRequest[], waits: boolean): Fragment {
  const [prints, contents] = [new Pieces(), new Pieces()]
  const columns: Value[] = [...messageColumns(inOrder, prints, contents), ...limitColumns(inOrder)].map(arrayOf)
  const params = [...columns, prints.all(), contents.all()]
  const traces = tracesIn(inOrder)
  if (traces.length === 0) return { sql: waits ? WAITING : NOT_WAITING, params }
  const traced = [arrayOf(traces.map(({ id }) => id)), arrayOf(traces.map(({ traceparent }) => traceparent))]
  return { sql: waits ? WAITING_TRACED : NOT_WAITING_TRACED, params: [...params, ...traced] }
}

const SQL = `with ${MOMENT}, given as materialized (
  select * from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[],
      ?::int[], ?::int[], ?::int[], ?::int[]) with ordinality
    as g(id, account_id, session_id, request_key, recipient, type, platform_id, send_at,
      print_from, print_length, content_from, content_length, place)
), asked as materialized (
  select * from unnest(?::text[], ?::bigint[], ?::double precision[], ?::double precision[], ?::bigint[], ?::bigint[])
    as a(account_id, n, per_second, burst, per_month, most_waiting)
), meters as materialized (
  select * from account_meters where account_id in (select account_id from asked) order by account_id
  for update{skip locked}
), filled as materialized (
  select a.*, m.waiting, case when m.month = t.month then m.month_messages else 0 end as month_messages,
    case when a.per_second is null then m.tokens
      else least(a.burst, m.tokens + greatest(0, t.now - m.tokens_at) / 1000.0 * a.per_second) end as tokens,
    case when a.per_second is null then m.tokens_at else t.now end as tokens_at
  from asked a join meters m on m.account_id = a.account_id and (a.per_second is null or m.tokens >= 0), moment t
), admitted as materialized (
  select * from filled where (per_second is null or tokens >= n) and (per_month is null or month_messages + n <= per_month)
    and (most_waiting is null or waiting + n <= most_waiting)
), accepted as (
  insert into messages (id, account_id, session_id, request_key, fingerprint, request_id, recipient, type, state,
    platform_id, send_at, created_at, updated_at)
  select g.id, g.account_id, g.session_id, g.request_key, substr(?::bytea, g.print_from, g.print_length), coalesce(g.request_key, g.id),
    g.recipient, g.type, case when g.send_at is null then 'queued' else 'scheduled' end, g.platform_id, g.send_at,
    t.now, t.now
  from given g join sessions s on s.id = g.session_id and s.account_id = g.account_id, moment t
  where g.account_id not in (select account_id from asked) or g.account_id in (select account_id from admitted)
  order by g.place
  on conflict (account_id, request_key) do nothing returning id, account_id
), queued as (
  insert into commands (id, session_id, queue, kind, message_id, content, attempt, due_at, created_at)
  select g.id, g.session_id, g.recipient, 'send', g.id, substr(?::bytea, g.content_from, g.content_length), 0,
    coalesce(g.send_at, t.now), t.now
  from given g join accepted a on a.id = g.id, moment t
), counted as materialized (select account_id, count(*) as n from accepted group by account_id
), charged as (
  insert into usage_deltas (account_id, day, hour, metric, n)
  select c.account_id, t.day, t.hour, 'accepted', c.n from counted c, moment t
), metered as (
  update account_meters m set tokens = f.tokens - case when f.per_second is null then 0 else c.n end,
    tokens_at = f.tokens_at, month = t.month, month_messages = f.month_messages + c.n, waiting = f.waiting + c.n
  from admitted f join counted c on c.account_id = f.account_id, moment t where m.account_id = f.account_id
){traced} select (select string_agg(id, ' ') from accepted) as accepted,
  (select string_agg(account_id, ' ') from asked where account_id not in (select account_id from meters)) as busy`

const TRACED = `, traced as (
  insert into traces (id, traceparent, expires_at)
  select k.id, k.traceparent, greatest(t.now, coalesce(g.send_at, 0)) + ${KEPT_MS.traces}
  from unnest(?::text[], ?::text[]) as k(id, traceparent)
    join accepted a on a.id = k.id join given g on g.id = k.id, moment t
)`

const sqlFor = (skips: string, traced: string): string =>
  SQL.replace('{skip locked}', skips).replace('{traced}', traced)

const WAITING = sqlFor('', '')
const NOT_WAITING = sqlFor(' skip locked', '')
const WAITING_TRACED = sqlFor('', TRACED)
const NOT_WAITING_TRACED = sqlFor(' skip locked', TRACED)

type Column = Array<string | number | null>

function messageColumns(requests: AcceptRequest[], printed: Pieces, sealed: Pieces): Column[] {
  const prints = requests.map(({ message }) => printed.add(message.fingerprint))
  const contents = requests.map(({ sealedContent }) => sealed.add(sealedContent))
  const column = <T>(pick: (message: AcceptRequest['message']) => T): T[] =>
    requests.map(({ message }) => pick(message))
  return [
    column(message => message.id),
    requests.map(({ accountId }) => accountId),
    column(message => message.sessionId),
    column(message => message.requestKey),
    column(message => message.to),
    column(message => message.type),
    column(message => message.platformId),
    column(message => message.sendAt),
    prints.map(({ from }) => from),
    prints.map(({ length }) => length),
    contents.map(({ from }) => from),
    contents.map(({ length }) => length),
  ]
}

/** The number of messages of each limited account. */
function limitColumns(requests: AcceptRequest[]): Column[] {
  const requested = new Map<string, { n: number; limits: MessageLimits }>()
  for (const { accountId, limits } of requests) {
    if (!isLimited(limits)) continue
    requested.set(accountId, { limits, n: (requested.get(accountId)?.n ?? 0) + 1 })
  }
  const all = [...requested.values()]
  return [
    [...requested.keys()],
    all.map(({ n }) => n),
    all.map(({ limits }) => limits.perSecond),
    all.map(({ limits: { perSecond, burst } }) => (perSecond === null ? null : rateOf(perSecond, burst).burst)),
    all.map(({ limits }) => limits.perMonth),
    all.map(({ limits }) => limits.waiting ?? null),
  ]
}

/** Larger messages go through the transaction, like those of high priority. */
const MAX_CONTENT_BYTES = 65_536

/** The accepted messages, and the accounts whose meters other transactions have locked. One row costs less than many. */
interface AcceptRow {
  accepted: string | null
  busy: string | null
}

/** Accepts messages that are new, from an own number and within their account's limits; the transaction decides the rest. */
export const acceptSingleStatement: SingleStatement<AcceptRequest, AcceptResult, AcceptRow> = {
  fits: ({ sealedContent, message }) => sealedContent.length <= MAX_CONTENT_BYTES && message.priority == null,
  statement: (requests, waits) => acceptStatement(inOrder(requests), waits),
  outcomes: (requests, [row]) => {
    const [ids, busy] = [new Set(row!.accepted?.split(' ')), new Set(row!.busy?.split(' '))]
    const accepted = requests.filter(({ message }) => ids.has(message.id))
    const sessions = new Set(accepted.map(({ message }) => message.sessionId))
    return {
      results: requests.map(({ message, accountId }) =>
        ids.has(message.id) ? { kind: 'accepted' } : busy.has(accountId) ? LOCKED : UNDECIDED,
      ),
      signals: [...sessions].map(sessionId => ({ about: 'commands', sessionId })),
    }
  },
}
