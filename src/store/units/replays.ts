import { shardOf } from '../../domain/delivery.ts'
import { GatewayError, invalid, notFound } from '../../domain/errors.ts'
import { CATEGORIES, type Category, type EventKind, type HistoryType } from '../../domain/event.ts'
import { makeId } from '../../domain/ids.ts'
import type { Reader, Tx, Value } from '../tx.ts'
import { insertDeliveries, type NewDelivery } from './events.ts'

/** What can be sent again: dead letters, or deliveries that wait for their next attempt. */
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
  /** Deliveries found when the job was made, and those of them put into the queue by now. */
  total: number
  done: number
  createdAt: number
  updatedAt: number
}

const REPLAY = `select id, account_id as "accountId", webhook_id as "webhookId", filter, since as "sinceMs",
  until as "untilMs", state, total, done, created_at as "createdAt", updated_at as "updatedAt" from replays`

interface EntryRow {
  id: string
  event_id: string
  account_id: string
  session_id: string
  webhook_id: string
  kind: EventKind
  category: Category
  event_type: HistoryType | null
  dedupe_id: string
  redacted: string
}

const ENTRY = `h.id, h.event_id, h.account_id, h.session_id, h.webhook_id, h.kind, h.category, h.event_type,
  h.dedupe_id, h.redacted`

/** A new delivery of the same event. Refused with the reason where that cannot be. */
export async function resendDelivery(tx: Tx, deliveryId: string): Promise<string> {
  const entry =
    (await tx.get<EntryRow>(`select ${ENTRY} from history h where h.id = ?`, deliveryId)) ??
    (await tx.get<EntryRow>(`select ${ENTRY} from dead_letters h where h.id = ?`, deliveryId))
  if (entry === undefined) throw notFound('delivery')
  const webhook = await readUrls(tx, entry.webhook_id)
  if (webhook === undefined) throw invalid('the webhook of this delivery was deleted')
  if (webhook.active !== 1) throw invalid('the webhook of this delivery is not active')
  if (webhook[entry.category] === '') throw invalid(`${entry.category}_url of the webhook is empty`)
  const [id] = await queueAgain(tx, [entry], 'resend')
  if (id === undefined) throw invalid('the payload of this delivery is no longer kept: the event was delivered')
  return id
}

type Urls = Record<Category, string> & { active: number }

async function readUrls(tx: Tx, webhookId: string): Promise<Urls | undefined> {
  return await tx.get<Urls>(
    `select messages_url as messages, status_url as status, connection_url as connection, events_url as events, active
     from webhooks where id = ?`,
    webhookId,
  )
}

/** The categories that anything can be sent for now. */
async function openCategories(tx: Tx, webhookId: string): Promise<Category[]> {
  const webhook = await readUrls(tx, webhookId)
  return webhook?.active === 1 ? CATEGORIES.filter(category => webhook[category] !== '') : []
}

/** Deliveries whose payload is still there go into the queue once more; answers the new ids. */
async function queueAgain(tx: Tx, entries: EntryRow[], origin: 'resend' | 'replay'): Promise<string[]> {
  if (entries.length === 0) return []
  const r = tx.values(
    { id: 'text' },
    [...new Set(entries.map(entry => entry.event_id))].sort().map(id => ({ id })),
  )
  const kept = await tx.all<{ id: string }>(
    `update events set pending = pending + 1 from ${r.sql} r where events.id = r.id returning events.id`,
    ...r.params,
  )
  // Once for each event, however many of its deliveries are asked for.
  const open = new Set(kept.map(row => row.id))
  const deliveries = entries.filter(entry => open.delete(entry.event_id)).map(entry => toDelivery(tx, entry, origin))
  await insertDeliveries(tx, deliveries)
  return deliveries.map(delivery => delivery.id)
}

