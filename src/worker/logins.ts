import { Deferred } from '../runtime/deferred.ts'
import type { LoginOutcome, ReleaseLoginSlot } from '../platform/platform.ts'
import { Semaphore } from '../runtime/semaphore.ts'
import { resolveWithin } from '../runtime/deadline.ts'
import type { HostDeps } from './deps.ts'

/** Some logins without a response must not delay the others for long. */
const MIN_CONCURRENT = 4
const MAX_CONCURRENT = 16
/** A login gives its slot to the next one after this time. */
const LOGIN_MS = 5_000

/** One more slot after each login with a response; half as many slots after one without. */
export function concurrentLogins(now: number, outcome: LoginOutcome): number {
  return outcome === 'answered' ? Math.min(MAX_CONCURRENT, now + 1) : Math.max(MIN_CONCURRENT, Math.floor(now / 2))
}

/** Limits concurrent logins to what the platform and this process can take. */
export class Logins {
  readonly #clock: HostDeps['clock']
  readonly #slots = new Semaphore(MIN_CONCURRENT)
  /** A proxy that does not answer must not delay numbers without one, and says nothing about the platform. */
  readonly #proxiedSlots = new Semaphore(MAX_CONCURRENT)
  #underWay = 0

  constructor({ clock }: Pick<HostDeps, 'clock'>) {
    this.#clock = clock
  }

  /** Logins under way or waiting for a slot, without those through proxies. */
  get unfinished(): number {
    return this.#underWay
  }

  /** Waits for a slot, unless the signal aborts. The returned function frees it. */
  async acquireSlot(signal: AbortSignal, isProxied = false): Promise<ReleaseLoginSlot> {
    const begun = new Deferred<ReleaseLoginSlot>()
    if (isProxied) {
      void this.#proxiedSlots.run(() => this.#outcomeOf(begun), signal).catch(() => begun.resolve(() => {}))
      return await begun.promise
    }
    this.#underWay++
    void this.#slots
      .run(() => this.#logIn(begun), signal)
      .catch(() => begun.resolve(() => {}))
      .finally(() => this.#underWay--)
    return await begun.promise
  }

  async #logIn(begun: Deferred<ReleaseLoginSlot>): Promise<void> {
    const outcome = await this.#outcomeOf(begun)
    this.#slots.resize(concurrentLogins(this.#slots.limit, outcome ?? 'unanswered'))
  }

  async #outcomeOf(begun: Deferred<ReleaseLoginSlot>): Promise<LoginOutcome | undefined> {
    const ended = new Deferred<LoginOutcome>()
    begun.resolve(outcome => ended.resolve(outcome))
    return await resolveWithin(this.#clock, LOGIN_MS, ended.promise)
  }
}
