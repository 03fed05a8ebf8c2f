import type { SignalKeyStoreWithTransaction } from 'baileys'
import { getOwn } from '../../../runtime/get-own.ts'

type Sessions = Record<string, Uint8Array>

/** A session with a device under a hidden identifier, as the library names it; 129 stands for hosted devices. */
const UNDER_LID = /^(\d+)_(1|129)\.(\d+)$/

/**
 * Keys in which a session moves with its person. Once the hidden identifier of a number is known, the library looks for
 * sessions only under it, but it moves them only for people whose list of devices it has stored. People whom the number
 * never wrote to have none, so their messages could not be decrypted.
 */
export function withMovedSessions(keys: SignalKeyStoreWithTransaction): SignalKeyStoreWithTransaction {
  const get: SignalKeyStoreWithTransaction['get'] = async (category, ids) => {
    const found = await keys.get(category, ids)
    if (category !== 'session') return found
    const missing = ids.filter(id => getOwn(found, id) === undefined && UNDER_LID.test(id))
    return missing.length === 0 ? found : { ...found, ...((await moved(keys, missing)) as typeof found) }
  }
  return {
    get,
    set: data => keys.set(data),
    clear: () => keys.clear?.(),
    isInTransaction: () => keys.isInTransaction(),
    transaction: (work, key) => keys.transaction(work, key),
  }
}

/** Moves the sessions that exist under the numbers of these people. */
async function moved(keys: SignalKeyStoreWithTransaction, ids: readonly string[]): Promise<Sessions> {
  const numbers = await keys.get('lid-mapping', [...new Set(ids.map(reverseOf))])
  const earlier = new Map<string, string>()
  for (const id of ids) {
    const [, , domain, device] = UNDER_LID.exec(id) ?? []
    const number = getOwn(numbers, reverseOf(id))
    if (number !== undefined) earlier.set(`${number}${domain === '129' ? '_128' : ''}.${device}`, id)
  }
  if (earlier.size === 0) return {}
  const sessions = Object.entries(await keys.get('session', [...earlier.keys()]))
  if (sessions.length === 0) return {}
  const now = Object.fromEntries(sessions.map(([id, session]) => [earlier.get(id)!, session]))
  const removed = Object.fromEntries(sessions.map(([id]) => [id, null]))
  await keys.set({ session: { ...now, ...removed } })
  return now
}

/** The id of the mapping from the hidden identifier to its number. */
const reverseOf = (id: string): string => `${id.slice(0, id.indexOf('_'))}_reverse`
