import type { Store } from '../../store/store.ts'
import type { HeldLease } from '../held-lease.ts'
import type { HostDeps } from '../deps.ts'
import type { NumberLink } from './number-link.ts'

const RETRY_MS = 5_000

type SubscriptionDeps = Pick<HostDeps, 'clock' | 'config' | 'log'> & { store: Pick<Store, 'sessions'> }

/**
 * Makes a number's presence subscriptions. A device remembers its own subscriptions, but not those of the number's earlier
 * device, those requested while it had no link, or those of a host that ended before it could make them.
 */
export class Subscriptions {
  readonly #deps: SubscriptionDeps
  readonly #heldLease: HeldLease
  readonly #link: Pick<NumberLink, 'isUp' | 'execute'>
  #arePending = true
  #areBeingMade = false
  #notBeforeMs = Number.NEGATIVE_INFINITY

  constructor(deps: SubscriptionDeps, heldLease: HeldLease, link: Pick<NumberLink, 'isUp' | 'execute'>) {
    this.#deps = deps
    this.#heldLease = heldLease
    this.#link = link
  }

  /** Subscriptions in the store are not made yet: they are made as soon as there is a link. */
  markPending(): void {
    this.#arePending = true
  }

  makePending(): void {
    if (!this.#link.isUp || !this.#arePending || this.#areBeingMade) return
    if (this.#deps.clock.monotonicMs() < this.#notBeforeMs) return
    this.#arePending = false
    this.#areBeingMade = true
    void this.#make().finally(() => (this.#areBeingMade = false))
  }

  async #make(): Promise<void> {
    const { store, config, clock, log } = this.#deps
    const { sessionId } = this.#heldLease
    try {
      for (const contactJid of await store.sessions.readSubscriptions(sessionId)) {
        const timeout = AbortSignal.timeout(config.ackTimeoutMs)
        await this.#link.execute({ kind: 'presence_subscribe', contactJid, unlessMade: true }, timeout)
      }
    } catch (error) {
      this.#arePending = true
      this.#notBeforeMs = clock.monotonicMs() + RETRY_MS
      log.warn({ session: sessionId, err: error }, 'subscriptions.make_failed')
    }
  }
}
