import type { Lease, LeaseKind, LeaseName } from '../../../domain/lease.ts'
import type { Reader, Tx } from '../../tx.ts'

/** Leases that nobody holds yet; those that are there stay as they are. */
export async function addLeases(tx: Tx, names: LeaseName[]): Promise<void> {
  const rows = names.map(({ kind, id }) => ({ kind, id, owner: null, epoch: 0, expires_at: 0 }))
  await tx.insert('leases', rows, 'on conflict (kind, id) do nothing')
}

/** Takes one that is free or has expired. */
export async function takeLease(
  tx: Tx,
  input: { owner: string; name: LeaseName; ttlMs: number },
): Promise<Lease | undefined> {
  return await tx.get<Lease>(
    `update leases set owner = ?, epoch = epoch + 1, expires_at = ? where kind = ? and id = ? and expires_at <= ?
     returning kind, id, epoch`,
    input.owner,
    tx.nowMs + input.ttlMs,
    input.name.kind,
    input.name.id,
    tx.nowMs,
  )
}

/** Takes some of a kind that are free or have expired, at most `limit`. */
export async function takeLeases<K extends LeaseKind>(
  tx: Tx,
  input: { owner: string; kind: K; limit: number; ttlMs: number },
): Promise<Array<Lease<K>>> {
  return await tx.all<Lease<K>>(
    `update leases set owner = ?, epoch = epoch + 1, expires_at = ? where kind = ? and id in (
       select id from leases where kind = ? and expires_at <= ? order by expires_at, id limit ?${tx.skipLocked})
     returning kind, id, epoch`,
    input.owner,
    tx.nowMs + input.ttlMs,
    input.kind,
    input.kind,
    tx.nowMs,
    input.limit,
  )
}

/** Renews all at once and answers those that are still held; a lease that is missing was lost. */
export async function renewLeases<K extends LeaseKind>(
  tx: Tx,
  input: { owner: string; leases: Array<Lease<K>>; ttlMs: number },
): Promise<Array<Lease<K>>> {
  if (input.leases.length === 0) return []
  const r = leaseTable(tx, input.leases)
  return await tx.all<Lease<K>>(
    `update leases set expires_at = ? from ${r.sql} r
     where leases.kind = r.kind and leases.id = r.id and leases.epoch = r.epoch and leases.owner = ?
     returning leases.kind, leases.id, leases.epoch`,
    tx.nowMs + input.ttlMs,
    ...r.params,
    input.owner,
  )
}

/** Gives leases back at once, so that another owner need not wait for their end. */
export async function releaseLeases(tx: Tx, input: { owner: string; leases: Lease[] }): Promise<void> {
  if (input.leases.length === 0) return
  const r = leaseTable(tx, input.leases)
  await tx.run(
    `update leases set owner = null, expires_at = 0 from ${r.sql} r
     where leases.kind = r.kind and leases.id = r.id and leases.epoch = r.epoch and leases.owner = ?`,
    ...r.params,
    input.owner,
  )
}

/** Sorted, so that two batches never wait for each other in a circle. */
const leaseTable = (tx: Tx, leases: Lease[]) =>
  tx.values(
    { kind: 'text', id: 'text', epoch: 'bigint' },
    leases.map(({ kind, id, epoch }) => ({ kind, id, epoch })).sort((a, b) => (a.id < b.id ? -1 : 1)),
  )

/** Every lease is free: for the start of a gateway that has the database to itself. */
export async function freeAllLeases(tx: Tx): Promise<void> {
  await tx.run('update leases set owner = null, expires_at = 0 where owner is not null')
  await tx.run('delete from hosts')
  await tx.run('update pairings set claimed_until = 0 where claimed_until > 0')
}

export interface LeaseView extends Lease {
  owner: string | null
  expiresAt: number
}

export async function listLeases(reader: Reader, kind: LeaseKind): Promise<LeaseView[]> {
  return await reader.all<LeaseView>(
    'select kind, id, owner, epoch, expires_at as "expiresAt" from leases where kind = ? order by id limit 1000',
    kind,
  )
}
