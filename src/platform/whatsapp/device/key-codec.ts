import { type AuthenticationCreds, BufferJSON, proto } from 'baileys'
import { withoutSpentChains } from './spent-chains.ts'

const encodeValue = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, BufferJSON.replacer))

const decodeValue = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)

export const encodeCreds = (creds: AuthenticationCreds): Uint8Array => encodeValue(creds)

export const decodeCreds = (bytes: Uint8Array): AuthenticationCreds => decodeValue(bytes) as AuthenticationCreds

// The library writes sessions without any bytes: they are read and written for each device that a message is for.
const isPlain = (category: string): boolean => category === 'session'

export const encodeKey = (category: string, value: unknown): Uint8Array =>
  isPlain(category) ? Buffer.from(JSON.stringify(withoutSpentChains(value))) : encodeValue(value)

export function decodeKey(category: string, bytes: Uint8Array): unknown {
  if (isPlain(category)) return JSON.parse(Buffer.from(bytes).toString())
  const value = decodeValue(bytes)
  if (category !== 'app-state-sync-key') return value
  return proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>)
}
