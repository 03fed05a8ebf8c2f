import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ask, expectError } from '../harness/client.ts'
import { movableClock } from '../harness/clocks.ts'
import { onAnyStore, onTwoNodes } from '../harness/gateway.ts'
import { until } from '../harness/until.ts'

const INVALID = 'missing or invalid API key'

describe('API keys', () => {
  onAnyStore(gateway => {
    it('the full value is shown exactly once, at creation; later listings show only the prefix', async () => {
      const account = await gateway().account()
      const created = await account.ask('POST', '/v1/keys', { label: 'staging' })
      expect(created.status).toBe(201)
      expect(created.json).toMatchObject({ id: expect.stringMatching(/^key_/), label: 'staging', session_ids: null })
      expect(created.json.key).toMatch(/^ptn_[A-Za-z0-9]{40}$/)
      expect(created.json.prefix).toBe(created.json.key.slice(0, 12))
      const listed = await account.ask('GET', '/v1/keys')
      expect(listed.text).not.toContain(created.json.key.slice(12))
      const { key: _key, ...rest } = created.json
      expect(listed.json.data).toContainEqual(rest)
    })

    it('only the SHA-256 of a key is stored', async () => {
      const account = await gateway().account()
      const { json } = await account.ask('POST', '/v1/keys', { label: 'x' })
      const hash = createHash('sha256').update(json.key).digest()
      const found = await gateway().store.keys.findKeyByHash(hash)
      expect(found?.key.id).toBe(json.id)
    })

    it('the label is free text, required and stored unchanged', async () => {
      const account = await gateway().account()
      const label = 'Produção 🚀 "quoted" <b>'
      expect((await account.ask('POST', '/v1/keys', { label })).json.label).toBe(label)
      expectError(await account.ask('POST', '/v1/keys', {}), 400, 'label is required')
      expectError(await account.ask('POST', '/v1/keys', { label: '' }), 400, 'label must not be empty')
      expectError(await account.ask('POST', '/v1/keys', { label: 7 }), 400, 'label must be a string')
      expectError(
        await account.ask('POST', '/v1/keys', { label: 'a'.repeat(101) }),
        400,
        'label must not have more than 100 characters',
      )
    })

    it('revocation is permanent', async () => {
      const account = await gateway().account()
      const { json } = await account.ask('POST', '/v1/keys', { label: 'leaked' })
      const leaked = gateway().as(account, json.key)
      expect((await leaked.ask('GET', '/v1/me')).status).toBe(200)
      const answer = await account.ask('DELETE', `/v1/keys/${json.id}`)
      expect(answer.json).toEqual({ id: json.id, revoked: true })
      await until(async () => (await leaked.ask('GET', '/v1/me')).status === 401)
      expectError(await leaked.ask('GET', '/v1/me'), 401, INVALID)
      expectError(await account.ask('DELETE', `/v1/keys/${json.id}`), 404, 'key not found')
      expect((await account.ask('GET', '/v1/keys')).text).not.toContain(json.id)
    })

    it('a key can revoke itself', async () => {
      const account = await gateway().account()
      expect((await account.ask('DELETE', `/v1/keys/${account.keyId}`)).status).toBe(200)
      await until(async () => (await account.ask('GET', '/v1/me')).status === 401)
    })

    it('scopes: send, read, manage; the default is all', async () => {
      const account = await gateway().account()
      expect((await account.ask('POST', '/v1/keys', { label: 'all' })).json.scopes).toEqual(['send', 'read', 'manage'])
      expectError(
        await account.ask('POST', '/v1/keys', { label: 'x', scopes: ['admin'] }),
        400,
        /^scopes\.0 must be one of: send, read, manage/,
      )
      expectError(
        await account.ask('POST', '/v1/keys', { label: 'x', scopes: [] }),
        400,
        'scopes must have at least 1 item',
      )
      const { json } = await account.ask('POST', '/v1/keys', { label: 'r', scopes: ['read', 'read'] })
      expect(json.scopes).toEqual(['read'])
    })

    it('a key does only what its scopes allow', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const send = { session_id: session.id, to: '15550001111', text: 'x' }
      const keyWith = async (scope: string) =>
        gateway().as(account, (await account.ask('POST', '/v1/keys', { label: scope, scopes: [scope] })).json.key)
      const sender = await keyWith('send')
      expect((await sender.ask('POST', '/v1/messages', send)).status).toBe(202)
      expectError(await sender.ask('GET', '/v1/messages'), 403, 'this key lacks the scope "read"')
      expectError(await sender.ask('POST', '/v1/keys', { label: 'x' }), 403, 'this key lacks the scope "manage"')
      const reader = await keyWith('read')
      expect((await reader.ask('GET', '/v1/messages')).status).toBe(200)
      expectError(await reader.ask('POST', '/v1/messages', send), 403, 'this key lacks the scope "send"')
      const manager = await keyWith('manage')
      expect((await manager.ask('POST', '/v1/webhooks', { session_id: session.id })).status).toBe(201)
      expectError(await manager.ask('GET', '/v1/webhooks'), 403, 'this key lacks the scope "read"')
    })

    it('a key can never grant more scopes than it has', async () => {
      const account = await gateway().account()
      const { json } = await account.ask('POST', '/v1/keys', { label: 'm', scopes: ['manage', 'read'] })
      const manager = gateway().as(account, json.key)
      expectError(
        await manager.ask('POST', '/v1/keys', { label: 'x', scopes: ['manage', 'send'] }),
        403,
        'scopes: this key lacks "send" and cannot grant it',
      )
      expect((await manager.ask('POST', '/v1/keys', { label: 'x' })).json.scopes).toEqual(
        ['read', 'manage'].sort((a, b) => json.scopes.indexOf(a) - json.scopes.indexOf(b)),
      )
    })

    it('a key can never grant more sessions than it has, nor see or revoke a key that can do more', async () => {
      const account = await gateway().account()
      const [mine, hidden] = [await gateway().session(account), await gateway().session(account)]
      const foreign = await gateway().session(await gateway().account())
      const { json } = await account.ask('POST', '/v1/keys', { label: 'one number', session_ids: [mine.id] })
      expect(json.session_ids).toEqual([mine.jid])
      const narrow = gateway().as(account, json.key)
      expect((await narrow.ask('POST', '/v1/keys', { label: 'x' })).json.session_ids).toEqual([mine.jid])
      for (const session of [hidden, foreign]) {
        const body = { label: 'x', session_ids: [mine.id, session.id] }
        expectError(await narrow.ask('POST', '/v1/keys', body), 403, 'session does not belong to this tenant')
      }
      expectError(
        await account.ask('POST', '/v1/keys', { label: 'x', session_ids: [foreign.id] }),
        403,
        'session does not belong to this tenant',
      )
      const listed = (await narrow.ask('GET', '/v1/keys')).json.data as Array<{
        id: string
        session_ids: string[] | null
      }>
      expect(listed.map(key => key.session_ids)).toEqual([[mine.jid], [mine.jid]])
      expectError(await narrow.ask('DELETE', `/v1/keys/${account.keyId}`), 404, 'key not found')
      expect((await account.ask('GET', '/v1/me')).status).toBe(200)
    })

    it('a key for some sessions sees, sends through and configures only those', async () => {
      const account = await gateway().account()
      const [mine, hidden] = [await gateway().session(account), await gateway().session(account)]
      const full = await account.ask('POST', '/v1/webhooks', { session_id: hidden.id })
      const sent = await account.ask('POST', '/v1/messages', { session_id: hidden.id, to: '15550001111', text: 'x' })
      const { json } = await account.ask('POST', '/v1/keys', { label: 'one number', session_ids: [mine.id] })
      const narrow = gateway().as(account, json.key)
      const foreign = 'session does not belong to this tenant'
      expectError(
        await narrow.ask('POST', '/v1/messages', { session_id: hidden.id, to: '15550001111', text: 'x' }),
        403,
        foreign,
      )
      expectError(await narrow.ask('POST', '/v1/webhooks', { session_id: hidden.id }), 403, foreign)
      expectError(await narrow.ask('GET', `/v1/webhooks/${full.json.id}`), 403, foreign)
      expectError(await narrow.ask('DELETE', `/v1/webhooks/${full.json.id}`), 403, foreign)
      expectError(await narrow.ask('GET', `/v1/messages/${sent.json.message_id}`), 403, foreign)
      expectError(await narrow.ask('GET', `/v1/sessions/${encodeURIComponent(hidden.id)}`), 403, foreign)
      expect((await narrow.ask('GET', '/v1/webhooks')).json.data).toEqual([])
      expect((await narrow.ask('GET', '/v1/messages')).json.data).toEqual([])
      const sessions = (await narrow.ask('GET', '/v1/sessions')).json.data as Array<{ id: string }>
      expect(sessions.map(session => session.id)).toEqual([mine.id])
    })

    it('a key of another account is 404, and so is one that does not exist', async () => {
      const [one, two] = await Promise.all([gateway().account(), gateway().account()])
      expectError(await one.ask('DELETE', `/v1/keys/${two.keyId}`), 404, 'key not found')
      expectError(await one.ask('DELETE', '/v1/keys/key_nothing'), 404, 'key not found')
      expect((await two.ask('GET', '/v1/me')).status).toBe(200)
    })
  })
})

describe('Revocation on every node', () => {
  const clock = movableClock()
  // Neither receives the notifications of the other.
  const nodes = onTwoNodes({ clock }, { POSTERN_LISTEN: 'off' })

  it('DELETE revokes permanently, within 1 s on every node, even if no node receives the notification', async () => {
    const account = await nodes()[0]!.account()
    const { json } = await account.ask('POST', '/v1/keys', { label: 'leaked' })
    clock.stand()
    for (const node of nodes()) expect((await ask(node.url, 'GET', '/v1/me', { key: json.key })).status).toBe(200)
    expect((await account.ask('DELETE', `/v1/keys/${json.id}`)).status).toBe(200)
    clock.pass(1_000)
    for (const node of nodes()) expectError(await ask(node.url, 'GET', '/v1/me', { key: json.key }), 401, INVALID)
    clock.goOn()
  })
})
