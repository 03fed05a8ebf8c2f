import { BOUNDS } from '../../domain/bounds.ts'
import { laneOf, shardOf } from '../../domain/delivery.ts'
import { isEndpointId } from '../../domain/endpoint.ts'
import { CATEGORIES, type Category } from '../../domain/event.ts'
import type { Reader, Tx, Value } from '../transaction.ts'
import { IS_OPEN } from '../deliveries/dead-letters.ts'
import { PAST_DELIVERY, type PastDelivery, queueAgain, readUrls } from '../deliveries/queue-again.ts'

/** `dead` resends dead letters; `failed` retries deliveries now that wait for their next attempt. */
export const REPLAY_FILTERS = ['dead', 'failed'] as const
export type ReplayFilter = (typeof REPLAY_FILTERS)[number]

export interface Replay {
  id: string
  accountId: string
  webhookId: string
  filter: ReplayFilter
  sinceMs: number
  untilMs: number
  state: 'running' | 'done' | 'cancelled'
  /** Deliveries found when the job was created, and those queued so far. */
  total: number
  done: number
  /** Of those: how many were delivered, and how many are dead again. */
  delivered: number
  failed: number
  createdAt: number
  updatedAt: number
}

const REPLAY = `select id, account_id as "accountId", webhook_id as "webhookId", filter, since as "sinceMs",
  until as "untilMs", state, total, done, delivered, failed, created_at as "createdAt", updated_at as "updatedAt" from replays`

/** The categories with a URL. */
async function openCategories(tx: Tx, webhookId: string): Promise<Category[]> {
  const webhook = await readUrls(tx, webhookId)
  return webhook?.active === 1 ? CATEGORIES.filter(category => webhook[category] !== '') : []
}

/** The numbers of an endpoint. It gets no past events of others: a key of those numbers may have set its URL. `null`: all. */
async function numbersOf(tx: Tx, webhookId: string): Promise<string[] | null> {
  if (!isEndpointId(webhookId)) return null
  const row = await tx.get<{ ids: string | null }>('select session_ids as ids from endpoints where id = ?', webhookId)
  return row?.ids ? (JSON.parse(row.ids) as string[]) : null
}

export interface NewReplay {
  id: string
  accountId: string
  webhookId: string
  filter: ReplayFilter
  sinceMs: number
  untilMs: number
}

export type CreatedReplay =
  | { kind: 'created'; replay: Replay }
  /** The webhook has a running job. */
  | { kind: 'running'; replayId: string }
  /** The account's limit of running jobs is reached. */
  | { kind: 'too_many' }
  /** The webhook is not active, or has no URL. */
  | { kind: 'nowhere' }

/**
 * Creates a job that resends deliveries: they are counted first, then the owner of the webhook's shard queues them in
 * batches.
 */
export async function createReplay(tx: Tx, input: NewReplay): Promise<CreatedReplay> {
  const rejection = await rejectSecond(tx, input)
  if (rejection !== undefined) return rejection
  // Deliveries that the job creates are newer than the job, so it never resends them.
  const untilMs = Math.min(input.untilMs, tx.nowMs)
  const categories = await openCategories(tx, input.webhookId)
  if (categories.length === 0) return { kind: 'nowhere' }
  const range = { ...input, untilMs }
  const end = await endOfScan(tx, range, '', COUNTED)
  const of = { categories, numbers: await numbersOf(tx, input.webhookId) }
  const { sql, params } = candidates(tx, range, { after: '', end }, of)
  const { n } = (await tx.get<{ n: number }>(`select count(*) as n ${sql}`, ...params))!
  await tx.insert('replays', [
    {
      id: input.id,
      account_id: input.accountId,
      webhook_id: input.webhookId,
      shard: shardOf(input.webhookId),
      filter: input.filter,
      since: input.sinceMs,
      until: untilMs,
      state: n === 0 && end === undefined ? 'done' : 'running',
      total: n,
      done: 0,
      delivered: 0,
      failed: 0,
      after_id: '',
      created_at: tx.nowMs,
      updated_at: tx.nowMs,
    },
  ])
  await dropFinished(tx, input.accountId)
  tx.notify({ about: 'replays' })
  return { kind: 'created', replay: (await getReplay(tx, input.id))! }
}

/** The lock puts concurrent requests of an account in order, so that the limit holds. */
async function rejectSecond(
  tx: Tx,
  { accountId, webhookId }: NewReplay,
): Promise<Exclude<CreatedReplay, { kind: 'created' }> | undefined> {
  await tx.get(`select id from accounts where id = ?${tx.forUpdate}`, accountId)
  const running = await tx.all<{ id: string; webhookId: string }>(
    `select id, webhook_id as "webhookId" from replays where account_id = ? and state = 'running'`,
    accountId,
  )
  const same = running.find(job => job.webhookId === webhookId)
  if (same !== undefined) return { kind: 'running', replayId: same.id }
  return running.length >= BOUNDS.runningReplays ? { kind: 'too_many' } : undefined
}

async function dropFinished(tx: Tx, accountId: string): Promise<void> {
  await tx.run(
    `delete from replays where account_id = ? and state <> 'running' and id not in (
       select id from replays where account_id = ? and state <> 'running' order by id desc limit ?)`,
    accountId,
    accountId,
    BOUNDS.finishedReplaysKept,
  )
}

type Range = Pick<Replay, 'accountId' | 'webhookId' | 'filter' | 'sinceMs' | 'untilMs'>

