import { firstIdAt } from '../../domain/ids.ts'
import { KEPT_MS } from '../../domain/retention.ts'
import type { Tx } from '../transaction.ts'
import { tryJobLock } from './job-lock.ts'

const SLICE = 500

/**
 * Looks at some of the oldest messages, behind the one given, and drops those that are past their time with how they came
 * to their state. What still waits to be sent stays. Answers the last that was looked at, `null` at the end.
 */
export async function dropMessages(tx: Tx, input: { afterId: string }): Promise<string | null> {
  if (!(await tryJobLock(tx, 'drop_messages'))) return null
  // Ids are in the order of time.
  const oldest = await tx.all<{ id: string; state: string }>(
    `select id, state from messages where id > ? and id < ? order by id limit ${SLICE}`,
    input.afterId,
    firstIdAt('msg', tx.nowMs - KEPT_MS.messages),
  )
  const ended = oldest.filter(({ state }) => state !== 'scheduled' && state !== 'queued').map(({ id }) => id)
  if (ended.length > 0) {
    const r = tx.ids(ended)
    await tx.run(`delete from messages where id in (select r.id from ${r.sql} r)`, ...r.params)
    await tx.run(`delete from message_states where message_id in (select r.id from ${r.sql} r)`, ...r.params)
  }
  return oldest.length < SLICE ? null : oldest.at(-1)!.id
}
