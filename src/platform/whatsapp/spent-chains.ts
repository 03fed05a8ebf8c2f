/** The part of a stored Signal session record that the library never shortens. */
interface SessionRecord {
  _sessions: Record<string, { _chains: Record<string, Chain> }>
}

interface Chain {
  chainKey: { key?: string }
  messageKeys: Record<string, string>
}

/** As many as other implementations of the protocol keep. */
const KEPT = 5

/** A closed chain all of whose messages were read: nothing can be decrypted with it any more. */
const isSpent = (chain: Chain): boolean =>
  chain.chainKey.key === undefined && Object.keys(chain.messageKeys).length === 0

/** The record without all but the newest spent chains: each turn of a conversation leaves one. */
export function withoutSpentChains<T>(record: T): T {
  const { _sessions } = record as SessionRecord
  const sessions = Object.entries(_sessions).map(([key, session]) => {
    const all = Object.entries(session._chains)
    const spent = all.filter(([, chain]) => isSpent(chain))
    const dropped = new Set(spent.slice(0, -KEPT))
    const chains = all.filter(entry => !dropped.has(entry))
    return [key, { ...session, _chains: Object.fromEntries(chains) }]
  })
  return { ...record, _sessions: Object.fromEntries(sessions) }
}