/** The last dead letter of each event and receiver, unless the event is under way to it again. */
export const LAST_DEAD_LETTER = `h.${IS_OPEN} and not exists (
  select 1 from deliveries d where d.event_id = h.event_id and d.webhook_id = h.webhook_id and d.sealed is null)
  and not exists (select 1 from dead_letters later
    where later.event_id = h.event_id and later.webhook_id = h.webhook_id and later.id > h.id)`

/** The latest deliveries in the queue: a job reads no more of them than the history shows. */
const LATEST = `(select * from deliveries where account_id = ? order by id desc limit ${BOUNDS.historyEntries})`

/** Recorded deliveries that have failed and wait for their next attempt. */
export const WAITING = 'h.attempt > 0 and h.event_type is not null and h.given_up_at is null and h.due_at > ?'

/** Dead letters that are read when a job is created, and for each batch. */
const COUNTED = 1_000
const SCANNED = 500

/** The last dead letter that is read, found with an index-only scan; `undefined` if all are read. */
async function endOfScan(tx: Tx, range: Range, afterId: string, scanned: number): Promise<string | undefined> {
  if (range.filter !== 'dead') return undefined
  const row = await tx.get<{ id: string }>(
    `select id from dead_letters where webhook_id = ? and id > ? order by id limit 1 offset ${scanned - 1}`,
    range.webhookId,
    afterId,
  )
  return row?.id
}

function candidates(
  tx: Tx,
  range: Range,
  { after, end }: { after: string; end: string | undefined },
  { categories, numbers }: { categories: Category[]; numbers: string[] | null },
): { sql: string; params: Value[] } {
  const isDead = range.filter === 'dead'
  return {
    sql: `from ${isDead ? 'dead_letters h join events e on e.id = h.event_id' : `${LATEST} h`}
      where h.webhook_id = ? and h.account_id = ? and ${isDead ? LAST_DEAD_LETTER : WAITING}
        and h.created_at between ? and ? and h.id > ? ${end === undefined ? '' : 'and h.id <= ?'}
        and h.category in (${categories.map(() => '?').join(', ')})
        ${numbers === null ? '' : `and h.session_id in (${numbers.map(() => '?').join(', ')})`}`,
    params: [
      ...(isDead ? [] : [range.accountId]),
      range.webhookId,
      range.accountId,
      ...(isDead ? [] : [tx.nowMs]),
      range.sinceMs,
      range.untilMs,
      after,
      ...(end === undefined ? [] : [end]),
      ...categories,
      ...(numbers ?? []),
    ],
  }
}

/** Queues the next batch of a job; returns whether there is more. A job whose webhook is off is cancelled. */
export async function advanceReplay(tx: Tx, input: { id: string; limit: number }): Promise<boolean> {
  const job = await tx.get<Replay & { after_id: string }>(
    `select id, account_id as "accountId", webhook_id as "webhookId", filter, since as "sinceMs", until as "untilMs",
       state, after_id from replays where id = ?${tx.forUpdate}`,
    input.id,
  )
  if (job === undefined || job.state !== 'running') return false
  const categories = await openCategories(tx, job.webhookId)
  if (categories.length === 0) {
    await cancelReplay(tx, job.id)
    return false
  }
  const end = await endOfScan(tx, job, job.after_id, SCANNED)
  const of = { categories, numbers: await numbersOf(tx, job.webhookId) }
  const { sql, params } = candidates(tx, job, { after: job.after_id, end }, of)
  const entries = await tx.all<PastDelivery>(
    `select ${PAST_DELIVERY} ${sql} order by h.id limit ?`,
    ...params,
    input.limit,
  )
  if (job.filter === 'dead') await queueAgain(tx, entries, 'replay')
  else await bringForward(tx, entries)
  const isFull = entries.length === input.limit
  const more = isFull || end !== undefined
  await tx.run(
    `update replays set done = done + ?, total = case when total < done + ? then done + ? else total end, after_id = ?,
       state = ?, updated_at = ? where id = ?`,
    entries.length,
    entries.length,
    entries.length,
    (isFull ? undefined : end) ?? entries.at(-1)?.id ?? job.after_id,
    more ? 'running' : 'done',
    tx.nowMs,
    input.id,
  )
  return more
}

/** Makes the waiting deliveries due: a second delivery of the same event would be a duplicate for the receiver. */
async function bringForward(tx: Tx, entries: PastDelivery[]): Promise<void> {
  if (entries.length === 0) return
  const r = tx.ids(entries.map(({ id }) => id))
  await tx.run(
    `update deliveries set due_at = ? where due_at > ? and id in (select r.id from ${r.sql} r)`,
    tx.nowMs,
    tx.nowMs,
    ...r.params,
  )
  const lanes = new Set(
    entries.map(entry => laneOf(entry.webhook_id, { category: entry.category, sessionId: entry.session_id })),
  )
  for (const lane of lanes) tx.notify({ about: 'deliveries', lane, dueAt: tx.nowMs })
}

/** Deliveries that are queued already stay. */
export async function cancelReplay(tx: Tx, id: string): Promise<Replay | undefined> {
  await tx.run(
    "update replays set state = 'cancelled', updated_at = ? where id = ? and state = 'running'",
    tx.nowMs,
    id,
  )
  return await getReplay(tx, id)
}

export async function getReplay(reader: Reader, id: string): Promise<Replay | undefined> {
  return await reader.get<Replay>(`${REPLAY} where id = ?`, id)
}

/** Running jobs with their shards. */
export async function listRunningReplays(reader: Reader): Promise<Array<{ id: string; shard: number }>> {
  return await reader.all("select id, shard from replays where state = 'running' order by id limit 1000")
}
