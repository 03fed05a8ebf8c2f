import { BOUNDS } from '../../domain/bounds.ts'
import type { Tx } from '../transaction.ts'
import { addUsagePerAccount, usageTime } from '../usage/usage.ts'
import { type AttemptResult, idsOf } from './attempt-result.ts'

/** The history is a ring buffer of each account's latest entries. */
const HISTORY_SLOTS = BOUNDS.historyEntries

/**
 * Moves delivered deliveries from the queue to the ring buffers of their accounts, and counts them. A result that is
 * not the next one of its delivery changes nothing.
 */
export async function finishDelivered(tx: Tx, results: AttemptResult[]): Promise<Removed> {
  if (results.length === 0) return new Map()
  return tx.dialect === 'postgres' ? await finishAtOnce(tx, results) : await finishInSteps(tx, results)
}

const ENTRY = `account_id, slot, id, event_id, webhook_id, session_id, kind, event_type, category, dedupe_id, origin,
  attempts, created_at, updated_at, redacted`

const OVERWRITE = `on conflict (account_id, slot) do update set id = excluded.id, event_id = excluded.event_id,
  webhook_id = excluded.webhook_id, session_id = excluded.session_id, kind = excluded.kind,
  event_type = excluded.event_type, category = excluded.category, dedupe_id = excluded.dedupe_id,
  origin = excluded.origin, attempts = excluded.attempts, created_at = excluded.created_at,
  updated_at = excluded.updated_at, redacted = excluded.redacted`

const NEXT_SEQ = 'on conflict (account_id) do update set seq = history_heads.seq + excluded.seq'

/** One statement, because each is a round trip. The heads are locked in order, so that two batches cannot deadlock. */
async function finishAtOnce(tx: Tx, results: AttemptResult[]): Promise<Removed> {
  const r = tx.values(
    { id: 'text', before: 'bigint', made: 'text' },
    results.map(result => ({ id: result.deliveryId, before: result.attemptsBefore, made: result.attempts })),
  )
  const { day, hour } = usageTime(tx.nowMs)
  const rows = await tx.all<{ id: string; carried: number }>(
    `with moment as (select ?::bigint as now, ?::text as day, ?::bigint as hour),
     ${finishing(r.sql)} select id, carried from gone`,
    tx.nowMs,
    day,
    hour,
    ...r.params,
  )
  return new Map(rows.map(row => [row.id, row.carried === 1]))
}

/**
 * `results`: a table with `id`, `before` and `made`. The time is that of a table `moment`. PostgreSQL would read a queue that
 * looks empty to it whole, so the conditions leave it nothing but a search of the index for each result: it joins nothing by
 * `any` or by a difference. `= any(array[` also tells `dialect.ts` to have the statement planned each time.
 */
export const finishing = (results: string, condition = ''): string => `gone as (
    delete from deliveries d using ${results} r where d.id = any(array[r.id]) and d.attempt - r.before = 0${condition}
    returning d.account_id, d.id, d.event_id, d.webhook_id, d.session_id, d.kind, d.event_type, d.category,
      d.dedupe_id, d.origin, d.created_at, d.redacted, r.made, case when d.sealed is null then 0 else 1 end as carried
  ), kept as (
    select *, row_number() over (partition by account_id order by id) - count(*) over (partition by account_id) as back
    from gone where event_type is not null
  ), heads as (
    insert into history_heads (account_id, seq)
    select account_id, count(*) from kept group by account_id order by account_id ${NEXT_SEQ}
    returning account_id, seq
  ), entered as (
    insert into history (${ENTRY})
    select k.account_id, (h.seq + k.back) % ${HISTORY_SLOTS}, k.id, k.event_id, k.webhook_id, k.session_id, k.kind,
      k.event_type, k.category, k.dedupe_id, k.origin, k.made, k.created_at, t.now, k.redacted
    from kept k join heads h on h.account_id = k.account_id, moment t ${OVERWRITE}
  ), counted as (
    insert into usage_deltas (account_id, day, hour, metric, n)
    select g.account_id, t.day, t.hour, 'deliveries', count(*) from gone g, moment t group by g.account_id, t.day, t.hour
  )`

const ENTER_ONE = `insert into history (${ENTRY})
  select d.account_id, ?, d.id, d.event_id, d.webhook_id, d.session_id, d.kind, d.event_type, d.category,
    d.dedupe_id, d.origin, ?, d.created_at, ?, d.redacted
  from deliveries d where d.id = ? and d.attempt = ? and d.event_type is not null ${OVERWRITE}`
const REMOVE_ONE = 'delete from deliveries where id = ? and attempt = ?'
const REMOVE_CARRIED = `${REMOVE_ONE} and sealed is not null`

/** Statements for each: they cost less here than a table of the results, and `returning` costs as much as a delete. */
async function finishInSteps(tx: Tx, results: AttemptResult[]): Promise<Removed> {
  const recorded = results.filter(result => result.isRecorded)
  const slots = await takeSlots(tx, recorded)
  for (const [i, { deliveryId: id, attemptsBefore, attempts }] of recorded.entries())
    await tx.run(ENTER_ONE, slots[i]!, attempts, tx.nowMs, id, attemptsBefore)
  const removed = new Map<string, boolean>()
  for (const { deliveryId: id, attemptsBefore } of results) {
    if ((await tx.run(REMOVE_CARRIED, id, attemptsBefore)) > 0) removed.set(id, true)
    else if ((await tx.run(REMOVE_ONE, id, attemptsBefore)) > 0) removed.set(id, false)
  }
  await addUsagePerAccount(
    tx,
    'deliveries',
    results.filter(({ deliveryId }) => removed.has(deliveryId)),
  )
  return removed
}

/** The next slots of each account's ring buffer, in the order of the results. */
async function takeSlots(tx: Tx, results: AttemptResult[]): Promise<number[]> {
  const counts = new Map<string, number>()
  for (const { accountId } of results) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  const heads = await tx.insert<{ account_id: string; seq: number }>(
    'history_heads',
    [...counts].map(([account_id, seq]) => ({ account_id, seq })),
    `${NEXT_SEQ} returning account_id, seq`,
  )
  const next = new Map(heads.map(head => [head.account_id, head.seq - counts.get(head.account_id)!]))
  return results.map(({ accountId }) => {
    const seq = next.get(accountId)! + 1
    next.set(accountId, seq)
    return seq % HISTORY_SLOTS
  })
}

/** Deliveries that left the queue, and whether each carried its payload. */
export type Removed = ReadonlyMap<string, boolean>

/** A result that is not the next one of its delivery removes nothing. */
export async function removeFinished(tx: Tx, results: AttemptResult[]): Promise<Removed> {
  if (results.length === 0) return new Map()
  const r = tx.values(
    { id: 'text', attempt: 'bigint' },
    results.map(result => ({ id: result.deliveryId, attempt: result.attemptsBefore })),
  )
  const named = tx.among('id', idsOf(results))
  const rows = await tx.all<{ id: string; carried: number }>(
    `delete from deliveries where (id, attempt) in (select id, attempt from ${r.sql} r)${named.sql}
     returning id, case when sealed is null then 0 else 1 end as carried`,
    ...r.params,
    ...named.params,
  )
  return new Map(rows.map(row => [row.id, row.carried === 1]))
}
