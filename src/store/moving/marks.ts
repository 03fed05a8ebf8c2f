import type { Reader, Tx } from '../transaction.ts'
import { getSetting } from '../settings/settings.ts'

/** The progress of a move, stored in the target database. */
export interface MoveProgress {
  /** Identifies the data that is moved. */
  from: string
  /** For each table that was begun: the key of the last row, the number of rows, and whether it is complete. */
  tables: Record<string, { after: string | null; rows: number; isWhole: boolean }>
}

const MOVING = 'moving'
const MOVED_TO = 'moved_to'
const KEY_CHECK = 'key_check'

/** The state of a database with regard to moves. */
export interface MoveMarks {
  /** It is the target of an unfinished move. */
  progress: MoveProgress | undefined
  /** Its data was moved to this place. */
  movedTo: string | undefined
  isEmpty: boolean
  /** Identifies this data. */
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

/** Begins a move into this database, and deletes the settings that its first start created. */
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

/** The move is complete, and no process has a lease. */
export async function endMove(tx: Tx): Promise<void> {
  await tx.run('delete from settings where name = ?', MOVING)
}

/** Marks the data as moved: two gateways with the same numbers would ruin each other's keys. */
export async function markMoved(tx: Tx, to: string): Promise<void> {
  await takeBackMove(tx)
  await tx.insert('settings', [{ name: MOVED_TO, value: to }])
}

export async function takeBackMove(tx: Tx): Promise<void> {
  await tx.run('delete from settings where name = ?', MOVED_TO)
}
