/** What can be held by one owner at a time: a number, a shard of endpoints, a place among the dispatchers, the sandbox. */
export type LeaseKind = 'session' | 'shard' | 'dispatcher' | 'simulator'

export interface LeaseName<K extends LeaseKind = LeaseKind> {
  kind: K
  id: string
}

/** The right to act for what it names. Every write made under it names its epoch; a later owner's epoch is higher. */
export interface Lease<K extends LeaseKind = LeaseKind> extends LeaseName<K> {
  epoch: number
}

/** The right to act for a number; the number's session is what it is named after. */
export type SessionLease = Lease<'session'>
export type ShardLease = Lease<'shard'>

/** The network that sandbox numbers are linked to. */
export const SIMULATOR_LEASE: LeaseName<'simulator'> = { kind: 'simulator', id: 'sandbox' }
export const sessionLease = (sessionId: string): LeaseName<'session'> => ({ kind: 'session', id: sessionId })
export const shardLease = (shard: number): LeaseName<'shard'> => ({ kind: 'shard', id: String(shard).padStart(2, '0') })
export const shardNumberOf = ({ id }: ShardLease): number => Number(id)

const LEAST_MARGIN_MS = 500

/**
 * Until when a lease counts by our own clock, if it was asked for then: it ends for us before it can be another's, also
 * where the two clocks run apart a little.
 */
export function lastsUntil(askedAtMs: number, ttlMs: number): number {
  return askedAtMs + ttlMs - Math.min(ttlMs / 2, Math.max(LEAST_MARGIN_MS, ttlMs / 10))
}
