import { BOUNDS } from '../../domain/bounds.ts'
import type { Reader, Tx } from '../transaction.ts'
import { COUNTED } from '../page.ts'

const KEPT = "reason = 'poison' and sealed is not null"

/** More than one comes at once where a batch brings them. */
const AT_ONCE = 256

/** Others decide how much cannot be read: of each of these numbers the latest bodies stay, the rest is only counted. */
export async function boundPoison(tx: Tx, sessionIds: string[]): Promise<void> {
  for (const sessionId of [...new Set(sessionIds)].sort()) {
    await tx.run(
      `update inbox set sealed = null where session_id = ? and key in (
         select key from inbox where session_id = ? and ${KEPT}
         order by done_at desc, seq desc limit ${AT_ONCE} offset ${BOUNDS.poisonKept})`,
      sessionId,
      sessionId,
    )
  }
}

export interface PoisonCount {
  sessionId: string
  n: number
  lastAt: number
}

const NUMBERS_SHOWN = 100
const POISON = `(select session_id, done_at from inbox where reason = 'poison' order by session_id limit ${COUNTED}) p`

/** Received items that were given up and are kept: how many in all, and of which numbers the most. */
export async function readPoison(reader: Reader): Promise<{ total: number; numbers: PoisonCount[] }> {
  const all = await reader.get<{ n: number }>(`select count(*) as n from ${POISON}`)
  const numbers = await reader.all<PoisonCount>(
    `select session_id as "sessionId", count(*) as n, max(done_at) as "lastAt" from ${POISON}
     group by session_id order by n desc, session_id limit ${NUMBERS_SHOWN}`,
  )
  return { total: all!.n, numbers }
}
