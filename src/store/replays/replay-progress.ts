import { firstIdAt } from '../../domain/ids.ts'
import type { Category } from '../../domain/event.ts'
import type { Reader, Tx } from '../transaction.ts'
import { LAST_DEAD_LETTER, type Replay, type ReplayFilter, WAITING } from './replays.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { IS_OPEN } from '../deliveries/dead-letters.ts'
import type { AttemptResult } from '../deliveries/attempt-result.ts'

/** The results of the deliveries that a job has queued. */
export interface ReplayOutcome {
  delivered: number
  /** Dead again. */
  failed: number
  pending: number
}

/**
 * `undefined` for a job that only moved due times, and if a later job of the webhook has resent the dead ones. The
 * jobs of a webhook run one after the other, so the replayed deliveries since this one began are its own.
 */
export async function readReplayOutcome(reader: Reader, job: Replay): Promise<ReplayOutcome | undefined> {
  if (job.filter !== 'dead') return undefined
  const later = await reader.get(
    'select id from replays where webhook_id = ? and id > ? limit 1',
    job.webhookId,
    job.id,
  )
  if (later !== undefined) return undefined
  const first = firstIdAt('dlv', job.createdAt)
  const { n: pending } = (await reader.get<{ n: number }>(
    "select count(*) as n from deliveries where webhook_id = ? and id >= ? and origin = 'replay'",
    job.webhookId,
    first,
  ))!
  return { pending, failed: job.failed, delivered: job.delivered }
}

export interface Replayable {
  webhookId: string
  category: Category
  n: number
}

/** Dead letters of an account that are read, without their texts. */
const COUNTED = 5_000
const READ = 'id, event_id, webhook_id, category, created_at, redelivered_at'

/** The number of deliveries that a replay would send now, by webhook and category. */
export async function countReplayable(
  reader: Reader,
  range: { accountId: string; filter: ReplayFilter; sinceMs: number; untilMs: number },
): Promise<Replayable[]> {
  const now = await reader.now()
  const isDead = range.filter === 'dead'
  const from = isDead
    ? `(select ${READ} from dead_letters where account_id = ? and ${IS_OPEN} order by id desc limit ${COUNTED}) h
       join events e on e.id = h.event_id`
    : `(select * from deliveries where account_id = ? order by id desc limit ${BOUNDS.historyEntries}) h`
  return await reader.all<Replayable>(
    `select h.webhook_id as "webhookId", h.category, count(*) as n from ${from}
     where ${isDead ? LAST_DEAD_LETTER : WAITING} and h.created_at between ? and ? group by h.webhook_id, h.category`,
    range.accountId,
    ...(isDead ? [] : [now]),
    range.sinceMs,
    Math.min(range.untilMs, now),
  )
}

/**
 * Counts the results of replayed deliveries with their job, so that later results of the same events do not change it.
 * The jobs of a webhook run one after the other, so a delivery belongs to the last job before it.
 */
export async function countReplayed(tx: Tx, ended: AttemptResult[]): Promise<void> {
  const replayed = ended.filter(({ origin }) => origin === 'replay')
  for (const webhookId of [...new Set(replayed.map(result => result.webhookId))].sort()) {
    const jobs = await tx.all<{ id: string; created_at: number }>(
      `select id, created_at from replays where webhook_id = ? and filter = 'dead' order by id desc`,
      webhookId,
    )
    const counts = new Map(jobs.map(({ id }) => [id, { delivered: 0, failed: 0 }]))
    for (const { deliveryId, next } of replayed.filter(result => result.webhookId === webhookId)) {
      const job = jobs.find(({ created_at }) => firstIdAt('dlv', created_at) <= deliveryId)
      if (job) counts.get(job.id)![next.kind === 'delivered' ? 'delivered' : 'failed'] += 1
    }
    // In a fixed order, so that two transactions cannot deadlock.
    for (const [id, { delivered, failed }] of counts)
      if (delivered + failed > 0)
        await tx.run(
          'update replays set delivered = delivered + ?, failed = failed + ? where id = ?',
          delivered,
          failed,
          id,
        )
  }
}
