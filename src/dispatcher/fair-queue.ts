import type { WakeSignal } from '../runtime/wake-signal.ts'
import type { Clock } from '../runtime/clock.ts'
import type { DueDelivery } from '../domain/delivery.ts'
import { Endpoint } from './endpoint.ts'
import type { Lane } from './lane.ts'

/** A delivery that begins, with its endpoint and its lane. */
export interface Picked {
  readonly endpoint: Endpoint
  readonly lane: Lane
  readonly delivery: DueDelivery
  /** It has failed and keeps its place, and its endpoint waits until it is there. */
  isHeld: boolean
}

export interface QueueLimits {
  inFlight: number
  perAccount: number
  /** Payload bytes in memory, in total and for one account; a single larger payload may still be sent alone. */
  bytes: number
  bytesPerAccount: number
}

interface QueueDeps {
  clock: Clock
  limits: QueueLimits
  /** Notified when a delivery may have become ready to begin. */
  ready: WakeSignal
}

/** One account's deliveries under way, and its endpoints that have a delivery to begin, in the order of their turns. */
interface AccountQueue {
  readonly id: string
  readonly ready: Set<Endpoint>
  endpoints: number
  inFlight: number
  bytes: number
}

const FORGET_FAILING_AFTER_MS = 3_600_000

/** Chooses the next delivery: accounts take turns, and so do the endpoints of each account, within their limits. */
export class FairQueue {
  readonly #deps: QueueDeps
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #accounts = new Map<string, AccountQueue>()
  /** Accounts with a delivery to begin, in the order of their turns. */
  readonly #ready = new Set<AccountQueue>()
  #inFlight = 0
  #bytes = 0
  #onIdle: (() => void) | undefined

  constructor(deps: QueueDeps) {
    this.#deps = deps
  }

  endpointOf(accountId: string, webhookId: string, url: string): Endpoint {
    const key = `${webhookId} ${url}`
    let endpoint = this.#endpoints.get(key)
    if (endpoint === undefined) {
      endpoint = new Endpoint(accountId, this.#deps.clock)
      this.#endpoints.set(key, endpoint)
      this.#accountOf(accountId).endpoints++
    }
    return endpoint
  }

  #accountOf(id: string): AccountQueue {
    let account = this.#accounts.get(id)
    if (account === undefined) {
      this.#accounts.set(id, (account = { id, ready: new Set(), endpoints: 0, inFlight: 0, bytes: 0 }))
    }
    return account
  }

  /** The endpoint may have a delivery to begin. */
  offer(endpoint: Endpoint): void {
    const account = this.#accountOf(endpoint.accountId)
    if (endpoint.hasRoom && endpoint.headLane !== undefined) account.ready.add(endpoint)
    this.#offerAccount(account)
  }

  #offerAccount(account: AccountQueue): void {
    if (account.ready.size > 0 && account.inFlight < this.#deps.limits.perAccount) this.#ready.add(account)
    this.#deps.ready.notify()
  }

  /** The next delivery that may begin, if there is one. A large payload waits for room, and smaller ones go before it. */
  pick(): Picked | undefined {
    for (let tooLarge = 0; tooLarge < this.#ready.size && this.#inFlight < this.#deps.limits.inFlight; ) {
      const account = firstOf(this.#ready)!
      const endpoint = firstOf(account.ready)
      const lane = endpoint?.hasRoom ? endpoint.headLane : undefined
      this.#ready.delete(account)
      if (lane !== undefined && !this.#fits(account, lane.head!.bytes)) {
        this.#ready.add(account)
        tooLarge++
        continue
      }
      if (endpoint !== undefined) account.ready.delete(endpoint)
      if (endpoint !== undefined && lane !== undefined) return this.#begin(account, endpoint, lane)
      this.#offerAccount(account)
    }
    return undefined
  }

  #fits(account: AccountQueue, size: number): boolean {
    const { bytes, bytesPerAccount } = this.#deps.limits
    return (
      (this.#bytes === 0 || this.#bytes + size <= bytes) &&
      (account.bytes === 0 || account.bytes + size <= bytesPerAccount)
    )
  }

  #begin(account: AccountQueue, endpoint: Endpoint, lane: Lane): Picked {
    const delivery = lane.begin()
    this.#inFlight++
    this.#bytes += delivery.bytes
    account.inFlight++
    account.bytes += delivery.bytes
    endpoint.begin(this.#deps.clock.monotonicMs())
    this.offer(endpoint)
    return { endpoint, lane, delivery, isHeld: false }
  }

  /** The endpoint has responded: it may get its next request while this result is being recorded. */
  answered(endpoint: Endpoint): void {
    endpoint.end()
    this.offer(endpoint)
  }

  /** The result is recorded: the slot and the memory are free. */
  finished({ endpoint, delivery }: Picked): void {
    const account = this.#accountOf(endpoint.accountId)
    this.#inFlight--
    this.#bytes -= delivery.bytes
    account.inFlight--
    account.bytes -= delivery.bytes
    this.#offerAccount(account)
    this.#forgetUnused(account)
    if (this.#inFlight === 0) this.#onIdle?.()
  }

  /** Resolves when no delivery is under way. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>(resolve => (this.#onIdle = resolve))
  }

  /** The endpoints in memory; `failing` counts those that fail repeatedly. */
  counts(): { all: number; failing: number } {
    let failing = 0
    for (const endpoint of this.#endpoints.values()) if (endpoint.isFailing) failing++
    return { all: this.#endpoints.size, failing }
  }

  /** Drops endpoints without deliveries; a failing one is kept for an hour. */
  forgetIdle(): void {
    const longAgo = this.#deps.clock.monotonicMs() - FORGET_FAILING_AFTER_MS
    for (const [key, endpoint] of this.#endpoints) {
      const account = this.#accountOf(endpoint.accountId)
      if (!endpoint.isIdle || account.ready.has(endpoint) || endpoint.failsSince(longAgo)) continue
      this.#endpoints.delete(key)
      account.endpoints--
      this.#forgetUnused(account)
    }
  }

  #forgetUnused(account: AccountQueue): void {
    if (account.endpoints === 0 && account.inFlight === 0) this.#accounts.delete(account.id)
  }
}

const firstOf = <T>(set: Set<T>): T | undefined => set.values().next().value
