import { BOUNDS } from '../../domain/bounds.ts'
import { shardLease, sessionLease } from '../../domain/lease.ts'
import type { ColumnType, Reader, Row, Tx } from '../transaction.ts'

/** How many rows of each kind were erased. */
export type Erased = Readonly<Record<string, number>>

export interface StoredErasure {
  id: string
  accountId: string
  state: 'running' | 'done'
  erased: Erased
  createdAt: number
  finishedAt: number | null
}

interface ErasureRow extends Omit<StoredErasure, 'erased'> {
  erased: string
}

const COLUMNS = `id, account_id as "accountId", state, erased, created_at as "createdAt", finished_at as "finishedAt"`

const toErasure = (row: ErasureRow): StoredErasure => ({
  ...row,
  createdAt: Number(row.createdAt),
  finishedAt: row.finishedAt === null ? null : Number(row.finishedAt),
  erased: JSON.parse(row.erased) as Erased,
})

/** `full`: so many erasures of the account run already. */
export async function createErasure(
  tx: Tx,
  input: { id: string; accountId: string; names: Uint8Array },
): Promise<StoredErasure | 'full'> {
  const { id, accountId, names } = input
  await tx.get(`select id from accounts where id = ?${tx.forUpdate}`, accountId)
  const running = await tx.get<{ n: number }>(
    "select count(*) as n from erasures where account_id = ? and state = 'running'",
    accountId,
  )
  if (Number(running!.n) >= BOUNDS.runningErasures) return 'full'
  const row = { state: 'running', erased: '{}', created_at: tx.nowMs, finished_at: null } as const
  await tx.insert('erasures', [{ id, account_id: accountId, names, position: null, claimed_until: 0, ...row }])
  tx.notify({ about: 'erasures' })
  return { id, accountId, state: 'running', erased: {}, createdAt: tx.nowMs, finishedAt: null }
}

export async function getErasure(
  reader: Reader,
  input: { id: string; accountId: string },
): Promise<StoredErasure | undefined> {
  const row = await reader.get<ErasureRow>(
    `select ${COLUMNS} from erasures where id = ? and account_id = ?`,
    input.id,
    input.accountId,
  )
  return row && toErasure(row)
}

/** An erasure that this process runs now. */
export interface TakenErasure {
  id: string
  accountId: string
  /** Sealed. */
  names: Uint8Array
  /** Sealed; `null` at the beginning. */
  position: Uint8Array | null
}

/** Without a step for so long, another process continues it. */
const CLAIM_MS = 30_000

/** Takes the oldest erasure that no process runs. */
export async function takeErasure(tx: Tx): Promise<TakenErasure | undefined> {
  return await tx.get<TakenErasure>(
    `update erasures set claimed_until = ? where id in (
       select id from erasures where state = 'running' and claimed_until < ? order by id limit 1${tx.skipLocked})
     returning id, account_id as "accountId", names, position`,
    tx.nowMs + CLAIM_MS,
    tx.nowMs,
  )
}

/** Rows to delete: all with these values. */
export interface Deleted {
  table: string
  where: Row
}

export interface Changed extends Deleted {
  set: Row
}

export interface ErasureStep {
  id: string
  deleted: readonly Deleted[]
  changed: readonly Changed[]
  /** Events whose deliveries have no payload of their own. */
  eventIds: readonly string[]
  /** Received files that the rows named. */
  mediaIds: readonly string[]
  /** Numbers and shards whose processes have to forget what they have in memory. */
  sessionIds: readonly string[]
  shards: readonly number[]
  erased: Erased
  /** Sealed: where to continue; with `null` the erasure is done, and its names are forgotten. */
  position: Uint8Array | null
  /** Replaces the sealed names, once they are all known. */
  names?: Uint8Array
}

