import { createHash } from 'node:crypto'
import type { PasskeyAssertion, PasskeyOptions } from './passkey.ts'

const RP_ID = 'whatsapp.com'
const HASH_BYTES = 32
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04

/**
 * Why a browser's assertion is invalid, as far as that can be checked without the key; the text begins with the field. The
 * check keeps assertions from the platform that it would reject.
 */
export function assertionFlaw(assertion: PasskeyAssertion, options: PasskeyOptions): string | undefined {
  if (assertion.rawId !== assertion.id) return 'rawId must be the same as id'
  const { clientDataJSON, authenticatorData } = assertion.response
  return clientFlaw(clientDataJSON, options) ?? authenticatorFlaw(authenticatorData, options)
}

function clientFlaw(encoded: string, { challenge, rpId = RP_ID }: PasskeyOptions): string | undefined {
  const field = 'response.clientDataJSON'
  const client = parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  if (client === undefined) return `${field} is not JSON`
  if (client.type !== 'webauthn.get') return `${field}: type must be webauthn.get`
  if (client.challenge !== challenge) return `${field}: it answers another request; ask for the pairing again`
  return isOrigin(client.origin, rpId) ? undefined : `${field}: origin must be a page of ${rpId}`
}

function authenticatorFlaw(encoded: string, { rpId = RP_ID }: PasskeyOptions): string | undefined {
  const field = 'response.authenticatorData'
  const data = Buffer.from(encoded, 'base64url')
  const flags = data[HASH_BYTES] ?? 0
  if (!data.subarray(0, HASH_BYTES).equals(createHash('sha256').update(rpId).digest()))
    return `${field} is not for ${rpId}`
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) return `${field}: the user was not verified`
  return undefined
}

function isOrigin(origin: unknown, rpId: string): boolean {
  if (typeof origin !== 'string') return false
  return origin === `https://${rpId}` || (origin.startsWith('https://') && origin.endsWith(`.${rpId}`))
}

function parse(text: string): { type?: unknown; challenge?: unknown; origin?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
