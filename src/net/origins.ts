import { Pool } from 'undici'
import { MAX_HEADER_BYTES } from './answer-limits.ts'
import { type ConnectOptions, createConnector } from './connect.ts'
import type { Phase } from './failure.ts'

/** The connections to one scheme, host and port. */
export interface Origin {
  readonly pool: Pool
  /** What the connection opened last is waiting for. */
  phase: Phase
  inFlight: number
  /** Those in flight that have no connection yet. */
  waiting: number
  usedAt: number
  readonly openedAt: number
}

export interface OriginsOptions extends ConnectOptions {
  readonly connectionsPerOrigin: number
  /** Origins kept open beyond those in use. */
  readonly maxIdleOrigins: number
  /** New requests get younger sockets: about so long does a name's old address live on. */
  readonly socketMaxAgeMs: number
}

const IDLE_AFTER_MS = 30_000
const SWEEP_EVERY_MS = 10_000
// Node servers close an idle connection after 5 s; being earlier spares a delivery the race.
const KEEP_ALIVE_MS = 4_000
const MAX_KEEP_ALIVE_MS = 30_000

/**
 * Connection pools by origin: opened on first use, closed when idle, bounded in number. A pool that has reached its age is
 * replaced as a whole. The library's own limit of age leaves a request waiting for ever where all connections reach it
 * at once.
 */
export function createOrigins(options: OriginsOptions) {
  const origins = new Map<string, Origin>()
  const retired = new Set<Pool>()
  const sweeper = setInterval(closeIdle, SWEEP_EVERY_MS)
  sweeper.unref()

  function enter(key: string): Origin {
    const known = origins.get(key)
    if (known !== undefined && isOld(known)) retire(key, known)
    const origin = origins.get(key) ?? open(key)
    // Re-inserted so that the map runs from least to most recently used.
    origins.delete(key)
    origins.set(key, origin)
    origin.inFlight++
    return origin
  }

  function leave(origin: Origin): void {
    origin.inFlight--
    origin.usedAt = performance.now()
  }

  const isOld = ({ openedAt }: Origin): boolean => performance.now() - openedAt > options.socketMaxAgeMs

  /** What is under way on it comes to its end. */
  function retire(key: string, { pool }: Origin): void {
    origins.delete(key)
    retired.add(pool)
    void pool.close().finally(() => retired.delete(pool))
  }

  function open(key: string): Origin {
    if (origins.size >= options.maxIdleOrigins) closeLeastRecent()
    const connect = createConnector(options, {
      isWanted: () => origin.waiting > 0,
      onPhase: phase => {
        origin.phase = phase
      },
    })
    const pool = new Pool(key, {
      connect,
      connections: options.connectionsPerOrigin,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The caller's one deadline covers these.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const now = performance.now()
    const origin: Origin = { pool, phase: 'connect', inFlight: 0, waiting: 0, usedAt: now, openedAt: now }
    return origin
  }

  function closeIdle(): void {
    const idleSince = performance.now() - IDLE_AFTER_MS
    for (const [key, origin] of origins) {
      if (origin.inFlight === 0 && origin.usedAt < idleSince) shut(key, origin)
    }
  }

  function closeLeastRecent(): void {
    for (const [key, origin] of origins) {
      if (origin.inFlight === 0) return shut(key, origin)
    }
  }

  function shut(key: string, origin: Origin): void {
    origins.delete(key)
    origin.pool.destroy().catch(() => {})
  }

  async function close(): Promise<void> {
    clearInterval(sweeper)
    const pools = [...[...origins.values()].map(origin => origin.pool), ...retired]
    origins.clear()
    await Promise.all(pools.map(pool => pool.destroy()))
  }

  return { enter, leave, close }
}

export type Origins = ReturnType<typeof createOrigins>
