import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import pg from 'pg'
import { makeId } from '../../src/domain/ids.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { AcceptRequest } from '../../src/store/messages/accept-messages.ts'
import { registerTestSession } from '../harness/gateway.ts'
import { newPlace, type Place } from '../harness/stores.ts'

const LIMITS = { perSecond: 1_000, burst: 1_000, perMonth: 1_000 }

/** Behind a pooler there are no single statements, so that everything goes through a transaction. */
describe.each(['in one statement', 'in a transaction'])(
  'Accepting %s while another node has an account locked',
  way => {
    let place: Place
    let store: Store
    let other: pg.Client
    beforeAll(async () => {
      place = await newPlace('postgres')
      const url = place.databaseUrl!
      store = await openPostgresStore({ url, ...(way === 'in a transaction' && { directUrl: url }) })
      other = new pg.Client({ connectionString: url })
      await other.connect()
    })
    afterAll(async () => {
      await other.end()
      await store.close()
      place.remove()
    })

    async function newSender() {
      const accountId = makeId('acc')
      const plan = { plan: 'max', limitOverrides: {}, acceptTosVersion: null, user: null, key: null } as const
      await store.accounts.createAccount({ id: accountId, name: 'Test', ...plan })
      const { jid: sessionId } = await registerTestSession(store, accountId, true)
      const send = (requestKey: string | null = null) => {
        const id = makeId('msg')
        const to = '15550002222@s.whatsapp.net'
        const fields = { id, sessionId, requestKey, to, type: 'text', platformId: id, sendAt: null }
        const fingerprint = requestKey === null ? null : Buffer.alloc(36, 1)
        const request: AcceptRequest = {
          accountId,
          limits: LIMITS,
          message: { ...fields, fingerprint },
          sealedContent: Buffer.from('sealed'),
        }
        return store.messages.acceptMessage(request)
      }
      await send('known')
      return { accountId, send }
    }

    it('does not delay other accounts, neither in the same batch nor later', async () => {
      const [held, ...neighbours] = [await newSender(), await newSender(), await newSender()]
      const fresh = await newSender()
      await other.query(`begin; select 1 from account_meters where account_id = '${held!.accountId}' for update`)
      let isAnswered = false
      const waiting = Promise.all([held!.send(), held!.send(), held!.send('known')]).finally(() => (isAnswered = true))
      for (const { send } of [...neighbours, fresh]) {
        expect(await send()).toEqual({ kind: 'accepted' })
        expect(await send('known')).toMatchObject({ kind: 'repeated' })
      }
      expect(isAnswered).toBe(false)
      await other.query('commit')
      expect((await waiting).map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'repeated'])
    })
  },
)
