import { Refused } from './refused.ts'

/** Lets callers wait for a condition on shared state. */
export class Watchers {
  readonly #watchers = new Set<() => void>()

  changed(): void {
    for (const watcher of this.#watchers) watcher()
  }

  /** Resolves with the first truthy result of `check`; waits without limit if there is no timeout. */
  until<T>(check: () => T, timeoutMs?: number): Promise<NonNullable<T>> {
    return new Promise<NonNullable<T>>((resolve, reject) => {
      const giveUp = (): void => {
        this.#watchers.delete(watcher)
        reject(new Refused(`it did not happen within ${timeoutMs} ms`))
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
      const watcher = (): void => {
        const answer = check()
        if (!answer) return
        this.#watchers.delete(watcher)
        clearTimeout(timer)
        resolve(answer)
      }
      this.#watchers.add(watcher)
      watcher()
    })
  }
}

/** Timers that can be cleared together. */
export class Timers {
  readonly #timers = new Set<NodeJS.Timeout>()

  /** Runs the task synchronously without a delay, and never with an infinite one. */
  later(delayMs: number, task: () => void): void {
    if (delayMs <= 0) return task()
    if (!Number.isFinite(delayMs)) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      task()
    }, delayMs)
    this.#timers.add(timer)
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }
}
