import type { Reader } from '../transaction.ts'

/** A dead letter is open until its event is delivered; everything that counts dead letters uses this condition. */
export const IS_OPEN = 'redelivered_at is null'

/** How many dead letters of an account still need attention. */
export async function countDeadLetters(reader: Reader, accountId: string): Promise<number> {
  const row = await reader.get<{ n: number }>(
    `select count(*) as n from dead_letters where account_id = ? and ${IS_OPEN}`,
    accountId,
  )
  return row!.n
}
