import type { WASocket } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'

const MAX_BASE_KEYS = 1_024
const BASE_KEY_MS = 15 * 60_000

/** A map that keeps nothing. */
const NOTHING = { get: () => undefined, set: () => {}, delete: () => {}, clear: () => {} }

/**
 * What the library remembers for devices that request a message again takes 70 KB for each number before the first
 * message, and each message a timer. The messages are not needed, because the library reads them from the storage too.
 */
export function replaceRetryMemory({ messageRetryManager: manager }: WASocket, clock: Clock): void {
  if (manager === null) return
  Object.assign(manager, {
    recentMessagesMap: NOTHING,
    messageKeyIndex: NOTHING,
    baseKeys: new ExpiringMap(MAX_BASE_KEYS, { ms: BASE_KEY_MS, clock }),
  })
}
