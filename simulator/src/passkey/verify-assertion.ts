import { verify } from 'node:crypto'
import { type Assertion, ORIGIN, type Passkey, RP_ID, sha256 } from './software-key.ts'

const PRESENT_AND_VERIFIED = 0x05
const BASE64URL = /^[A-Za-z0-9_-]+$/

function bytes(value: unknown): Buffer | undefined {
  return typeof value === 'string' && BASE64URL.test(value) ? Buffer.from(value, 'base64url') : undefined
}

/** Why the server rejects an assertion; `undefined` if it accepts it. */
export function flawOf(key: Passkey, challenge: string, credentialId: Buffer, encoded: Buffer): string | undefined {
  const assertion = parse<Assertion>(encoded)
  const clientData = bytes(assertion?.response?.clientDataJSON)
  const authenticatorData = bytes(assertion?.response?.authenticatorData)
  const signature = bytes(assertion?.response?.signature)
  if (!clientData || !authenticatorData || !signature) return 'the assertion lacks a part'
  if (assertion?.type !== 'public-key' || assertion.id !== assertion.rawId) return 'it is no credential'
  if (!credentialId.equals(key.credentialId)) return 'the credential is not known'
  if (!bytes(assertion.rawId)?.equals(credentialId)) return 'the assertion is of another credential'
  const client = parse<{ type: string; challenge: string; origin: string }>(clientData)
  if (client?.type !== 'webauthn.get') return 'the client data is of another type'
  if (client.challenge !== challenge) return 'the challenge is not the one that was set'
  if (client.origin !== ORIGIN) return 'the page is not of the platform'
  if (!authenticatorData.subarray(0, 32).equals(sha256(Buffer.from(RP_ID)))) return 'the key is for another site'
  if (((authenticatorData[32] ?? 0) & PRESENT_AND_VERIFIED) !== PRESENT_AND_VERIFIED) return 'the user was not verified'
  const signed = Buffer.concat([authenticatorData, sha256(clientData)])
  return verify('sha256', signed, key.publicKey, signature) ? undefined : 'the signature is wrong'
}

function parse<T>(encoded: Buffer): Partial<T> | undefined {
  try {
    const value: unknown = JSON.parse(encoded.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : undefined
  } catch {
    return undefined
  }
}
