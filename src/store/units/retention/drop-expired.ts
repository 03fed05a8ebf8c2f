import { firstIdAt } from '../../../domain/ids.ts'
import { KEPT_MS } from '../../../domain/retention.ts'
import type { Tx } from '../../tx.ts'
import { dropOld } from './drop-old.ts'

const SLICE = 1_000
/** Payloads are large. */
const PAYLOADS_PER_SLICE = 200

/** Deletes what is past its time, a slice at a time so that nobody waits long behind it. */
export async function dropExpired(tx: Tx): Promise<number> {
  const expired = { time: 'expires_at', beforeMs: tx.nowMs, atMost: SLICE }
  const contents = await dropOld(tx, { table: 'message_contents', key: 'message_id', ...expired })
  await tx.run('delete from answers where expires_at < ?', tx.nowMs)
  const requests = await tx.run('delete from requests where expires_at < ?', tx.nowMs)
  const messages = await dropMessages(tx)
  await tx.run('delete from request_meters where tokens_at < ?', tx.nowMs - KEPT_MS.requestMeters)
  const payloads = { table: 'sandbox_payloads', key: 'event_id', ...expired, atMost: PAYLOADS_PER_SLICE }
  return contents + requests + messages + (await dropOld(tx, payloads))
}

/** Ids are in the order of time. What still waits to be sent stays. */
async function dropMessages(tx: Tx): Promise<number> {
  const old = await tx.all<{ id: string }>(
    `delete from messages where id in (
       select id from messages where id < ? and state not in ('scheduled', 'queued') limit ${SLICE})
     returning id`,
    firstIdAt('msg', tx.nowMs - KEPT_MS.messages),
  )
  if (old.length > 0) {
    const r = tx.ids(old.map(({ id }) => id))
    await tx.run(`delete from message_states where message_id in (select id from ${r.sql} r)`, ...r.params)
  }
  return old.length
}
