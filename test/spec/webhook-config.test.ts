import { describe, expect, it } from 'vitest'
import { aboutWebhook } from '../../src/domain/sealed.ts'
import { expectError } from '../harness/client.ts'
import { onAnyStore } from '../harness/gateway.ts'

const URLS = ['messages_url', 'status_url', 'connection_url', 'events_url'] as const
const HOOK = 'http://127.0.0.1:9000/hooks'

describe('Webhook config', () => {
  onAnyStore(gateway => {
    it('POST /v1/webhooks answers 201 with all fields and the secret; URLs not supplied come back as empty strings', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const answer = await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: HOOK })
      expect(answer.status).toBe(201)
      expect(answer.json).toEqual({
        id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
        phone: session.phone,
        session_id: session.jid,
        messages_url: HOOK,
        status_url: '',
        connection_url: '',
        events_url: '',
        active: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        secret: expect.stringMatching(/^whsec_[\w-]{40,}$/),
      })
    })

    it('the secret is returned only in the creation response', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const { json } = await account.ask('POST', '/v1/webhooks', { session_id: session.id, status_url: HOOK })
      const later = [
        await account.ask('GET', '/v1/webhooks'),
        await account.ask('GET', `/v1/webhooks/${json.id}`),
        await account.ask('PUT', `/v1/webhooks/${json.id}`, { events_url: HOOK }),
      ]
      for (const answer of later) {
        expect(answer.status).toBe(200)
        expect(answer.text).not.toContain('secret')
        expect(answer.text).not.toContain('whsec_')
      }
    })

    it('a body without required fields may be omitted', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const { json } = await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: HOOK })
      const rotated = await account.ask('POST', `/v1/webhooks/${json.id}/rotate-secret`)
      expect(rotated.status, rotated.text).toBe(200)
      expect(rotated.json.secret).toMatch(/^whsec_/)
      expect((await account.ask('POST', `/v1/webhooks/${json.id}/replay`)).status).toBe(202)
      expectError(await account.ask('POST', '/v1/webhooks'), 400)
    })

    it('errors in the shape are reported before the number’s account is checked', async () => {
      const [owner, other] = [await gateway().account(), await gateway().account()]
      const session = await gateway().session(owner)
      const wrong = { session_id: session.id, messages_url: 'ftp://example.com/' }
      expectError(await other.ask('POST', '/v1/webhooks', wrong), 400, /messages_url/)
      expectError(await other.ask('POST', '/v1/webhooks', { ...wrong, messages_url: HOOK }), 403)
    })

    it('a config with none of the four URLs is allowed', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account, { hosted: false })
      const empty = Object.fromEntries(URLS.map(field => [field, '']))
      for (const urls of [{}, empty]) {
        const answer = await account.ask('POST', '/v1/webhooks', { session_id: session.jid, ...urls })
        expect(answer.status).toBe(201)
        for (const field of URLS) expect(answer.json[field]).toBe('')
        await account.ask('DELETE', `/v1/webhooks/${answer.json.id}`)
      }
    })

    it('one config per number: a second one is 400, even if both are created at once', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => account.ask('POST', '/v1/webhooks', { session_id: session.id })),
      )
      expect(answers.filter(answer => answer.status === 201)).toHaveLength(1)
      for (const answer of answers.filter(each => each.status !== 201))
        expectError(answer, 400, /session_id already has/)
    })

    it('PUT changes only the fields given; a URL set to empty disables that category; the secret is kept', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const body = { session_id: session.id, messages_url: HOOK, status_url: HOOK }
      const { json: created } = await account.ask('POST', '/v1/webhooks', body)
      const before = await gateway().store.webhooks.getWebhookSecrets(created.id)
      const other = 'http://127.0.0.1:9001/other'
      const answer = await account.ask('PUT', `/v1/webhooks/${created.id}`, { status_url: '', events_url: other })
      expect(answer.status).toBe(200)
      const { secret: _secret, ...rest } = created
      expect(answer.json).toEqual({ ...rest, status_url: '', events_url: other })
      expect((await account.ask('GET', `/v1/webhooks/${created.id}`)).json).toEqual(answer.json)
      const after = await gateway().store.webhooks.getWebhookSecrets(created.id)
      expect(after.map(secret => Buffer.from(secret))).toEqual(before.map(secret => Buffer.from(secret)))
    })

    it('session_id cannot be changed by PUT', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const { json } = await account.ask('POST', '/v1/webhooks', { session_id: session.id })
      const answer = await account.ask('PUT', `/v1/webhooks/${json.id}`, { session_id: session.id })
      expectError(answer, 400, 'session_id is not a known field')
    })

    it('DELETE answers 200 {id, deleted: true}; the number can then have another config', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const { json } = await account.ask('POST', '/v1/webhooks', { session_id: session.id })
      const answer = await account.ask('DELETE', `/v1/webhooks/${json.id}`)
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual({ id: json.id, deleted: true })
      expectError(await account.ask('GET', `/v1/webhooks/${json.id}`), 404, 'webhook not found')
      expectError(await account.ask('DELETE', `/v1/webhooks/${json.id}`), 404, 'webhook not found')
      expect((await account.ask('POST', '/v1/webhooks', { session_id: session.id })).status).toBe(201)
    })

    it('GET /v1/webhooks lists the account’s configs and no other', async () => {
      const [one, two] = await Promise.all([gateway().account(), gateway().account()])
      const ids: string[] = []
      for (let i = 0; i < 3; i++) {
        const session = await gateway().session(one)
        ids.push((await one.ask('POST', '/v1/webhooks', { session_id: session.id })).json.id)
      }
      await two.ask('POST', '/v1/webhooks', { session_id: (await gateway().session(two)).id })
      const answer = await one.ask('GET', '/v1/webhooks')
      expect(answer.json.next_cursor).toBeNull()
      expect(answer.json.data.map((each: { id: string }) => each.id)).toEqual(ids)
    })

    it('webhooks of an offline number can be created and changed: they never answer 409', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account, { hosted: false })
      const created = await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: HOOK })
      expect(created.status).toBe(201)
      const path = `/v1/webhooks/${created.json.id}`
      expect((await account.ask('PUT', path, { messages_url: '' })).status).toBe(200)
      expect((await account.ask('DELETE', path)).status).toBe(200)
    })

    it('rotate-secret returns the new secret once; during an overlap both sign', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const { json } = await account.ask('POST', '/v1/webhooks', { session_id: session.id })
      const open = async () =>
        (await gateway().store.webhooks.getWebhookSecrets(json.id)).map(sealed =>
          gateway().context.seal.open(sealed, aboutWebhook(json.id)).toString(),
        )
      const first = await account.ask('POST', `/v1/webhooks/${json.id}/rotate-secret`, { overlap_seconds: 3600 })
      expect(first.status).toBe(200)
      expect(first.json.secret).toMatch(/^whsec_/)
      expect(await open()).toEqual([first.json.secret, json.secret])
      const second = await account.ask('POST', `/v1/webhooks/${json.id}/rotate-secret`, {})
      expect(await open()).toEqual([second.json.secret])
    })

    it('a URL that no receiver could have is 400 and names the field', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const bad = [
        'nonsense',
        'ftp://example.com/',
        'https://user:pass@example.com/',
        'http://10.0.0.1/',
        'https://a b/',
        '//x',
      ]
      for (const field of URLS) {
        for (const url of bad) {
          expectError(
            await account.ask('POST', '/v1/webhooks', { session_id: session.id, [field]: url }),
            400,
            new RegExp(`^${field} `),
          )
        }
      }
      expect((await account.ask('GET', '/v1/webhooks')).json.data).toEqual([])
    })
  })
})

