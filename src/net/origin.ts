// The root of the package would load fetch, WebSocket and caches too.
import Pool from 'undici/lib/dispatcher/pool.js'
import type { Clock } from '../runtime/clock.ts'
import { type ConnectOptions, createConnector } from './connect.ts'
import type { Phase } from '../domain/exchange-failure.ts'

export interface OriginOptions extends ConnectOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly connectionsPerOrigin: number
}

export const MAX_HEADER_BYTES = 16_384

/** An interim response (1xx) costs as much as a whole one, so a flood of them must end long before the limit on bytes. */
export const MAX_INTERIM_ANSWERS = 20

// Node servers close an idle connection after 5 s; closing earlier avoids the race.
const KEEP_ALIVE_MS = 4_000
const MAX_KEEP_ALIVE_MS = 30_000

/** The connections to one scheme, host and port. */
export class Origin {
  readonly pool: Pool
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #openedAtMs: number
  #usedAtMs: number
  #phase: Phase = 'connect'
  #inFlight = 0
  #waiting = 0

  constructor(key: string, options: OriginOptions) {
    this.#clock = options.clock
    this.#openedAtMs = this.#usedAtMs = options.clock.monotonicMs()
    this.pool = new Pool(key, {
      connect: createConnector(options, {
        isWanted: () => this.#waiting > 0,
        onPhase: phase => {
          this.#phase = phase
        },
      }),
      connections: options.connectionsPerOrigin,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The caller's deadline covers these.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** The phase of the connection that was opened last. */
  get phase(): Phase {
    return this.#phase
  }

  get ageMs(): number {
    return this.#clock.monotonicMs() - this.#openedAtMs
  }

  isInUse(): boolean {
    return this.#inFlight > 0
  }

  wasUsedSince(ms: number): boolean {
    return this.#usedAtMs >= ms
  }

  enter(): void {
    this.#inFlight += 1
  }

  leave(): void {
    this.#inFlight -= 1
    this.#usedAtMs = this.#clock.monotonicMs()
  }

  /** Whether a request in flight has no connection yet. */
  beginWaiting(): void {
    this.#waiting += 1
  }

  endWaiting(): void {
    this.#waiting -= 1
  }
}
