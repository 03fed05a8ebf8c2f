import type { SignalKeyStore } from 'baileys'
import type { CheckBudgetLeft } from '../../../domain/contact.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { OwnKeys } from '../device/own-keys.ts'

const ID = 'day'
const DAY_MS = 86_400_000

/** How many phone numbers a number has checked today, in UTC, stored among the keys of the device. */
export class CheckBudget {
  readonly #kept: OwnKeys<{ day: number; used: number }>
  readonly #clock: Pick<Clock, 'now'>
  readonly #perDay: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(keys: () => SignalKeyStore, clock: Pick<Clock, 'now'>, perDay: number) {
    this.#kept = new OwnKeys('postern-checks', keys)
    this.#clock = clock
    this.#perDay = perDay
  }

  /** Takes all of these checks, or none of them: then `isTaken` is false. Runs one call at a time. */
  take(count: number): Promise<CheckBudgetLeft & { isTaken: boolean }> {
    const taking = this.#last.then(() => this.#take(count))
    this.#last = taking.catch(() => {})
    return taking
  }

  async #take(count: number): Promise<CheckBudgetLeft & { isTaken: boolean }> {
    const day = Math.floor(this.#clock.now().getTime() / DAY_MS)
    const kept = await this.#kept.get(ID)
    const used = kept?.day === day ? kept.used : 0
    const isTaken = used + count <= this.#perDay
    if (isTaken) this.#kept.set(ID, { day, used: used + count })
    const left = Math.max(0, this.#perDay - used - (isTaken ? count : 0))
    return { isTaken, limit: this.#perDay, left, resetsAtMs: (day + 1) * DAY_MS }
  }
}
