import type { Reader, Tx } from '../transaction.ts'
import { getSetting } from '../settings/settings.ts'

/** How far a move has come, kept in the database that is moved to. */
export interface MoveProgress {
  /** What tells the data that is moved from any other. */
  from: string
  /** Of the tables that were begun: the key of the last row, how many there are, and whether it is complete. */
  tables: Record<string, { after: string | null; rows: number; isWhole: boolean }>
}

const MOVING = 'moving'
const MOVED_TO = 'moved_to'
const KEY_CHECK = 'key_check'

/** What a database is in the middle of, or what has become of it. */
export interface MoveMarks {
  /** It is being filled. */
  progress: MoveProgress | undefined
  /** Its data is at home somewhere else. */
  movedTo: string | undefined
  isEmpty: boolean
  /** What tells this data from any other. */
  identity: string | undefined
}

export async function readMarks(reader: Reader): Promise<MoveMarks> {
  const progress = await getSetting(reader, MOVING)
  const account = await reader.get('select id from accounts limit 1')
  return {
    progress: progress === undefined ? undefined : (JSON.parse(progress) as MoveProgress),
    movedTo: await getSetting(reader, MOVED_TO),
    isEmpty: account === undefined,
    identity: await getSetting(reader, KEY_CHECK),
  }
}

/** From here on the database belongs to the move; what a first look at it has settled makes room. */
export async function beginMove(tx: Tx, from: string): Promise<void> {
  await tx.run('delete from settings')
  const progress: MoveProgress = { from, tables: {} }
  await tx.insert('settings', [
    { name: MOVING, value: JSON.stringify(progress) },
    { name: KEY_CHECK, value: from },
  ])
}

export async function changeMove(tx: Tx, progress: MoveProgress): Promise<void> {
  await tx.run('update settings set value = ? where name = ?', JSON.stringify(progress), MOVING)
}

/** The database is whole, and nobody holds anything of it. */
export async function endMove(tx: Tx): Promise<void> {
  await tx.run('delete from settings where name = ?', MOVING)
}

/** The data lives elsewhere now: two gateways on the same numbers would ruin each other's keys. */
export async function markMoved(tx: Tx, to: string): Promise<void> {
  await takeBackMove(tx)
  await tx.insert('settings', [{ name: MOVED_TO, value: to }])
}

export async function takeBackMove(tx: Tx): Promise<void> {
  await tx.run('delete from settings where name = ?', MOVED_TO)
}