describe('Webhook config in production', () => {
  const production = {
    POSTERN_MODE: 'production',
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    POSTERN_PUBLIC_URL: 'https://gateway.example.com',
    POSTERN_HOST: '127.0.0.1',
  }
  onAnyStore(gateway => {
    it('outside non-production mode every URL must use https: a config with http is rejected with ErrHTTPSRequired', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      for (const field of URLS) {
        const body = { session_id: session.id, [field]: 'http://hooks.example.com/' }
        expectError(await account.ask('POST', '/v1/webhooks', body), 400, `ErrHTTPSRequired: ${field} must use https`)
      }
      const urls = Object.fromEntries(URLS.map(field => [field, 'https://hooks.example.com/x']))
      const created = await account.ask('POST', '/v1/webhooks', { session_id: session.id, ...urls })
      expect(created.status).toBe(201)
      const put = await account.ask('PUT', `/v1/webhooks/${created.json.id}`, {
        events_url: 'http://hooks.example.com/',
      })
      expectError(put, 400, 'ErrHTTPSRequired: events_url must use https')
    })

    it('a private address is rejected as a target', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      for (const url of ['https://127.0.0.1/', 'https://10.1.2.3/', 'https://[::1]/', 'https://169.254.169.254/']) {
        const answer = await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: url })
        expectError(answer, 400, 'messages_url must not point to a private or reserved address')
      }
    })

    it('a name that can never be public is rejected as a target, and the response names the field and the remedy', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const cure = 'use a public name, or add its address to POSTERN_ALLOWED_TARGETS'
      const urlErrorFor = (field: string) =>
        `${field} must name a public host, not localhost, .local or .internal; ${cure}`
      for (const host of ['localhost', 'API.localhost.', 'printer.local', 'db.INTERNAL.']) {
        const webhook = { session_id: session.id, events_url: `https://${host}/hook` }
        expectError(await account.ask('POST', '/v1/webhooks', webhook), 400, urlErrorFor('events_url'))
        const media = { session_id: session.id, to: '15550001111', media_type: 'image', media_url: `https://${host}/a` }
        expectError(await account.ask('POST', '/v1/messages', media), 400, urlErrorFor('media_url'))
      }
    })
  }, production)
})
