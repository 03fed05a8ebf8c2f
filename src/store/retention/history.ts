import type { Plan } from '../../domain/account.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import { firstIdAt } from '../../domain/ids.ts'
import { deliveriesKeptMs } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'
import { dropReplaced } from '../deliveries/replaced-dead-letters.ts'

const DEAD_LETTERS_PER_SLICE = 200
const DAY_MS = 86_400_000

/** What one slice did: the account to go on behind, `null` at the end, and the dead letters that went before their time. */
export interface Swept {
  next: string | null
  dropped: Array<{ accountId: string; because: 'number' | 'size'; deadLetters: number }>
}

/**
 * Drops what the plans of some accounts no longer keep, dead letters with their payloads. In slices, so that no commit is
 * long.
 */
export async function dropExpiredHistory(tx: Tx, input: { afterAccountId: string; accounts: number }): Promise<Swept> {
  let through = input.afterAccountId
  const dropped: Swept['dropped'] = []
  const accounts = await tx.all<{ id: string; plan: Plan }>(
    'select id, plan from accounts where id > ? order by id limit ?',
    input.afterAccountId,
    input.accounts,
  )
  for (const { id, plan } of accounts) {
    const oldest = tx.nowMs - deliveriesKeptMs(plan)
    await tx.run('delete from history where account_id = ? and created_at < ?', id, oldest)
    await tx.run("delete from replays where account_id = ? and state <> 'running' and updated_at < ?", id, oldest)
    const outlived = await dropExpiredRows(tx, id, oldest)
    const beyond = await dropBeyond(tx, id)
    await dropUnneeded(tx, [...new Set([...outlived, ...beyond].map(dead => dead.event_id))])
    const heavy = await dropHeavy(tx, id)
    const replaced = await dropReplaced(tx, { accountId: id, oldestMs: oldest, slice: DEAD_LETTERS_PER_SLICE })
    if (beyond.length > 0) dropped.push({ accountId: id, because: 'number', deadLetters: beyond.length })
    if (heavy.deadLetters > 0) dropped.push({ accountId: id, because: 'size', deadLetters: heavy.deadLetters })
    if (Math.max(outlived.length, beyond.length, heavy.events, replaced) === DEAD_LETTERS_PER_SLICE)
      return { next: through, dropped }
    through = id
  }
  return { next: accounts.length < input.accounts ? null : through, dropped }
}

async function dropExpiredRows(tx: Tx, accountId: string, oldest: number): Promise<Array<{ event_id: string }>> {
  return await tx.all<{ event_id: string }>(
    `delete from dead_letters where id in (
       select id from dead_letters where account_id = ? and id < ? and created_at < ? order by id
       limit ${DEAD_LETTERS_PER_SLICE})
     returning event_id`,
    accountId,
    // Ids are in the order of time: what is younger need not be looked at.
    firstIdAt('dlv', oldest + DAY_MS),
    oldest,
  )
}

/** Whoever writes to a number whose endpoint is down makes dead letters: the latest are kept and no more. */
async function dropBeyond(tx: Tx, accountId: string): Promise<Array<{ event_id: string }>> {
  return await tx.all<{ event_id: string }>(
    `delete from dead_letters where id in (
       select id from dead_letters where account_id = ? order by id desc
       limit ${DEAD_LETTERS_PER_SLICE} offset ${BOUNDS.deadLetters})
     returning event_id`,
    accountId,
  )
}

/**
 * Files of dead letters fill the disk: the oldest go, and their dead letters. Whatever still waits for an endpoint is not
 * touched and not counted: the schedule of its attempts ends it.
 */
async function dropHeavy(tx: Tx, accountId: string): Promise<{ events: number; deadLetters: number }> {
  // The index alone answers this, and for nearly everybody that is all.
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
    DEAD_LETTERS_PER_SLICE,
  )
  if (oldest.length === 0) return { events: 0, deadLetters: 0 }
  const r = tx.ids(oldest.map(({ id }) => id))
  // One may have been sent again in the meantime: then it waits.
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
