import type { Plan } from '../../domain/account.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { firstIdAt } from '../../domain/ids.ts'
import { deliveriesKeptMs } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'
import { tryJobLock } from './job-lock.ts'
import { dropReplacedDeadLetters } from '../deliveries/replaced-dead-letters.ts'

const DEAD_LETTER_BATCH = 200
const DAY_MS = 86_400_000

/** One batch: the account to continue after, `null` at the end, and the dead letters that were deleted early. */
export interface DroppedHistory {
  next: string | null
  dropped: Array<{ accountId: string; because: 'number' | 'size'; deadLetters: number }>
}

/** Deletes what the plans of some accounts no longer keep, and dead letters with their payloads. */
export async function dropExpiredHistory(
  tx: Tx,
  input: { afterAccountId: string; accounts: number },
): Promise<DroppedHistory> {
  if (!(await tryJobLock(tx, 'drop_history'))) return { next: null, dropped: [] }
  let through = input.afterAccountId
  const dropped: DroppedHistory['dropped'] = []
  const accounts = await tx.all<{ id: string; plan: Plan }>(
    'select id, plan from accounts where id > ? order by id limit ?',
    input.afterAccountId,
    input.accounts,
  )
  for (const { id, plan } of accounts) {
    const oldest = tx.nowMs - deliveriesKeptMs(plan)
    await tx.run('delete from history where account_id = ? and created_at < ?', id, oldest)
    await tx.run("delete from replays where account_id = ? and state <> 'running' and updated_at < ?", id, oldest)
    const expired = await dropExpiredDeadLetters(tx, id, oldest)
    const beyond = await dropBeyond(tx, id)
    await dropUnneeded(tx, [...new Set([...expired, ...beyond].map(dead => dead.event_id))])
    const heavy = await dropHeavy(tx, id)
    const replaced = await dropReplacedDeadLetters(tx, { accountId: id, oldestMs: oldest, limit: DEAD_LETTER_BATCH })
    if (beyond.length > 0) dropped.push({ accountId: id, because: 'number', deadLetters: beyond.length })
    if (heavy.deadLetters > 0) dropped.push({ accountId: id, because: 'size', deadLetters: heavy.deadLetters })
    if (Math.max(expired.length, beyond.length, heavy.events, replaced) === DEAD_LETTER_BATCH)
      return { next: through, dropped }
    through = id
  }
  return { next: accounts.length < input.accounts ? null : through, dropped }
}

async function dropExpiredDeadLetters(tx: Tx, accountId: string, oldest: number): Promise<Array<{ event_id: string }>> {
  return await tx.all<{ event_id: string }>(
    `delete from dead_letters where id in (
       select id from dead_letters where account_id = ? and id < ? and created_at < ? order by id
       limit ${DEAD_LETTER_BATCH})
     returning event_id`,
    accountId,
    // Ids are in the order of time, so the index skips younger ones.
    firstIdAt('dlv', oldest + DAY_MS),
    oldest,
  )
}

/** Every message to a number whose endpoint is down makes a dead letter: only the latest are kept. */
async function dropBeyond(tx: Tx, accountId: string): Promise<Array<{ event_id: string }>> {
  return await tx.all<{ event_id: string }>(
    `delete from dead_letters where id in (
       select id from dead_letters where account_id = ? order by id desc
       limit ${DEAD_LETTER_BATCH} offset ${BOUNDS.deadLetters})
     returning event_id`,
    accountId,
  )
}

/**
 * Files of dead letters fill the disk: the oldest are deleted with their dead letters. Events that still wait for an
 * endpoint are neither deleted nor counted: the schedule of their attempts ends them.
 */
async function dropHeavy(tx: Tx, accountId: string): Promise<{ events: number; deadLetters: number }> {
  // An index-only scan, which is enough for nearly all accounts.
  const all = await tx.get<{ bytes: number | null }>(
    'select sum(bytes) as bytes from events where account_id = ? and bytes > 8192 and pending <= 0',
    accountId,
  )
  if (Number(all!.bytes ?? 0) <= BOUNDS.payloadBytes) return { events: 0, deadLetters: 0 }
  const oldest = await tx.all<{ id: string }>(
    `select id from (
       select id, sum(bytes) over (order by id desc) as total from events
       where account_id = ? and bytes > 8192 and pending <= 0) e
     where total > ? order by id limit ?`,
    accountId,
    BOUNDS.payloadBytes,
    DEAD_LETTER_BATCH,
  )
  if (oldest.length === 0) return { events: 0, deadLetters: 0 }
  const r = tx.ids(oldest.map(({ id }) => id))
  // One may have been resent meanwhile: it is pending then.
  const gone = await tx.all<{ id: string }>(
    `delete from events where pending <= 0 and id in (select r.id from ${r.sql} r) returning id`,
    ...r.params,
  )
  if (gone.length === 0) return { events: 0, deadLetters: 0 }
  const g = tx.ids(gone.map(({ id }) => id))
  const deadLetters = await tx.run(
    `delete from dead_letters where event_id in (select g.id from ${g.sql} g)`,
    ...g.params,
  )
  return { events: oldest.length, deadLetters }
}

async function dropUnneeded(tx: Tx, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return
  const r = tx.ids(eventIds)
  await tx.run(
    `delete from events where pending <= 0 and id in (select r.id from ${r.sql} r)
       and not exists (select 1 from dead_letters l where l.event_id = events.id)`,
    ...r.params,
  )
}
