import type { SessionLease } from '../../domain/lease.ts'
import type { FollowUpState } from '../../domain/message.ts'
import type { Tx } from '../transaction.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'

export interface EndedFollowUp {
  /** `null` only for messages of a device that nobody can host any more. */
  lease: SessionLease | null
  commandId: string
  messageId: string
  state: FollowUpState
  detail: string | null
}

/** Ends an edit or a revoke: the message's history tells what became of it, and of the last one where there were more. */
export async function endFollowUp(tx: Tx, input: EndedFollowUp): Promise<Fenced> {
  const { lease, commandId, messageId, state, detail } = input
  if (lease !== null && !(await heldLeases(tx, [lease]))(lease)) return 'lost'
  const ended = await tx.run('delete from commands where id = ?', commandId)
  if (ended === 0) return 'done'
  await tx.insert(
    'message_states',
    [{ message_id: messageId, state, recipient: '', at: tx.nowMs, detail }],
    'on conflict (message_id, state, recipient) do update set at = excluded.at, detail = excluded.detail',
  )
  await tx.run('update messages set updated_at = ? where id = ?', tx.nowMs, messageId)
  return 'done'
}
