import { describe, expect, it } from 'vitest'
import { expectError } from '../harness/client.ts'
import { onAnyStore, startTestGateway } from '../harness/gateway.ts'
import { newPlace, STORES } from '../harness/stores.ts'

const NOT_ACCEPTED = 'terms of service not accepted'

describe('Terms of Service', () => {
  onAnyStore(gateway => {
    it('GET /v1/me, GET /v1/tos and POST /v1/tos/accept work before the Terms are accepted', async () => {
      const account = await gateway().account({ acceptTos: false })
      const me = await account.ask('GET', '/v1/me')
      expect(me.status).toBe(200)
      expect(me.json.account).toMatchObject({ tos_accepted: false, tos_version: null })
      const tos = await account.ask('GET', '/v1/tos')
      expect(tos.json).toEqual({ version: '2026-01', url: expect.stringMatching(/^http:.*\/terms$/) })
      expect((await account.ask('POST', '/v1/tos/accept', { version: '2026-01' })).status).toBe(200)
    })

    it('the Terms are accepted once per account, from its next request on', async () => {
      const account = await gateway().account({ acceptTos: false })
      expectError(await account.ask('GET', '/v1/sessions'), 403, NOT_ACCEPTED)
      const first = await account.ask('POST', '/v1/tos/accept', { version: '2026-01' })
      expect(first.json).toEqual({ version: '2026-01', accepted_at: expect.stringMatching(/Z$/) })
      expect((await account.ask('GET', '/v1/sessions')).status).toBe(200)
      expect((await account.ask('GET', '/v1/me')).json.account).toMatchObject({
        tos_accepted: true,
        tos_version: '2026-01',
      })
      expect((await account.ask('GET', '/v1/tos')).json.accepted_at).toBe(first.json.accepted_at)
      const again = await account.ask('POST', '/v1/tos/accept', { version: '2026-01' })
      expect(again.json).toEqual(first.json)
    })

    it('another version is 400 naming the current one', async () => {
      const account = await gateway().account({ acceptTos: false })
      for (const version of ['2025-01', 'latest', '2026-01 ']) {
        expectError(
          await account.ask('POST', '/v1/tos/accept', { version }),
          400,
          'version must be the current Terms version, 2026-01',
        )
      }
      expectError(await account.ask('POST', '/v1/tos/accept', {}), 400, 'version is required')
      expectError(await account.ask('POST', '/v1/tos/accept', { version: '' }), 400, 'version must not be empty')
      expectError(await account.ask('GET', '/v1/sessions'), 403, NOT_ACCEPTED)
    })

    it('the Terms are checked before the shape of the request, and after the key', async () => {
      const account = await gateway().account({ acceptTos: false })
      expectError(await account.ask('POST', '/v1/messages', '{nonsense'), 403, NOT_ACCEPTED)
      expectError(await gateway().as(account, 'ptn_x').ask('POST', '/v1/messages', '{nonsense'), 401)
    })
  })

  it.each(STORES)(
    'accepted Terms stay accepted when the label changes; GET /v1/me shows both labels (%s)',
    async kind => {
      const place = await newPlace(kind)
      const before = await startTestGateway(place)
      const account = await before.account()
      await before.stop()
      const after = await startTestGateway(place, { POSTERN_TOS_VERSION: '2027-06' })
      const again = after.as(account, account.key)
      expect((await again.ask('GET', '/v1/sessions')).status).toBe(200)
      expect((await again.ask('GET', '/v1/me')).json.account).toMatchObject({
        tos_accepted: true,
        tos_version: '2026-01',
        current_tos_version: '2027-06',
      })
      expectError(await again.ask('POST', '/v1/tos/accept', { version: '2026-01' }), 400, /2027-06/)
      expect((await again.ask('POST', '/v1/tos/accept', { version: '2027-06' })).json.version).toBe('2027-06')
      await after.stop()
      place.remove()
    },
  )
})
