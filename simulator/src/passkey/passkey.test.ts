import { expect, it } from 'vitest'
import { startOpenSimulator } from '../simulator.ts'
import { userOf } from '../people.ts'
import { type Assertion, type AssertionFlaws, assertionOf, passkeyOf } from './software-key.ts'
import { passkeyDemandOf } from './demands.ts'
import { codeOfBytes } from '../server/passkey-ceremony.ts'
import { flawOf } from './verify-assertion.ts'

const simulator = await startOpenSimulator()
const key = passkeyOf(userOf(simulator.network, '999557277539'))
const other = passkeyOf(userOf(simulator.network, '999557277530'))
await simulator.close()

const encoded = (assertion: unknown): Buffer => Buffer.from(JSON.stringify(assertion))
const flawIn = (assertion: unknown, id = key.credentialId): string | undefined =>
  flawOf(key, 'challenge', id, encoded(assertion))

it('a person’s passkey is always the same, and differs from other people’s', () => {
  expect(passkeyOf(userOf(simulator.network, '999557277539')).credentialId).toEqual(key.credentialId)
  expect(other.credentialId).not.toEqual(key.credentialId)
})

it('the server accepts an assertion for its challenge', () => {
  expect(flawIn(assertionOf(key, 'challenge'))).toBeUndefined()
})

it.each<[string, AssertionFlaws]>([
  ['type', { type: 'webauthn.create' }],
  ['page', { origin: 'https://gateway.example' }],
  ['site', { rpId: 'gateway.example' }],
  ['verified', { flags: 0x01 }],
  ['verified', { flags: 0x04 }],
])('the server rejects an assertion with a wrong %s', (what, flaws) => {
  expect(flawIn(assertionOf(key, 'challenge', flaws))).toContain(what)
})

const good = assertionOf(key, 'challenge')
const withResponse = (change: Partial<Assertion['response']>) => ({
  ...good,
  response: { ...good.response, ...change },
})

it.each<[string, unknown]>([
  ['challenge', assertionOf(key, 'another')],
  ['signature', withResponse({ signature: assertionOf(other, 'challenge').response.signature })],
  ['credential', { ...good, id: other.credentialId.toString('base64url') }],
  ['part', withResponse({ authenticatorData: 'a+b' })],
  ['part', {}],
  ['part', 'text'],
])('the server rejects an assertion with a wrong %s, case %#', (what, assertion) => {
  expect(flawIn(assertion)).toContain(what)
})

it('the server rejects an assertion that names another credential', () => {
  expect(flawIn(good, other.credentialId)).toContain('not known')
})

it.each([
  ['0000000000', '1111-1111'],
  ['ffffffffff', 'ZZZZ-ZZZZ'],
  ['0123456789', '15JM-BSWA'],
])('the code of the bytes %s is %s', (hex, code) => {
  expect(codeOfBytes(Buffer.from(hex, 'hex'))).toBe(code)
})

it.each([
  ['999557277539', 'asked'],
  ['999557277530', 'hangs'],
  ['999557277531', 'none'],
  ['999000000001', 'none'],
])('the passkey demand of the number %s is %s', (digits, demand) => {
  expect(passkeyDemandOf(digits)).toBe(demand)
})
