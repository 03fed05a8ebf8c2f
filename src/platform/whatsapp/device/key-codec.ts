import { type AuthenticationCreds, BufferJSON, proto } from 'baileys'

/** In a buffer of its own: Node puts small texts into a shared buffer of 8 KB, and a key that is kept would keep all of it. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

const encodeValue = (value: unknown): Uint8Array => ownBytes(JSON.stringify(value, BufferJSON.replacer))

const decodeValue = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)

export const encodeCreds = (creds: AuthenticationCreds): Uint8Array => encodeValue(creds)

export const decodeCreds = (bytes: Uint8Array): AuthenticationCreds => decodeValue(bytes) as AuthenticationCreds

// Sessions contain no byte arrays, so plain JSON is enough; it is faster, and every message reads and writes many of
// them.
const isPlain = (category: string): boolean => category === 'session'

export function encodeKey(category: string, value: unknown): Uint8Array {
  if (!isPlain(category)) return encodeValue(value)
  const kept = withoutSpentChains(value)
  const bytes = ownBytes(JSON.stringify(kept))
  keepDecoded(bytes, kept)
  return bytes
}

/** The sessions that were encoded or decoded last, of all numbers of this thread, by their bytes. */
const DECODED = 512
const decoded = new Map<Uint8Array, unknown>()

function keepDecoded(bytes: Uint8Array, session: unknown): void {
  decoded.set(bytes, session)
  if (decoded.size > DECODED) decoded.delete(decoded.keys().next().value!)
}

function decodeSession(bytes: Uint8Array): unknown {
  const known = decoded.get(bytes)
  decoded.delete(bytes)
  const session: unknown = known ?? JSON.parse(Buffer.from(bytes).toString())
  keepDecoded(bytes, session)
  return session
}

/** Names of people, which every message reads several times, by their bytes. */
const names = new WeakMap<Uint8Array, string>()

/** The library changes no session that it gets, so that several readers share one. */
export function decodeKey(category: string, bytes: Uint8Array): unknown {
  if (isPlain(category)) return decodeSession(bytes)
  const name = names.get(bytes)
  if (name !== undefined) return name
  const value = decodeValue(bytes)
  if (typeof value === 'string') names.set(bytes, value)
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
  if (Object.values(_sessions).every(({ _chains }) => Object.keys(_chains).length <= KEPT)) return record
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
