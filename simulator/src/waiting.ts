import { Refused } from './refused.ts'

/** Lets others wait for a condition over state that somebody else changes. */
export interface Watchers {
  changed(): void
  until<T>(check: () => T, timeoutMs?: number): Promise<NonNullable<T>>
}

const UNTIL_TIMEOUT_MS = 10_000

export function createWatchers(): Watchers {
  const watchers = new Set<() => void>()
  return {
    changed: () => {
      for (const watcher of watchers) watcher()
    },
    until: <T>(check: () => T, timeoutMs = UNTIL_TIMEOUT_MS) =>
      new Promise<NonNullable<T>>((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(watcher)
          reject(new Refused('what was waited for did not happen'))
        }, timeoutMs)
        const watcher = (): void => {
          const answer = check()
          if (!answer) return
          watchers.delete(watcher)
          clearTimeout(timer)
          resolve(answer)
        }
        watchers.add(watcher)
        watcher()
      }),
  }
}

/** Timers that end together. */
export interface Timers {
  /** Without a delay the task runs at once; with an infinite one never. */
  later(delayMs: number, task: () => void): void
  clear(): void
}

export function createTimers(): Timers {
  const timers = new Set<NodeJS.Timeout>()
  return {
    later(delayMs, task) {
      if (delayMs <= 0) return task()
      if (!Number.isFinite(delayMs)) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        task()
      }, delayMs)
      timers.add(timer)
    },
    clear() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
