import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { assertionFlaw } from './assertion-flaw.ts'
import type { PasskeyAssertion } from './passkey.ts'

const base64url = (value: string | Buffer): string => Buffer.from(value).toString('base64url')

interface Made {
  type?: string
  challenge?: string
  origin?: string
  rpId?: string
  flags?: number
  rawId?: string
  clientDataJSON?: string
}

function made(parts: Made = {}): PasskeyAssertion {
  const { type = 'webauthn.get', challenge = 'asked', origin = 'https://web.whatsapp.com' } = parts
  const { rpId = 'whatsapp.com', flags = 5, rawId = 'aWQ' } = parts
  const hash = createHash('sha256').update(rpId).digest()
  return {
    id: 'aWQ',
    rawId,
    type: 'public-key',
    response: {
      clientDataJSON: base64url(parts.clientDataJSON ?? JSON.stringify({ type, challenge, origin })),
      authenticatorData: base64url(Buffer.concat([hash, Buffer.from([flags]), Buffer.alloc(4)])),
      signature: 'c2ln',
      userHandle: null,
    },
  }
}

it.each<[string, Made]>([
  ['as a browser makes it', {}],
  ['on the site itself', { origin: 'https://whatsapp.com' }],
  ['with more flags', { flags: 0x1d }],
])('an assertion %s has no flaw', (_, parts) => {
  expect(assertionFlaw(made(parts), { challenge: 'asked' })).toBeUndefined()
})

it.each<[string, Made]>([
  ['rawId', { rawId: 'b3RoZXI' }],
  ['response.clientDataJSON', { type: 'webauthn.create' }],
  ['response.clientDataJSON', { challenge: 'another' }],
  ['response.clientDataJSON', { origin: 'https://gateway.example' }],
  ['response.clientDataJSON', { origin: 'https://notwhatsapp.com' }],
  ['response.clientDataJSON', { origin: 'http://web.whatsapp.com' }],
  ['response.clientDataJSON', { clientDataJSON: 'text' }],
  ['response.clientDataJSON', { clientDataJSON: 'null' }],
  ['response.authenticatorData', { rpId: 'gateway.example' }],
  ['response.authenticatorData', { flags: 1 }],
  ['response.authenticatorData', { flags: 4 }],
])('an assertion with a flaw is rejected with its field %s: %o', (field, parts) => {
  expect(assertionFlaw(made(parts), { challenge: 'asked', rpId: 'whatsapp.com' })).toMatch(new RegExp(`^${field}\\b`))
})
