import { COUNTED } from '../page.ts'
import type { Fragment, Reader } from '../transaction.ts'

/** A dead letter is open until its event is delivered; everything that counts dead letters uses this condition. */
export const IS_OPEN = 'redelivered_at is null'

/** How many dead letters of an account, or of some of its sessions, still need attention; counted up to `COUNTED`. */
export async function countDeadLetters(
  reader: Reader,
  { accountId, sessionIds }: { accountId: string; sessionIds: readonly string[] | null },
): Promise<number> {
  const row =
    sessionIds === null
      ? await reader.get<{ n: number }>(
          `select count(*) as n from (
             select 1 as one from dead_letters where account_id = ? and ${IS_OPEN} order by id desc limit ${COUNTED}) l`,
          accountId,
        )
      : await countOfNumbers(reader, accountId, reader.ids(sessionIds))
  return row!.n
}

/** Number by number, because most dead letters of the account may be of others: SQLite keeps the order of a cross join. */
const countOfNumbers = (reader: Reader, accountId: string, numbers: Fragment): Promise<{ n: number } | undefined> =>
  reader.get<{ n: number }>(
    `select count(*) as n from (
       select 1 as one from ${numbers.sql} s cross join dead_letters l
       where l.account_id = ? and l.session_id = s.id and l.${IS_OPEN} limit ${COUNTED}) l`,
    ...numbers.params,
    accountId,
  )
