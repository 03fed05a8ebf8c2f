import type { Lease } from '../../../domain/lease.ts'
import type { Reader, Tx } from '../../tx.ts'

export async function addLeases(tx: Tx, resources: string[]): Promise<void> {
  const rows = resources.map(resource => ({ resource, owner: null, epoch: 0, expires_at: 0 }))
  await tx.insert('leases', rows, 'on conflict (resource) do nothing')
}

/** Takes free or expired leases whose resource begins with `prefix`, at most `limit`. */
export async function takeLeases(
  tx: Tx,
  input: { owner: string; prefix: string; limit: number; ttlMs: number },
): Promise<Lease[]> {
  const skipLocked = tx.dialect === 'postgres' ? ' for update skip locked' : ''
  return await tx.all<Lease>(
    `update leases set owner = ?, epoch = epoch + 1, expires_at = ? where resource in (
       select resource from leases where expires_at <= ? and resource like ? order by expires_at, resource limit ?${skipLocked})
     returning resource, epoch`,
    input.owner,
    tx.nowMs + input.ttlMs,
    tx.nowMs,
    `${input.prefix}%`,
    input.limit,
  )
}

/** Renews all at once and answers those that are still held; a lease that is missing was lost. */
export async function renewLeases(tx: Tx, input: { owner: string; leases: Lease[]; ttlMs: number }): Promise<Lease[]> {
  if (input.leases.length === 0) return []
  const sorted = [...input.leases].sort((a, b) => (a.resource < b.resource ? -1 : 1))
  const r = tx.values(
    { resource: 'text', epoch: 'bigint' },
    sorted as unknown as Array<Record<string, string | number>>,
  )
  return await tx.all<Lease>(
    `update leases set expires_at = ? from ${r.sql} r
     where leases.resource = r.resource and leases.epoch = r.epoch and leases.owner = ?
     returning leases.resource, leases.epoch`,
    tx.nowMs + input.ttlMs,
    ...r.params,
    input.owner,
  )
}

/** Gives leases back at once, so that another owner need not wait for their end. */
export async function releaseLeases(tx: Tx, input: { owner: string; leases: Lease[] }): Promise<void> {
  if (input.leases.length === 0) return
  const r = tx.values(
    { resource: 'text', epoch: 'bigint' },
    input.leases as unknown as Array<Record<string, string | number>>,
  )
  await tx.run(
    `update leases set owner = null, expires_at = 0 from ${r.sql} r
     where leases.resource = r.resource and leases.epoch = r.epoch and leases.owner = ?`,
    ...r.params,
    input.owner,
  )
}

export interface LeaseView {
  resource: string
  owner: string | null
  epoch: number
  expiresAt: number
}

export async function listLeases(reader: Reader, prefix: string): Promise<LeaseView[]> {
  return await reader.all<LeaseView>(
    'select resource, owner, epoch, expires_at as "expiresAt" from leases where resource like ? order by resource limit 1000',
    `${prefix}%`,
  )
}
