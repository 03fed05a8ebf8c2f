import { setMaxListeners } from 'node:events'
import type { Clock } from '../runtime/clock.ts'
import type { HeldLease } from './held-lease.ts'

const POLL_MS = 10

/** Concurrent tasks of a number. At the end they get a grace period, then they are aborted. */
export class TaskGroup {
  readonly #clock: Clock
  readonly #heldLease: HeldLease
  readonly #tasks = new Set<Promise<void>>()
  readonly #aborting = new AbortController()

  constructor({ clock }: { clock: Clock }, heldLease: HeldLease) {
    this.#clock = clock
    this.#heldLease = heldLease
    // Every task adds a listener.
    setMaxListeners(0, this.#aborting.signal)
  }

  /** Aborts at the end of the grace period. */
  get signal(): AbortSignal {
    return this.#aborting.signal
  }

  /** Adds a task, which must not reject. */
  add(task: Promise<void>): void {
    this.#tasks.add(task)
    void task.then(() => this.#tasks.delete(task))
  }

  /** Waits for the tasks up to `graceMs`, or until the lease is over, then aborts the rest. */
  async finish(graceMs: number): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + graceMs
    while (this.#tasks.size > 0 && this.#clock.monotonicMs() < untilMs && this.#heldLease.isValid())
      await this.#clock.sleep(POLL_MS)
    this.#aborting.abort()
    await Promise.all(this.#tasks)
  }
}
