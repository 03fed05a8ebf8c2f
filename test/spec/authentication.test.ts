import { describe, expect, it } from 'vitest'
import { ask, expectError, sendBytes } from '../harness/client.ts'
import { onAnyStore } from '../harness/gateway.ts'

const INVALID = 'missing or invalid API key'

describe('Authentication', () => {
  onAnyStore(gateway => {
    it('every request carries Authorization: Bearer <API_KEY>; the key identifies the account', async () => {
      const [one, two] = await Promise.all([gateway().account(), gateway().account()])
      expect((await one.ask('GET', '/v1/me')).json.account.id).toBe(one.id)
      expect((await two.ask('GET', '/v1/me')).json.account.id).toBe(two.id)
    })

    it('a missing or invalid key gives 401', async () => {
      const { key } = await gateway().account()
      const last = key.at(-1) === 'A' ? 'B' : 'A'
      for (const authorization of [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        key,
        `bearer ${key}`,
        `Basic ${key}`,
        `Bearer ${key.slice(0, -1)}`,
        `Bearer ${key.slice(0, -1)}${last}`,
        `Bearer ${key}A`,
        `Bearer ptn_${'a'.repeat(10_000)}`,
        `Bearer  ${key}`,
        `Bearer ${key} ${key}`,
        `Bearer ${key},Bearer ${key}`,
      ]) {
        const answer = await ask(
          gateway().url,
          'GET',
          '/v1/me',
          authorization === undefined ? {} : { headers: { authorization } },
        )
        expectError(answer, 401, INVALID)
        expect(answer.headers['www-authenticate']).toBe('Bearer')
      }
    })

    it('hidden characters or spaces inside the key make it invalid', async () => {
      const { key } = await gateway().account()
      const spoilt = [
        `${key.slice(0, 20)} ${key.slice(20)}`,
        `${key.slice(0, 20)}\t${key.slice(20)}`,
        `${key.slice(0, 20)}\u00a0${key.slice(20)}`,
        `${key.slice(0, 20)}\u00ad${key.slice(20)}`,
      ]
      for (const bad of spoilt) expectError(await ask(gateway().url, 'GET', '/v1/me', { key: bad }), 401, INVALID)
      const zeroWidth = Buffer.from(
        `GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\u200b\r\n\r\n`,
      )
      expect(await sendBytes(gateway().url, zeroWidth)).toMatch(/^HTTP\/1\.1 401 /)
    })

    it('two Authorization headers are rejected, even if both are valid', async () => {
      const { key } = await gateway().account()
      const line = `Authorization: Bearer ${key}\r\n`
      const bytes = `GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${line}${line}\r\n`
      const answer = await sendBytes(gateway().url, bytes)
      expect(answer).toMatch(/^HTTP\/1\.1 401 /)
      expect(answer).toMatch(/\r\n\r\n\{"error":"missing or invalid API key"\}$/)
    })

    it('a key in the query or in another header is not accepted', async () => {
      const { key } = await gateway().account()
      expectError(await ask(gateway().url, 'GET', `/v1/me?api_key=${key}`), 401, INVALID)
      expectError(await ask(gateway().url, 'GET', '/v1/me', { headers: { 'x-api-key': key } }), 401, INVALID)
    })

    it('a valid key without access gives 403: the session does not belong to the key’s account', async () => {
      const [one, two] = await Promise.all([gateway().account(), gateway().account()])
      const session = await gateway().session(two)
      const body = { session_id: session.id, to: '15550001111', text: 'hi' }
      expectError(await one.ask('POST', '/v1/messages', body), 403, 'session does not belong to this tenant')
    })

    it('a valid key without access gives 403: the account has not accepted the Terms of Service', async () => {
      const account = await gateway().account({ acceptTos: false })
      expectError(await account.ask('GET', '/v1/webhooks'), 403, 'terms of service not accepted')
      expectError(await account.ask('POST', '/v1/messages', {}), 403, 'terms of service not accepted')
    })

    it('the operator token is not accepted as an API key, and an API key is not accepted as the operator token', async () => {
      const { key } = await gateway().account()
      expectError(
        await ask(gateway().url, 'GET', '/operator/accounts', { key }),
        401,
        'missing or invalid operator token',
      )
      expectError(await ask(gateway().url, 'GET', '/v1/me', { key: 'operator-token-0123456789' }), 401, INVALID)
    })
  })
})
