import { describe, expect, it } from 'vitest'
import { type Answer, ask, expectError } from '../harness/client.ts'
import { onAnyStore, OPERATOR_TOKEN, startTestGateway } from '../harness/gateway.ts'
import { newPlace } from '../harness/stores.ts'

describe('Operator', () => {
  onAnyStore(gateway => {
    it('POST /operator/accounts answers 201 with the account and its first key, which works', async () => {
      const answer = await gateway().operator('POST', '/operator/accounts', {
        name: 'Acme',
        plan: 'pro',
        accept_tos: true,
        limits: { sessions: 3 },
      })
      expect(answer.status).toBe(201)
      expect(answer.json).toEqual({
        account: {
          id: expect.stringMatching(/^acc_/),
          name: 'Acme',
          plan: 'pro',
          tos_accepted: true,
          tos_version: '2026-01',
          limits: expect.objectContaining({ sessions: 3, messages_per_second: 20 }),
          created_at: expect.stringMatching(/Z$/),
        },
        api_key: { id: expect.stringMatching(/^key_/), key: expect.stringMatching(/^ptn_/), label: 'first key' },
      })
      const me = await ask(gateway().url, 'GET', '/v1/me', { key: answer.json.api_key.key })
      expect(me.json.account.id).toBe(answer.json.account.id)
    })

    it('an account with an email and a password gets a user; an email can be used once', async () => {
      const body = { name: 'Acme', email: 'Ann@Example.com', password: 'correct horse battery' }
      expect((await gateway().operator('POST', '/operator/accounts', body)).status).toBe(201)
      const user = await gateway().store.users.findUserByEmail('ann@example.com')
      expect(user?.passwordHash).toMatch(/^\$argon2id\$/)
      expectError(
        await gateway().operator('POST', '/operator/accounts', { ...body, email: 'ANN@example.com' }),
        400,
        'email is already in use',
      )
      expectError(
        await gateway().operator('POST', '/operator/accounts', { name: 'x', email: 'nobody' }),
        400,
        'email has the wrong format',
      )
      expectError(
        await gateway().operator('POST', '/operator/accounts', { name: 'x', email: 'a@b.c', password: 'short' }),
        400,
        'password must have at least 10 characters',
      )
      expectError(
        await gateway().operator('POST', '/operator/accounts', { name: 'x', password: 'correct horse battery' }),
        400,
        'email is required with password',
      )
      expectError(await gateway().operator('POST', '/operator/accounts', { plan: 'pro' }), 400, 'name is required')
      expectError(
        await gateway().operator('POST', '/operator/accounts', { name: 'x', plan: 'gold' }),
        400,
        /^plan must be one of: free, pro, max/,
      )
    })

    it('GET lists all accounts, PATCH changes plan, name, limits and Terms', async () => {
      const account = await gateway().account({ plan: 'free', acceptTos: false })
      const change = { name: 'New', plan: 'max', limits: { sessions: 9 }, accept_tos: true }
      const patched = await gateway().operator('PATCH', `/operator/accounts/${account.id}`, change)
      expect(patched.json).toMatchObject({
        id: account.id,
        name: 'New',
        plan: 'max',
        tos_accepted: true,
        limits: { sessions: 9, messages_per_second: 80 },
      })
      expect((await account.ask('GET', '/v1/sessions')).status).toBe(200)
      const ids: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Answer['json'] = (
          await gateway().operator('GET', `/operator/accounts?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
        ).json
        ids.push(...page.data.map((each: { id: string }) => each.id))
        cursor = page.next_cursor
      }
      expect(ids).toContain(account.id)
      expect(new Set(ids).size).toBe(ids.length)
      expectError(await gateway().operator('PATCH', '/operator/accounts/acc_nothing', {}), 404, 'account not found')
    })

    it('PATCH gives an account its first user; it needs an email that no other user has', async () => {
      const account = await gateway().account()
      const path = `/operator/accounts/${account.id}`
      const password = 'correct horse battery'
      expectError(
        await gateway().operator('PATCH', path, { name: 'Not so', password }),
        400,
        'email is required: this account has no user who signs in yet',
      )
      expect((await account.ask('GET', '/v1/me')).json.account.name).not.toBe('Not so')
      const email = `first-${account.id}@example.com`
      expect((await gateway().operator('PATCH', path, { email, password })).status).toBe(200)
      const other = await gateway().account()
      expectError(
        await gateway().operator('PATCH', `/operator/accounts/${other.id}`, { email }),
        400,
        'email is already in use',
      )
    })

    it('POST /operator/accounts/{id}/keys creates a key for an account that has lost its own', async () => {
      const account = await gateway().account()
      const answer = await gateway().operator('POST', `/operator/accounts/${account.id}/keys`, {
        label: 'recovery',
        scopes: ['read'],
      })
      expect([answer.status, answer.json.label]).toEqual([201, 'recovery'])
      expect((await gateway().as(account, answer.json.key).ask('GET', '/v1/webhooks')).status).toBe(200)
      expectError(await gateway().as(account, answer.json.key).ask('GET', '/v1/keys'), 403)
      expectError(
        await gateway().operator('POST', '/operator/accounts/acc_nothing/keys', { label: 'x' }),
        404,
        'account not found',
      )
    })

    it('GET /operator/overview shows nodes, leases and the depth of the queue', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      await account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x' })
      const { status, json } = await gateway().operator('GET', '/operator/overview')
      expect(status).toBe(200)
      expect(json.nodes.map((node: { id: string }) => node.id)).toContain(gateway().context.nodeId)
      expect(json.leases.map((lease: { resource: string }) => lease.resource)).toContain(`session:${session.jid}`)
      expect(json.commands.due).toBeGreaterThan(0)
      expect(json.commands.oldest_due_at).toMatch(/Z$/)
    })

    it('without the operator’s token nothing is shown or changed', async () => {
      for (const key of [undefined, 'wrong-token-0123456789', OPERATOR_TOKEN.slice(0, -1), `${OPERATOR_TOKEN} `]) {
        expectError(
          await ask(
            gateway().url,
            'GET',
            '/operator/accounts',
            key === undefined ? {} : { headers: { authorization: `bearer ${key}` } },
          ),
          401,
        )
        expectError(
          await ask(gateway().url, 'POST', '/operator/accounts', {
            ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key.trim()}x` } }),
            body: { name: 'x' },
          }),
          401,
        )
      }
    })
  })

  it('without POSTERN_OPERATOR_TOKEN the operator API is off', async () => {
    const place = await newPlace('sqlite')
    const gateway = await startTestGateway(place, { POSTERN_OPERATOR_TOKEN: '' })
    expectError(await ask(gateway.url, 'GET', '/operator/accounts'), 404, 'path not found')
    expectError(
      await ask(gateway.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: { name: 'x' } }),
      404,
      'path not found',
    )
    await gateway.stop()
    place.remove()
  })
})
