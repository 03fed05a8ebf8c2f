import type { DeviceStorage } from '../../platform.ts'

/**
 * How often messages were begun that never came to an end, counted durably: one that stops the link or the process
 * comes again with every login, and is known by it.
 */
export interface MessageTries {
  /** It is given up: begun as often as that, it never came to an end. */
  isSpent(key: string): boolean
  /** It was begun before, by this process or another. */
  has(key: string): boolean
  count(keys: string[], by?: 1 | -1): Promise<void>
  /** It came to an end; the answer is what has to be written with it. */
  finish(key: string): { finished?: string[] }
}

const MAX_TRIES = 3

export function createMessageTries(
  counted: Map<string, number>,
  storage: Pick<DeviceStorage, 'countTries'>,
): MessageTries {
  return {
    isSpent: key => (counted.get(key) ?? 0) >= MAX_TRIES,
    has: key => counted.has(key),
    async count(keys, by = 1) {
      if (keys.length === 0) return
      await storage.countTries(keys, by)
      for (const key of keys) {
        const tries = (counted.get(key) ?? 0) + by
        if (tries > 0) counted.set(key, tries)
        else counted.delete(key)
      }
    },
    finish: key => (counted.delete(key) ? { finished: [key] } : {}),
  }
}
