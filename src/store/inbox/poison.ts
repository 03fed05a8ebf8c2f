import { BOUNDS } from '../../domain/bounds.ts'
import type { Reader, Tx } from '../transaction.ts'
import { COUNTED } from '../page.ts'

const KEPT = "reason = 'poison' and sealed is not null"

/** A batch may bring several. */
const BATCH = 256

/**
 * Senders decide how many items cannot be interpreted: only the latest bodies of each number are kept, the rest is
 * counted.
 */
export async function boundPoison(tx: Tx, sessionIds: string[]): Promise<void> {
  for (const sessionId of [...new Set(sessionIds)].sort()) {
    await tx.run(
      `update inbox set sealed = null where session_id = ? and key in (
         select key from inbox where session_id = ? and ${KEPT}
         order by done_at desc, seq desc limit ${BATCH} offset ${BOUNDS.poisonKept})`,
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

/** Abandoned items: how many in total, and the numbers with the most. */
export async function readPoison(reader: Reader): Promise<{ total: number; numbers: PoisonCount[] }> {
  const all = await reader.get<{ n: number }>(`select count(*) as n from ${POISON}`)
  const numbers = await reader.all<PoisonCount>(
    `select session_id as "sessionId", count(*) as n, max(done_at) as "lastAt" from ${POISON}
     group by session_id order by n desc, session_id limit ${NUMBERS_SHOWN}`,
  )
  return { total: all!.n, numbers }
}
