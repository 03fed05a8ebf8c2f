import { aboutAutoReject, aboutProxy } from '../../domain/sealed.ts'
import { getOwn } from '../../runtime/get-own.ts'
import type { Seal } from '../../store/seal.ts'
import { SEALED_COLUMNS } from '../../store/resealing/resealing.ts'
import type { Row, Value } from '../../store/transaction.ts'

type Opened = string | number | null
export type PlainRow = Record<string, Opened>

/** A row without its session, with bytes as base64 and sealed ones in plain: only the passphrase protects them then. */
export function plainRow(seal: Seal, { table, bytes }: Shape, row: Row): PlainRow {
  const entries = Object.entries(row).filter(([column]) => column !== 'session_id')
  return Object.fromEntries(
    entries.map(([column, value]): [string, Opened] => {
      if (!bytes.includes(column) || value === null) return [column, value as Opened]
      const about = aboutOf(table, column, row)
      return [column, Buffer.from(seal.open(value as Uint8Array, about)).toString('base64')]
    }),
  )
}

/** The same row, sealed under the keys of this gateway. */
export function sealedRow(seal: Seal, { table, bytes }: Shape, sessionId: string, row: PlainRow): Row {
  const named: Row = { ...row, session_id: sessionId }
  return Object.fromEntries(
    Object.entries(named).map(([column, value]): [string, Value] => {
      if (!bytes.includes(column) || value === null) return [column, value]
      return [column, seal.seal(Buffer.from(String(value), 'base64'), aboutOf(table, column, named))]
    }),
  )
}

interface Shape {
  table: string
  /** The columns that hold bytes: in the tables of a number each of them is sealed. */
  bytes: readonly string[]
}

function aboutOf(table: string, column: string, row: Row): string {
  const found = SEALED_COLUMNS.find(each => each.table === table && each.column === column)
  if (found === undefined) throw new Error(`${table}.${column} holds bytes that are not sealed`)
  return found.about.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(getOwn(row, name)))
}

/** The sealed settings of a number. */
export const SEALED_SETTINGS: Readonly<Record<string, (sessionId: string) => string>> = {
  auto_reject_message: aboutAutoReject,
  proxy: aboutProxy,
}
