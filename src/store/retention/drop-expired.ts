import { firstIdAt } from '../../domain/ids.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import { dropSilentLeaseOwners } from '../leases/lease-owners.ts'
import type { Tx, Value } from '../transaction.ts'
import { tryJobLock } from './job-lock.ts'

/** Rows that one transaction deletes from each table: it stays short, so that no other transaction waits for it. */
const BATCH = 250
const MESSAGE_BATCH = 500
const METER_BATCH = 1_000
/** Payloads and the parts of files are large. */
const PAYLOAD_BATCH = 50
const PART_BATCH = 32
const HOUR_MS = 3_600_000

interface Old {
  table: string
  /** An indexed column; rows with a value before `before` are deleted. */
  time: string
  before: number
  atMost: number
}

/** Deletes a batch of expired rows. Returns whether there may be more. */
export async function dropExpired(tx: Tx): Promise<boolean> {
  if (!(await tryJobLock(tx, 'drop_expired'))) return false
  const expired = (table: string): Old => ({ table, time: 'expires_at', before: tx.nowMs, atMost: BATCH })
  const firstHour = Math.floor((tx.nowMs - KEPT_MS.usageHours) / HOUR_MS)
  const more = await dropOld(tx, [
    expired('message_contents'),
    expired('answers'),
    expired('traces'),
    expired('requests'),
    expired('portal_sessions'),
    expired('sign_in_links'),
    { ...expired('sandbox_payloads'), atMost: PAYLOAD_BATCH },
    { table: 'api_log', time: 'until_at', before: tx.nowMs - KEPT_MS.apiLog, atMost: PAYLOAD_BATCH },
    { ...expired('listened_events'), atMost: PAYLOAD_BATCH },
    expired('listeners'),
    { table: 'erasures', time: 'finished_at', before: tx.nowMs - KEPT_MS.erasures, atMost: BATCH },
    { table: 'history_jobs', time: 'created_at', before: tx.nowMs - KEPT_MS.historyJobs, atMost: BATCH },
    { ...expired('usage_hours'), time: 'hour', before: firstHour },
  ])
  return (await dropUploads(tx)) || more
}

/** Deletes the oldest rows of these tables. Returns whether there may be more. */
async function dropOld(tx: Tx, olds: Old[]): Promise<boolean> {
  let more = false
  for (const { table, time, before, atMost } of olds) {
    const removed = await deleteSome(tx, { table, where: `${time} < ?`, order: time, atMost }, before)
    more ||= removed === atMost
  }
  return more
}

interface Some {
  table: string
  where: string
  /** An indexed column, so that no other rows are read. */
  order?: string
  atMost: number
}

/** Deletes some rows, except those that other transactions have locked, by their physical place. */
export async function deleteSome(tx: Tx, { table, where, order, atMost }: Some, ...params: Value[]): Promise<number> {
  const found = (place: string): string =>
    `select ${place} from ${table} where ${where}${order === undefined ? '' : ` order by ${order}`} limit ${atMost}${tx.skipLocked}`
  const these = tx.dialect === 'postgres' ? `ctid = any(array(${found('ctid')}))` : `rowid in (${found('rowid')})`
  return await tx.run(`delete from ${table} where ${these}`, ...params)
}

/**
 * Deletes parts of one expired file, and the file with its last part; no request finds the file from then on. `false`:
 * there is none, or other transactions have locked the rest of it.
 */
async function dropUploads(tx: Tx): Promise<boolean> {
  const expired = await tx.get<{ id: string }>(
    `select id from uploads where expires_at <= ? order by expires_at limit 1${tx.skipLocked}`,
    tx.nowMs,
  )
  if (expired === undefined) return false
  await tx.run('update uploads set parts = 0, expires_at = 0 where id = ?', expired.id)
  const parts = { table: 'upload_parts', where: 'upload_id = ?', atMost: PART_BATCH }
  const removed = await deleteSome(tx, parts, expired.id)
  const removedFiles = await tx.run(
    'delete from uploads where id = ? and not exists (select 1 from upload_parts p where p.upload_id = uploads.id)',
    expired.id,
  )
  return removed + removedFiles > 0
}

