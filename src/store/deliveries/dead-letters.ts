import { COUNTED } from '../page.ts'
import type { Reader } from '../transaction.ts'

/** A dead letter is open until its event is delivered; everything that counts dead letters uses this condition. */
export const IS_OPEN = 'redelivered_at is null'

/** How many dead letters of an account, or of some of its sessions, still need attention; counted up to `COUNTED`. */
export async function countDeadLetters(
  reader: Reader,
  { accountId, sessionIds }: { accountId: string; sessionIds: readonly string[] | null },
): Promise<number> {
  const allowed = sessionIds === null ? null : reader.ids(sessionIds)
  const row = await reader.get<{ n: number }>(
    `select count(*) as n from (
       select 1 as one from dead_letters
       where account_id = ? and ${IS_OPEN}${allowed === null ? '' : ` and session_id in (select s.id from ${allowed.sql} s)`}
       limit ${COUNTED}) l`,
    accountId,
    ...(allowed?.params ?? []),
  )
  return row!.n
}
