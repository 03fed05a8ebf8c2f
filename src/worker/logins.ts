import { Deferred } from '../runtime/deferred.ts'
import type { LoginEnd } from '../platform/platform.ts'
import { Semaphore } from '../runtime/semaphore.ts'
import { resolveWithin } from '../runtime/deadline.ts'
import type { HostDeps } from './deps.ts'

/** A few that never answer must not hold up the others for long. */
const LEAST_AT_ONCE = 4
const MOST_AT_ONCE = 16
/** Others want to log in too. */
const LOGIN_MS = 5_000

/** One more with each login that was answered; half as many where the platform does not answer. */
export function loginsAtOnce(now: number, end: Parameters<LoginEnd>[0]): number {
  return end === 'answered' ? Math.min(MOST_AT_ONCE, now + 1) : Math.max(LEAST_AT_ONCE, Math.floor(now / 2))
}

/** Logging in is work for all: numbers take turns, and as many at once as the platform bears. */
export class Logins {
  readonly #clock: HostDeps['clock']
  readonly #turns = new Semaphore(LEAST_AT_ONCE)
  #underWay = 0

  constructor({ clock }: Pick<HostDeps, 'clock'>) {
    this.#clock = clock
  }

  /** How many log in, or wait for their turn. */
  get unfinished(): number {
    return this.#underWay
  }

  /** Waits for a turn, unless the signal aborts; what it answers ends that turn. */
  async turn(signal: AbortSignal): Promise<LoginEnd> {
    const begun = new Deferred<LoginEnd>()
    this.#underWay++
    void this.#turns
      .run(() => this.#logIn(begun), signal)
      .catch(() => begun.resolve(() => {}))
      .finally(() => this.#underWay--)
    return await begun.promise
  }

  async #logIn(begun: Deferred<LoginEnd>): Promise<void> {
    const ended = new Deferred<Parameters<LoginEnd>[0]>()
    begun.resolve(end => ended.resolve(end))
    const end = await resolveWithin(this.#clock, LOGIN_MS, ended.promise)
    this.#turns.resize(loginsAtOnce(this.#turns.atOnce, end ?? 'unanswered'))
  }
}
