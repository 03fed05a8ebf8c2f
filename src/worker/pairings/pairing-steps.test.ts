import { expect, it } from 'vitest'
import { invalid } from '../../domain/errors.ts'
import { PairingRefused, type PairingStep } from '../../platform/platform.ts'
import { endAfter, shownBy } from './pairing-steps.ts'

it.each<[PairingStep, ReturnType<typeof shownBy>]>([
  [
    { kind: 'qr', qr: '2@x', expiresAtMs: 9 },
    { status: 'waiting', code: { qr: '2@x' }, expiresAt: 9, lastsUntil: null, error: null, isAtWork: false },
  ],
  [
    { kind: 'code', code: 'ABCD', expiresAtMs: 9, renew: async () => {} },
    { status: 'waiting', code: { code: 'ABCD' }, expiresAt: 9, lastsUntil: null, error: null, isAtWork: false },
  ],
  [
    { kind: 'scanned' },
    { status: 'scanned', code: null, expiresAt: null, lastsUntil: null, error: null, isAtWork: true },
  ],
  [
    { kind: 'renewing' },
    { status: 'pending', code: null, expiresAt: null, lastsUntil: null, error: null, isAtWork: false },
  ],
  [
    { kind: 'trouble', why: 'no network' },
    { status: 'pending', code: null, expiresAt: null, lastsUntil: null, error: 'no network', isAtWork: false },
  ],
  [
    { kind: 'passkey', options: { challenge: 'c' }, expiresAtMs: 9, answer: async () => {} },
    {
      status: 'passkey',
      code: { passkey: { options: { challenge: 'c' }, ticket: 'ticket' } },
      expiresAt: 9,
      lastsUntil: 120_009,
      error: null,
      isAtWork: false,
    },
  ],
  [
    { kind: 'confirm', code: 'ABCD-EFGH', expiresAtMs: 9, confirm: async () => {} },
    {
      status: 'confirm',
      code: { code: 'ABCD-EFGH' },
      expiresAt: 9,
      lastsUntil: 120_009,
      error: null,
      isAtWork: false,
    },
  ],
  [
    { kind: 'trouble', why: 'too many', retryAtMs: 9 },
    { status: 'pending', code: null, expiresAt: 9, lastsUntil: null, error: 'too many', isAtWork: false },
  ],
])('the step %o is shown', (step, shown) => {
  expect(shownBy(step, () => 'ticket')).toEqual(shown)
})

it.each([
  ['a rejection shows its reason', invalid('no more numbers'), false, { status: 'failed', error: 'no more numbers' }],
  [
    'a rejection by the platform shows its reason',
    new PairingRefused('no such number'),
    false,
    { status: 'failed', error: 'no such number' },
  ],
  ['an internal error shows no details', new Error('socket'), false, { status: 'failed', error: expect.any(String) }],
  ['one that was let go has expired', new Error('aborted'), true, { status: 'expired', error: null }],
  ['a rejection of a released pairing shows its reason', invalid('late'), true, { status: 'expired', error: 'late' }],
])('%s', (_, error, isLetGo, end) => {
  const ended = endAfter(error, isLetGo)
  expect(ended).toEqual(end)
  expect(ended.error ?? '').not.toContain('socket')
})
