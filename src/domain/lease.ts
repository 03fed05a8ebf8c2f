/** The right to act for a resource. Every write made under it names its epoch; a later owner's epoch is higher. */
export interface Lease {
  resource: string
  epoch: number
}

const SESSION = 'session:'
const SHARD = 'shard:'

/** The network that sandbox numbers are linked to. */
export const SIMULATOR_LEASE = 'simulator'
export const sessionLease = (sessionId: string): string => `${SESSION}${sessionId}`
export const sessionIdOf = ({ resource }: Lease): string => resource.slice(SESSION.length)
export const shardLease = (shard: number): string => `${SHARD}${String(shard).padStart(2, '0')}`
export const shardNumberOf = ({ resource }: Lease): number => Number(resource.slice(SHARD.length))

/** Where a statement needs the session's id: what stands behind the prefix of its lease's name. */
export const SESSION_ID_SQL = `substr(l.resource, ${SESSION.length + 1})`

const LEAST_MARGIN_MS = 500

/**
 * Until when a lease counts by our own clock, if it was asked for then: it ends for us before it can be another's, also
 * where the two clocks run apart a little.
 */
export function lastsUntil(askedAtMs: number, ttlMs: number): number {
  return askedAtMs + ttlMs - Math.min(ttlMs / 2, Math.max(LEAST_MARGIN_MS, ttlMs / 10))
}
