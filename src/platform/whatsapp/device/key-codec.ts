import { type AuthenticationCreds, BufferJSON, proto } from 'baileys'

const encodeValue = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, BufferJSON.replacer))

const decodeValue = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)

export const encodeCreds = (creds: AuthenticationCreds): Uint8Array => encodeValue(creds)

export const decodeCreds = (bytes: Uint8Array): AuthenticationCreds => decodeValue(bytes) as AuthenticationCreds

// Sessions contain no byte arrays, so plain JSON is enough; it is faster, and every message reads and writes many of
// them.
const isPlain = (category: string): boolean => category === 'session'

export const encodeKey = (category: string, value: unknown): Uint8Array =>
  isPlain(category) ? Buffer.from(JSON.stringify(withoutSpentChains(value))) : encodeValue(value)

export function decodeKey(category: string, bytes: Uint8Array): unknown {
  if (isPlain(category)) return JSON.parse(Buffer.from(bytes).toString())
  const value = decodeValue(bytes)
  if (category === 'sender-key') return withRevivableBytes(value as Uint8Array)
  if (category !== 'app-state-sync-key') return value
  return proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>)
}

/**
 * A sender key, which the library writes as JSON. It writes bytes as lists of numbers but revives only base64: keys of
 * messages that arrive late would be objects that it cannot use.
 */
function withRevivableBytes(json: Uint8Array): Uint8Array {
  const record: unknown = JSON.parse(Buffer.from(json).toString(), (key, value: unknown) => {
    const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
    return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data) : BufferJSON.reviver(key, value)
  })
  return encodeValue(record)
}

/** The part of a stored Signal session record that the library never shortens. */
interface SessionRecord {
  _sessions: Record<string, { _chains: Record<string, Chain> }>
}

interface Chain {
  chainKey: { key?: string }
  messageKeys: Record<string, string>
}

/** As many as other implementations of the protocol store. */
const KEPT = 5

const isClosed = (chain: Chain): boolean => chain.chainKey.key === undefined
/** All of its messages were decrypted, so it is of no further use. */
const isSpent = (chain: Chain): boolean => isClosed(chain) && Object.keys(chain.messageKeys).length === 0

/**
 * The record with only the newest closed chains: each change of direction in a conversation leaves one, with the keys
 * of all messages that did not arrive. A contact that skips thousands of messages each time would make the record grow
 * without limit.
 */
export function withoutSpentChains<T>(record: T): T {
  const { _sessions } = record as SessionRecord
  const sessions = Object.entries(_sessions).map(([key, session]) => {
    const all = Object.entries(session._chains)
    const spent = all.filter(([, chain]) => isSpent(chain))
    const unread = all.filter(([, chain]) => isClosed(chain) && !isSpent(chain))
    const dropped = new Set([...spent.slice(0, -KEPT), ...unread.slice(0, -KEPT)])
    const chains = all.filter(entry => !dropped.has(entry))
    return [key, { ...session, _chains: Object.fromEntries(chains) }]
  })
  return { ...record, _sessions: Object.fromEntries(sessions) }
}
