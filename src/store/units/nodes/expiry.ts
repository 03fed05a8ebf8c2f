import { firstIdAt } from '../../../domain/ids.ts'
import type { Tx } from '../../tx.ts'
import { dropRequestMeters } from '../accounts/request-meters.ts'
import { dropExpiredRequests } from '../requests/requests.ts'
import { dropSandboxPayloads } from '../sandbox/sandbox-payloads.ts'

const SLICE = 1_000
/** Idempotency keys are kept at least 30 days; the message's record goes with its key. */
const MESSAGES_KEPT_MS = 90 * 86_400_000

/** Deletes what is past its time, a slice at a call so that nobody waits long behind it. */
export async function dropExpired(tx: Tx): Promise<number> {
  const contents = await tx.run(
    `delete from message_contents where message_id in (
       select message_id from message_contents where expires_at < ? limit ${SLICE})`,
    tx.nowMs,
  )
  const requests = await dropExpiredRequests(tx)
  const old = await tx.all<{ id: string }>(
    `delete from messages where id in (
       select id from messages where id < ? and state not in ('scheduled', 'queued') limit ${SLICE})
     returning id`,
    firstIdAt('msg', tx.nowMs - MESSAGES_KEPT_MS),
  )
  if (old.length > 0) {
    const r = tx.values({ id: 'text' }, old)
    await tx.run(`delete from message_states where message_id in (select id from ${r.sql} r)`, ...r.params)
  }
  await dropRequestMeters(tx)
  return contents + requests + old.length + (await dropSandboxPayloads(tx))
}
