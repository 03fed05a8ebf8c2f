import { limitsOf, maxNumbers } from '../../domain/account.ts'
import type { PlatformName, SessionState } from '../../domain/session.ts'
import { getAccount } from '../accounts/accounts.ts'
import { deleteSome } from '../retention/drop-expired.ts'
import { isFull, registerSession } from '../sessions/sessions.ts'
import type { Row, Tx, Value } from '../transaction.ts'
import { readMovedNumber } from './leave.ts'
import { NUMBER_TABLES } from './number-tables.ts'

export interface Arriving {
  sessionId: string
  accountId: string
  platform: PlatformName
  epoch: number
  importId: string
}

export type Begun =
  | { kind: 'begun' }
  | { kind: 'no_account' }
  /** This gateway has exported or imported this epoch of the number, or a later one. */
  | { kind: 'known'; epoch: number }
  /** The number is linked here, in this account or another one. */
  | { kind: 'linked' }
  | { kind: 'other_account' }
  /** Another import of the number is under way. */
  | { kind: 'busy' }
  | { kind: 'full'; limit: number }

/** The interval of an import's heartbeat, however slowly its file arrives. */
export const IMPORT_ALIVE_MS = 5_000
/** An import without a heartbeat for this long has died. */
const ABANDONED_MS = 30_000

/** Begins to fill the tables of a number that comes from another gateway. No host runs it until `finishImport`. */
export async function beginImport(tx: Tx, input: Arriving): Promise<Begun> {
  const { sessionId, accountId, platform, importId } = input
  const account = await getAccount(tx, accountId)
  if (account === undefined) return { kind: 'no_account' }
  const refusal = await refusalOf(tx, input)
  if (refusal !== null) return refusal
  const limit = maxNumbers(limitsOf(account), platform)
  if (await isFull(tx, { accountId, platform, maxSessions: limit })) return { kind: 'full', limit: limit! }
  const before = await tx.get<{ importingAt: number | null }>(
    'select importing_at as "importingAt" from moved_numbers where session_id = ?',
    sessionId,
  )
  if (before && before.importingAt !== null && Number(before.importingAt) > tx.nowMs - ABANDONED_MS)
    return { kind: 'busy' }
  await tx.insert(
    'moved_numbers',
    [{ session_id: sessionId, epoch: 0, exported_at: null, importing: importId, importing_at: tx.nowMs }],
    'on conflict (session_id) do update set importing = excluded.importing, importing_at = excluded.importing_at',
  )
  return { kind: 'begun' }
}

async function refusalOf(tx: Tx, { sessionId, accountId, epoch }: Arriving): Promise<Begun | null> {
  const row = await tx.get<{ accountId: string; state: SessionState }>(
    `select account_id as "accountId", state from sessions where id = ?${tx.forUpdate}`,
    sessionId,
  )
  const moved = await readMovedNumber(tx, sessionId)
  if (moved !== undefined && Number(moved.epoch) >= epoch) return { kind: 'known', epoch: Number(moved.epoch) }
  if (row !== undefined && row.accountId !== accountId) return { kind: 'other_account' }
  return row !== undefined && row.state !== 'logged_out' ? { kind: 'linked' } : null
}

/** Rows that one transaction deletes from each table, so that it stays short. */
const BATCH = 250

/** Deletes some rows of an earlier link of the number. Returns whether there may be more. */
export async function clearForImport(tx: Tx, input: { sessionId: string; importId: string }): Promise<boolean> {
  if (!(await renewImport(tx, input))) return false
  return await clearSome(tx, input.sessionId)
}

async function clearSome(tx: Tx, sessionId: string): Promise<boolean> {
  let most = 0
  for (const table of NUMBER_TABLES)
    most = Math.max(most, await deleteSome(tx, { table, where: 'session_id = ?', atMost: BATCH }, sessionId))
  return most === BATCH
}

/** Says that the import goes on. `false`: the number was linked here meanwhile, or the import counts as abandoned. */
export async function renewImport(
  tx: Tx,
  { sessionId, importId }: { sessionId: string; importId: string },
): Promise<boolean> {
  return (
    (await tx.run(
      'update moved_numbers set importing_at = ? where session_id = ? and importing = ?',
      tx.nowMs,
      sessionId,
      importId,
    )) > 0
  )
}

export interface ImportedRows {
  sessionId: string
  importId: string
  table: string
  rows: Row[]
}

/** Adds rows to a table of the number; `false` if the import has ended. */
export async function writeImported(tx: Tx, { table, rows, ...input }: ImportedRows): Promise<boolean> {
  if (!NUMBER_TABLES.includes(table) || !(await renewImport(tx, input))) return false
  await tx.insert(
    table,
    rows.map(row => ({ ...row, session_id: input.sessionId })),
  )
  return true
}

export interface Arrived extends Arriving {
  phone: string
  device: number
  label: string
  settings: Row
}

/** Registers the number with its settings, and lets hosts take it: from this commit on it is this gateway's. */
export async function finishImport(tx: Tx, input: Arrived): Promise<Begun> {
  const { sessionId, accountId, platform, epoch, phone, device, label, settings } = input
  const refusal = await refusalOf(tx, input)
  if (refusal !== null) return refusal
  if (!(await renewImport(tx, input))) return { kind: 'busy' }
  const maxSessions = maxNumbers(limitsOf((await getAccount(tx, accountId))!), platform)
  if (await isFull(tx, { accountId, platform, maxSessions })) return { kind: 'full', limit: maxSessions! }
  await tx.run(
    `update moved_numbers set epoch = ?, exported_at = null, importing = null, importing_at = null where session_id = ?`,
    epoch,
    sessionId,
  )
  await registerSession(tx, { accountId, id: sessionId, phone, device, label, platform, maxSessions: null })
  const columns = Object.keys(settings)
  await tx.run(
    `update sessions set ${columns.map(column => `${column} = ?`).join(', ')} where id = ?`,
    ...columns.map((column): Value => settings[column] ?? null),
    sessionId,
  )
  tx.notify({ about: 'sessions', sessionId })
  return { kind: 'begun' }
}

/** Deletes some rows of an import that failed. Returns whether there may be more. */
export async function dropImport(tx: Tx, input: { sessionId: string; importId: string }): Promise<boolean> {
  if (!(await renewImport(tx, input))) return false
  if (await clearSome(tx, input.sessionId)) return true
  await endImport(tx, input.sessionId)
  return false
}

async function endImport(tx: Tx, sessionId: string): Promise<void> {
  await tx.run('delete from moved_numbers where session_id = ? and epoch = 0', sessionId)
  await tx.run('update moved_numbers set importing = null, importing_at = null where session_id = ?', sessionId)
}

/** Deletes some rows of an import whose process has died. Returns whether there may be more. */
export async function dropAbandonedImport(tx: Tx): Promise<boolean> {
  const row = await tx.get<{ sessionId: string }>(
    `select session_id as "sessionId" from moved_numbers
     where importing is not null and importing_at < ? order by importing_at limit 1${tx.skipLocked}`,
    tx.nowMs - ABANDONED_MS,
  )
  if (row === undefined) return false
  // An import that continues now must not succeed.
  await tx.run("update moved_numbers set importing = 'abandoned' where session_id = ?", row.sessionId)
  if (!(await clearSome(tx, row.sessionId))) await endImport(tx, row.sessionId)
  return true
}
