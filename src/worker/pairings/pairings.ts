import { isOver } from '../../domain/pairing.ts'
import type { StoredPairing } from '../../store/pairings/pairings.ts'
import { RunningPairing, type PairingDeps } from './running-pairing.ts'

/** A pairing that waits for its phone costs a connection; an active one costs processor time too. */
const MAX_RUNNING = 100
const MAX_AT_WORK = 8
const CLAIM_MS = 5_000
const RENEW_MS = 1_000

/** Links new devices: claims the waiting pairings of a network and runs each until it is over. */
export class Pairings {
  readonly #deps: PairingDeps
  readonly #running = new Map<string, RunningPairing>()
  #renewedAtMs = Number.NEGATIVE_INFINITY

  constructor(deps: PairingDeps) {
    this.#deps = deps
  }

  get areRunning(): boolean {
    return this.#running.size > 0
  }

  /** Releases pairings that are over, and claims waiting ones if another number could be hosted. */
  async poll(hasRoom: boolean): Promise<void> {
    const { store, identity } = this.#deps
    await this.#releaseEnded()
    await this.#passAnswers()
    const limit = this.#room
    if (!hasRoom || limit <= 0 || !(await store.pairings.hasFreePairing(identity.platform))) return
    const claim = { owner: identity.id, platform: identity.platform, limit, ttlMs: CLAIM_MS }
    for (const pairing of await store.pairings.claimPairings(claim)) this.#run(pairing)
  }

  /** Leaves all pairings to other hosts. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map(pairing => pairing.leave()))
  }

  get #room(): number {
    const atWork = [...this.#running.values()].filter(pairing => pairing.isAtWork).length
    return Math.min(MAX_AT_WORK - atWork, MAX_RUNNING - this.#running.size)
  }

  #run(pairing: StoredPairing): void {
    // A pairing that this host runs is claimed again if its claim lapsed during an outage of the database.
    if (this.#running.has(pairing.id)) return
    const running = new RunningPairing(this.#deps, pairing)
    this.#running.set(pairing.id, running)
    void running.begin().finally(() => this.#running.delete(pairing.id))
  }

  async #passAnswers(): Promise<void> {
    const pairingIds = [...this.#running].flatMap(([id, pairing]) => (pairing.expectsAnswers ? [id] : []))
    if (pairingIds.length === 0) return
    for (const request of await this.#deps.store.requests.readPairingRequests({ pairingIds }))
      this.#running.get(request.pairingId)?.take(request)
  }

  /** Renews the claims and releases pairings that were cancelled or have expired. */
  async #releaseEnded(): Promise<void> {
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    const isRenewed = this.#deps.clock.monotonicMs() - this.#renewedAtMs < RENEW_MS
    const open = new Set(isRenewed ? await this.#readOpen(ids) : await this.#renew(ids))
    for (const id of ids) if (!open.has(id)) this.#running.get(id)?.release()
  }

  async #renew(ids: string[]): Promise<string[]> {
    const { store, identity, clock } = this.#deps
    const sentAtMs = clock.monotonicMs()
    const open = await store.pairings.renewPairings({ owner: identity.id, ids, ttlMs: CLAIM_MS })
    this.#renewedAtMs = sentAtMs
    return open
  }

  async #readOpen(ids: string[]): Promise<string[]> {
    const rows = await Promise.all(ids.map(id => this.#deps.store.pairings.getPairing(id)))
    return rows.flatMap(row => (row === undefined || isOver(row.status) ? [] : [row.id]))
  }
}