/**
 * Reads a batch of the oldest messages after `afterId` and deletes those that are expired, with their states; messages
 * that wait to be sent stay. Returns the last id that was read, `null` at the end.
 */
export async function dropMessages(tx: Tx, input: { afterId: string }): Promise<string | null> {
  if (!(await tryJobLock(tx, 'drop_messages'))) return null
  // Ids are in the order of time.
  const oldest = await tx.all<{ id: string; state: string }>(
    `select id, state from messages where id > ? and id < ? order by id limit ${MESSAGE_BATCH}`,
    input.afterId,
    firstIdAt('msg', tx.nowMs - KEPT_MS.messages),
  )
  const ended = oldest.filter(({ state }) => state !== 'scheduled' && state !== 'queued').map(({ id }) => id)
  if (ended.length > 0) {
    const r = tx.ids(ended)
    await tx.run(`delete from messages where id in (select r.id from ${r.sql} r)`, ...r.params)
    await tx.run(`delete from message_states where message_id in (select r.id from ${r.sql} r)`, ...r.params)
  }
  return oldest.length < MESSAGE_BATCH ? null : oldest.at(-1)!.id
}

/**
 * Reads a batch of request meters after `afterId` and deletes those that were not used for long. Meters are updated with
 * every request, so no index has their time. Returns the last id that was read, `null` at the end.
 */
export async function dropMeters(tx: Tx, input: { afterId: string }): Promise<string | null> {
  if (!(await tryJobLock(tx, 'drop_meters'))) return null
  const before = tx.nowMs - KEPT_MS.requestMeters
  const meters = await tx.all<{ id: string; tokens_at: number }>(
    `select id, tokens_at from request_meters where id > ? order by id limit ${METER_BATCH}`,
    input.afterId,
  )
  const unused = meters.filter(({ tokens_at }) => tokens_at < before).map(({ id }) => id)
  if (unused.length > 0) {
    const r = tx.ids(unused)
    await tx.run(
      `delete from request_meters where id in (
         select id from request_meters where id in (select r.id from ${r.sql} r) and tokens_at < ?${tx.skipLocked})`,
      ...r.params,
      before,
    )
  }
  return meters.length < METER_BATCH ? null : meters.at(-1)!.id
}

/** Deletes a batch of expired rows that hosting leaves behind. Returns whether there may be more. */
export async function dropExpiredHosting(tx: Tx): Promise<boolean> {
  if (!(await tryJobLock(tx, 'drop_hosting'))) return false
  const old = (table: string, time: string, keptMs: number): Old => ({
    table,
    time,
    before: tx.nowMs - keptMs,
    atMost: BATCH,
  })
  const more = await dropOld(tx, [
    old('unfinished_messages', 'tried_at', KEPT_MS.unfinishedMessages),
    old('sent_messages', 'expires_at', 0),
    old('first_messages', 'at', KEPT_MS.firstMessages),
    old('pairings', 'expires_at', KEPT_MS.pairings),
  ])
  await dropSilentLeaseOwners(tx, tx.nowMs - KEPT_MS.hosts)
  return (await dropLeases(tx)) || more
}

/** Deletes leases of deleted numbers. The delete repeats the condition, since a number may be linked again meanwhile. */
async function dropLeases(tx: Tx): Promise<boolean> {
  const before = tx.nowMs - KEPT_MS.leases
  const removed = await tx.run(
    `delete from leases where kind = 'session' and changed_at < ? and owner is null and id in (
       select l.id from leases l where l.kind = 'session' and l.changed_at < ? and l.owner is null
         and not exists (select 1 from sessions s where s.id = l.id) limit ${BATCH})`,
    before,
    before,
  )
  return removed === BATCH
}
