import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { makeLog } from '../observability/log.ts'
import { Seal } from '../store/seal.ts'
import type { Store } from '../store/store.ts'
import { unlinkSession } from './unlink-session.ts'

const SESSION = {
  id: '15550001111@s.whatsapp.net',
  accountId: 'acc_1',
  phone: '15550001111',
  platform: 'sandbox',
  hosted: false,
  state: 'connecting',
} as const

const unlink = (store: object) =>
  unlinkSession(
    { store: store as unknown as Store, seal: new Seal([randomBytes(32)]), clock: systemClock, log: makeLog('silent') },
    SESSION,
  )

it('an unlinked number is deleted, whether or not the sandbox can be reached', async () => {
  const addRequest = async () => {
    throw new Error('the database is away')
  }
  await expect(
    unlink({ sessions: { clearNumber: async () => false, forgetSession: async () => true }, requests: { addRequest } }),
  ).resolves.toBeUndefined()
  await expect(
    unlink({
      sessions: { clearNumber: async () => false, forgetSession: async () => false },
      requests: { addRequest },
    }),
  ).rejects.toThrow('session')
})
