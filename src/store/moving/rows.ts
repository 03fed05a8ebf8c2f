import { countWithin } from '../count-up-to.ts'
import type { Reader, Row, Tx, Value } from '../transaction.ts'
import { changeMove, type MoveProgress } from './marks.ts'
import type { TableShape } from './tables.ts'

const AT_ONCE = 500
const MOST_BYTES = 8 * 1024 * 1024

/** The next rows of a table, in the order of its key; fewer where they are large. */
export async function readRows(reader: Reader, input: { table: TableShape; after: Value[] | null }): Promise<Row[]> {
  const { name, columns, key, bytes } = input.table
  const beyond = input.after === null ? '' : `where (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`
  const read = <R>(what: string, limit: number) =>
    reader.all<R>(
      `select ${what} from ${name} ${beyond} order by ${key.join(', ')} limit ?`,
      ...(input.after ?? []),
      limit,
    )
  if (bytes.length === 0) return await read<Row>(columns.join(', '), AT_ONCE)
  const size = bytes.map(column => `coalesce(length(${column}), 0)`).join(' + ')
  const sizes = await read<{ bytes: number }>(`${size} as bytes`, AT_ONCE)
  const count = countWithin(
    sizes.map(each => each.bytes),
    MOST_BYTES,
  )
  return count === 0 ? [] : await read<Row>(columns.join(', '), count)
}

/** Adds rows to a table, and notes in the same commit how far the move has come. */
export async function writeRows(tx: Tx, input: { table: string; rows: Row[]; progress: MoveProgress }): Promise<void> {
  await tx.insert(input.table, input.rows)
  await changeMove(tx, input.progress)
}
