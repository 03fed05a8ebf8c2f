import type { WASocket } from 'baileys'

/** A map that keeps nothing. */
const NOTHING = { get: () => undefined, set: () => {}, delete: () => {}, clear: () => {} }

/** The maps of the library that reserve 70 KB for each number before its first message. */
const MAPS = { recentMessagesMap: NOTHING, messageKeyIndex: NOTHING, baseKeys: NOTHING }

/**
 * The library keeps messages and keys for devices that request a message again. Such requests never reach it
 * (`received/stanzas.ts`), so nothing reads them.
 */
export function replaceRetryMemory({ messageRetryManager: manager }: Pick<WASocket, 'messageRetryManager'>): void {
  if (manager === null) return
  const missing = Object.keys(MAPS).filter(name => !(name in manager))
  if (missing.length > 0) throw new Error(`the library's retry manager has no ${missing.join(', ')}`)
  Object.assign(manager, MAPS)
}
