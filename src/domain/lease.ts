import type { PlatformName } from './session.ts'

/** What one owner at a time can hold: a number, a shard of endpoints, the sandbox. */
export type LeaseKind = 'session' | 'shard' | 'simulator'

export interface LeaseName<K extends LeaseKind = LeaseKind> {
  kind: K
  id: string
}

/**
 * The right to act for what it names, until its owner releases it or dies. Every write made under it names its owner and
 * its epoch; a later owner's epoch is higher.
 */
export interface Lease<K extends LeaseKind = LeaseKind> extends LeaseName<K> {
  epoch: number
  owner: string
}

/** The right to act for a number, named after the number's session. */
export type SessionLease = Lease<'session'>
export type ShardLease = Lease<'shard'>

/**
 * The nodes that share leases: the hosts of a network, the dispatchers, the simulators. The inboxes of logged-out devices
 * are a separate pool.
 */
export type Pool = PlatformName | LeftPool | 'shards' | 'simulator'
export type LeftPool = `${PlatformName}/left`

export const leftPool = (platform: PlatformName): LeftPool => `${platform}/left`

/** The network that sandbox numbers are linked to. */
export const SIMULATOR_LEASE: LeaseName<'simulator'> = { kind: 'simulator', id: 'sandbox' }
export const sessionLease = (sessionId: string): LeaseName<'session'> => ({ kind: 'session', id: sessionId })
export const shardLease = (shard: number): LeaseName<'shard'> => ({ kind: 'shard', id: String(shard).padStart(2, '0') })
export const shardNumberOf = ({ id }: Pick<ShardLease, 'id'>): number => Number(id)
