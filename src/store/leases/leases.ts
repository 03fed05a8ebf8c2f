import { BOUNDS } from '../../domain/bounds.ts'
import type { Lease, LeaseKind, LeaseName, Pool } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import { isKnown } from './lease-owners.ts'

/** Adds free leases; existing ones stay as they are. */
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

/** Takes a free lease of any pool. */
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

/** Takes at most `limit` free leases of a pool, those that have been free the longest first. */
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

/** Releases leases of one owner, so that others can take them at once. */
export async function releaseLeases(tx: Tx, leases: Lease[]): Promise<void> {
  const owner = leases[0]?.owner
  // Locked first: ending the owner locks its row before its leases too.
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

/** Sorted, so that two batches cannot deadlock. */
const leaseTable = (tx: Tx, leases: Lease[]) =>
  tx.values(
    { kind: 'text', id: 'text', epoch: 'bigint', owner: 'text' },
    leases.map(({ kind, id, epoch, owner }) => ({ kind, id, epoch, owner })).sort((a, b) => (a.id < b.id ? -1 : 1)),
  )

/** The leases of an owner. */
export async function readLeasesOf<K extends LeaseKind>(reader: Reader, owner: string): Promise<Array<Lease<K>>> {
  return await reader.all<Lease<K>>('select kind, id, epoch, owner from leases where owner = ?', owner)
}

/** Whether a pool has a free lease. */
export async function hasFreeLease(reader: Reader, pool: Pool): Promise<boolean> {
  const row = await reader.get('select 1 as free from leases where owner is null and pool = ? limit 1', pool)
  return row !== undefined
}

/** Further ones are not counted: owners take them in several rounds. */
const COUNTED = 20_000

export async function countFreeLeases(reader: Reader, pool: Pool): Promise<number> {
  const row = await reader.get<{ n: number }>(
    `select count(*) as n from (select 1 as free from leases where owner is null and pool = ? limit ${COUNTED}) f`,
    pool,
  )
  return row!.n
}

/** Frees every lease, when a gateway with an embedded database starts. */
export async function freeAllLeases(tx: Tx): Promise<void> {
  await tx.run('update leases set owner = null, changed_at = ? where owner is not null', tx.nowMs)
  await tx.run('delete from holders')
  await tx.run('update pairings set claimed_until = 0 where claimed_until > 0')
}

export interface LeaseView extends Omit<Lease, 'owner'> {
  owner: string | null
  /** The latest end without another heartbeat; for a free lease, since when it is free. */
  expiresAt: number
}

export async function listLeases(reader: Reader, kind: LeaseKind): Promise<LeaseView[]> {
  return await reader.all<LeaseView>(
    `select l.kind, l.id, l.owner, l.epoch, coalesce(h.lasts_until, l.changed_at) as "expiresAt"
     from leases l left join holders h on h.id = l.owner where l.kind = ? order by l.id limit ${BOUNDS.leasesShown}`,
    kind,
  )
}
