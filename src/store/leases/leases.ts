import type { Lease, LeaseKind, LeaseName, Pool } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import { isKnown } from './lease-owners.ts'

/** Leases that nobody holds yet; those that are there stay as they are. */
export async function addLeases(tx: Tx, input: { names: LeaseName[]; pool: Pool | null }): Promise<void> {
  const rows = input.names.map(({ kind, id }) => ({
    kind,
    id,
    owner: null,
    epoch: 0,
    pool: input.pool,
    changed_at: tx.nowMs,
  }))
  await tx.insert('leases', rows, 'on conflict (kind, id) do nothing')
}

/** Takes one that is free, whatever its pool. */
export async function takeLease<K extends LeaseKind>(
  tx: Tx,
  { owner, name }: { owner: string; name: LeaseName<K> },
): Promise<Lease<K> | undefined> {
  if (!(await isKnown(tx, owner))) return undefined
  return await tx.get<Lease<K>>(
    `update leases set owner = ?, epoch = epoch + 1, changed_at = ? where kind = ? and id = ? and owner is null
     returning kind, id, epoch, owner`,
    owner,
    tx.nowMs,
    name.kind,
    name.id,
  )
}

/** Takes some of a pool that are free, at most `limit`; those that wait longest first. */
export async function takeLeases<K extends LeaseKind>(
  tx: Tx,
  { owner, pool, limit }: { owner: string; pool: Pool; limit: number },
): Promise<Array<Lease<K>>> {
  if (limit <= 0 || !(await isKnown(tx, owner))) return []
  const taken = await tx.all<Lease<K>>(
    `update leases set owner = ?, epoch = epoch + 1, changed_at = ? where (kind, id) in (
       select kind, id from leases where owner is null and pool = ? order by changed_at limit ?${tx.skipLocked})
     returning kind, id, epoch, owner`,
    owner,
    tx.nowMs,
    pool,
    limit,
  )
  await tx.run('update holders set leases = leases + ? where id = ?', taken.length, owner)
  return taken
}

/** Gives leases of one owner back, so that another need not wait. */
export async function releaseLeases(tx: Tx, leases: Lease[]): Promise<void> {
  const owner = leases[0]?.owner
  // Asked for first: whoever ends this holder locks its row before its leases too.
  if (owner === undefined || !(await isKnown(tx, owner))) return
  const r = leaseTable(tx, leases)
  const released = await tx.run(
    `update leases set owner = null, changed_at = ? from ${r.sql} r
     where leases.kind = r.kind and leases.id = r.id and leases.epoch = r.epoch and leases.owner = r.owner`,
    tx.nowMs,
    ...r.params,
  )
  await tx.run('update holders set leases = leases - ? where id = ?', released, owner)
}

/** Sorted, so that two batches never wait for each other in a circle. */
const leaseTable = (tx: Tx, leases: Lease[]) =>
  tx.values(
    { kind: 'text', id: 'text', epoch: 'bigint', owner: 'text' },
    leases.map(({ kind, id, epoch, owner }) => ({ kind, id, epoch, owner })).sort((a, b) => (a.id < b.id ? -1 : 1)),
  )

/** What somebody holds. */
export async function readLeasesOf<K extends LeaseKind>(reader: Reader, owner: string): Promise<Array<Lease<K>>> {
  return await reader.all<Lease<K>>('select kind, id, epoch, owner from leases where owner = ?', owner)
}

/** Whether one of a pool waits for somebody. */
export async function hasFreeLease(reader: Reader, pool: Pool): Promise<boolean> {
  const row = await reader.get('select 1 as free from leases where owner is null and pool = ? limit 1', pool)
  return row !== undefined
}

/** More are not counted: whoever takes them comes again. */
const COUNTED = 20_000

export async function countFreeLeases(reader: Reader, pool: Pool): Promise<number> {
  const row = await reader.get<{ n: number }>(
    `select count(*) as n from (select 1 as free from leases where owner is null and pool = ? limit ${COUNTED}) f`,
    pool,
  )
  return row!.n
}

/** Every lease is free: for the start of a gateway that has the database to itself. */
export async function freeAllLeases(tx: Tx): Promise<void> {
  await tx.run('update leases set owner = null, changed_at = ? where owner is not null', tx.nowMs)
  await tx.run('delete from holders')
  await tx.run('update pairings set claimed_until = 0 where claimed_until > 0')
}

export interface LeaseView extends Omit<Lease, 'owner'> {
  owner: string | null
  /** Until then at most, unless its owner says meanwhile that it lives; of one that is free, since when. */
  expiresAt: number
}

export async function listLeases(reader: Reader, kind: LeaseKind): Promise<LeaseView[]> {
  return await reader.all<LeaseView>(
    `select l.kind, l.id, l.owner, l.epoch, coalesce(h.lasts_until, l.changed_at) as "expiresAt"
     from leases l left join holders h on h.id = l.owner where l.kind = ? order by l.id limit 1000`,
    kind,
  )
}