/** Erases a batch and records how far the erasure is, in one commit. */
export async function eraseStep(tx: Tx, step: ErasureStep): Promise<void> {
  const { id, deleted, changed, eventIds, mediaIds, sessionIds, shards, position, names } = step
  await eraseRows(tx, deleted)
  await changeRows(tx, changed)
  if (eventIds.length > 0) {
    const r = tx.ids(eventIds)
    await tx.run(
      `delete from deliveries where sealed is null and event_id in (select r.id from ${r.sql} r)`,
      ...r.params,
    )
  }
  if (mediaIds.length > 0) {
    const r = tx.ids(mediaIds)
    await tx.run(
      `update media set expires_at = 0 where session_id is not null and id in (select r.id from ${r.sql} r)`,
      ...r.params,
    )
  }
  for (const name of [...sessionIds.map(sessionLease), ...shards.map(shardLease)]) {
    await tx.run(
      'update leases set owner = null, epoch = epoch + 1, changed_at = ? where kind = ? and id = ?',
      tx.nowMs,
      name.kind,
      name.id,
    )
  }
  for (const sessionId of sessionIds) tx.notify({ about: 'sessions', sessionId })
  const row = await tx.get<{ erased: string }>("select erased from erasures where id = ? and state = 'running'", id)
  // Another process has ended it.
  if (row === undefined) return
  const erased = { ...(JSON.parse(row.erased) as Record<string, number>) }
  for (const [kind, n] of Object.entries(step.erased)) erased[kind] = (erased[kind] ?? 0) + n
  const isDone = position === null
  await tx.run(
    `update erasures set erased = ?, position = ?, names = ${isDone ? 'null' : 'coalesce(?, names)'},
       state = ?, claimed_until = ?, finished_at = ? where id = ?`,
    JSON.stringify(erased),
    position,
    ...(isDone ? [] : [names ?? null]),
    isDone ? 'done' : 'running',
    tx.nowMs + CLAIM_MS,
    isDone ? tx.nowMs : null,
    id,
  )
}

/** Deletes with one statement for each table and columns: one for each row costs a round trip. */
async function eraseRows(tx: Tx, deleted: readonly Deleted[]): Promise<void> {
  for (const rows of alike(deleted, ({ table, where }) => [table, ...shapeOf(where)])) {
    const { table, where } = rows[0]!
    const names = Object.keys(where)
    const r = tx.values(
      typesOf(where),
      rows.map(row => plainOf(row.where)),
    )
    await tx.run(
      `delete from ${table} where (${names.join(', ')}) in (select ${names.map(name => `r.${name}`).join(', ')} from ${r.sql} r)`,
      ...r.params,
    )
  }
}

/** Changes with one statement for each table and columns. */
async function changeRows(tx: Tx, changed: readonly Changed[]): Promise<void> {
  for (const rows of alike(changed, ({ table, where, set }) => [table, ...shapeOf(where), 'set', ...shapeOf(set)])) {
    const { table, where, set } = rows[0]!
    const given = rows.map(row => ({ ...plainOf(row.where), ...prefixed(plainOf(row.set)) }))
    const r = tx.values({ ...typesOf(where), ...prefixed(typesOf(set)) }, given)
    const sets = Object.entries(set).map(
      ([name, value]) =>
        `${name} = ${value instanceof Uint8Array ? BYTES[tx.dialect](`r.new_${name}`) : `r.new_${name}`}`,
    )
    await tx.run(
      `update ${table} set ${sets.join(', ')} from ${r.sql} r
       where ${Object.keys(where)
         .map(name => `${table}.${name} = r.${name}`)
         .join(' and ')}`,
      ...r.params,
    )
  }
}

/** Items in groups of the same shape. */
function alike<T>(items: readonly T[], nameOf: (item: T) => string[]): T[][] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const shape = nameOf(item).join(' ')
    const group = groups.get(shape)
    if (group === undefined) groups.set(shape, [item])
    else group.push(item)
  }
  return [...groups.values()]
}

const shapeOf = (row: Row): string[] =>
  Object.entries(row).map(([name, value]) => `${name} ${value instanceof Uint8Array ? 'bytes' : typeof value}`)

/** Bytes are passed as hexadecimal digits: a list of rows has only texts and numbers. */
const BYTES = {
  postgres: (digits: string): string => `decode(${digits}, 'hex')`,
  sqlite: (digits: string): string => `unhex(${digits})`,
}

const plainOf = (row: Row): Record<string, string | number | null> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
    ]),
  )

const typesOf = (row: Row): Record<string, ColumnType> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? 'bigint' : 'text']))

/** A column may be in the condition and among the changes. */
const prefixed = <T>(row: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [`new_${name}`, value]))