const toDelivery = (tx: Tx, entry: EntryRow, origin: 'resend' | 'replay'): NewDelivery => ({
  id: makeId('dlv', tx.nowMs),
  eventId: entry.event_id,
  accountId: entry.account_id,
  sessionId: entry.session_id,
  webhookId: entry.webhook_id,
  kind: entry.kind,
  category: entry.category,
  historyType: entry.event_type,
  dedupeId: entry.dedupe_id,
  origin,
  redacted: entry.redacted,
})

export interface NewReplay {
  id: string
  accountId: string
  webhookId: string
  filter: ReplayFilter
  sinceMs: number
  untilMs: number
}

/** A job that sends deliveries again: counted first, then worked off in slices by whoever owns the webhook's shard. */
export async function createReplay(tx: Tx, input: NewReplay): Promise<Replay> {
  // What the job itself brings about is newer than the job, so it never feeds on its own.
  const untilMs = Math.min(input.untilMs, tx.nowMs)
  const categories = await openCategories(tx, input.webhookId)
  if (categories.length === 0) throw invalid('the webhook is not active or has no URL: nothing could be sent')
  const { sql, params } = candidates({ ...input, untilMs }, '', categories)
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
      state: n === 0 ? 'done' : 'running',
      total: n,
      done: 0,
      after_id: '',
      created_at: tx.nowMs,
      updated_at: tx.nowMs,
    },
  ])
  tx.notify('deliveries', 'replays')
  return (await tx.get<Replay>(`${REPLAY} where id = ?`, input.id))!
}

type Range = Pick<Replay, 'accountId' | 'webhookId' | 'filter' | 'sinceMs' | 'untilMs'>

/** Of an event that has died several times the last letter, and only where it is not on its way again already. */
const LAST_LETTER = `h.redelivered_at is null and e.pending = 0 and not exists (
  select 1 from dead_letters later where later.event_id = h.event_id and later.id > h.id)`

function candidates(range: Range, afterId: string, categories: Category[]): { sql: string; params: Value[] } {
  const table = range.filter === 'dead' ? 'dead_letters h' : 'history h'
  const state = range.filter === 'dead' ? LAST_LETTER : "h.status = 'failed'"
  return {
    sql: `from ${table} join events e on e.id = h.event_id
      where h.webhook_id = ? and h.account_id = ? and ${state} and h.created_at between ? and ? and h.id > ?
        and h.category in (${categories.map(() => '?').join(', ')})`,
    params: [range.webhookId, range.accountId, range.sinceMs, range.untilMs, afterId, ...categories],
  }
}

/** The next slice of a job; answers whether there is more. One whose webhook is off by now is cancelled. */
export async function advanceReplay(tx: Tx, input: { id: string; slice: number }): Promise<boolean> {
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
  const { sql, params } = candidates(job, job.after_id, categories)
  const entries = await tx.all<EntryRow>(`select ${ENTRY} ${sql} order by h.id limit ?`, ...params, input.slice)
  await queueAgain(tx, entries, 'replay')
  const more = entries.length === input.slice
  await tx.run(
    'update replays set done = done + ?, after_id = ?, state = ?, updated_at = ? where id = ?',
    entries.length,
    entries.at(-1)?.id ?? job.after_id,
    more ? 'running' : 'done',
    tx.nowMs,
    input.id,
  )
  return more
}

/** What is in the queue by now stays there. */
export async function cancelReplay(tx: Tx, id: string): Promise<Replay> {
  await tx.run(
    "update replays set state = 'cancelled', updated_at = ? where id = ? and state = 'running'",
    tx.nowMs,
    id,
  )
  const replay = await tx.get<Replay>(`${REPLAY} where id = ?`, id)
  if (replay === undefined) throw new GatewayError('not_found', 'replay not found')
  return replay
}

export async function getReplay(reader: Reader, id: string): Promise<Replay | undefined> {
  return await reader.get<Replay>(`${REPLAY} where id = ?`, id)
}

/** Jobs to be worked off, with their shards. */
export async function listRunningReplays(reader: Reader, _input: null): Promise<Array<{ id: string; shard: number }>> {
  return await reader.all("select id, shard from replays where state = 'running' order by id limit 1000")
}
