import { describe, expect, it } from 'vitest'
import { makeId } from '../../src/domain/ids.ts'
import { ask, expectError, sendBytes } from '../harness/client.ts'
import { onEachStore, onTwoNodes, registerTestSession, startTestGateway, type TestAccount } from '../harness/gateway.ts'
import { newPlace, STORES } from '../harness/stores.ts'

const REUSED = 'Idempotency-Key was already used with a different request'
const BAD_KEY = 'Idempotency-Key must be 1 to 255 visible ASCII characters'
const usageOf = async (account: TestAccount): Promise<number> =>
  (await account.ask('GET', '/v1/me')).json.usage.messages

describe('Idempotency', () => {
  onEachStore(gateway => {
    async function prepare(limits = {}) {
      const account = await gateway().account({ limits })
      const session = await gateway().session(account)
      const body = { session_id: session.id, to: '+1 555 000-1111', text: 'hello' }
      const send = (key: string | null, change: object = {}) =>
        account.ask('POST', '/v1/messages', { ...body, ...change }, key === null ? {} : { 'idempotency-key': key })
      return { account, session, body, send }
    }

    it('the key is echoed as request_id; without a key, request_id is the message_id', async () => {
      const { send, session } = await prepare()
      const keyed = await send('order-1')
      expect(keyed.status).toBe(202)
      expect(keyed.json).toEqual({
        message_id: expect.stringMatching(/^msg_[0-9a-z]{26}$/),
        request_id: 'order-1',
        session_id: session.jid,
        to: '15550001111@s.whatsapp.net',
        status: 'queued',
      })
      const bare = await send(null)
      expect(bare.json.request_id).toBe(bare.json.message_id)
      expect((await send(null)).json.message_id).not.toBe(bare.json.message_id)
    })

    it('reuse on retry prevents duplicates: 202 with the first answer and Idempotent-Replayed: true, not counted', async () => {
      const { account, send } = await prepare()
      const first = await send('order-1')
      expect(first.headers['idempotent-replayed']).toBeUndefined()
      for (let i = 0; i < 3; i++) {
        const again = await send('order-1')
        expect(again.status).toBe(202)
        expect(again.text).toBe(first.text)
        expect(again.headers['idempotent-replayed']).toBe('true')
      }
      expect((await account.ask('GET', '/v1/messages')).json.data).toHaveLength(1)
      expect(await usageOf(account)).toBe(1)
    })

    it('the same key with another body is 400', async () => {
      const { send, account } = await prepare()
      await send('order-1')
      for (const change of [
        { text: 'other' },
        { to: '15550002222' },
        { link_preview: true },
        { quoted_message_id: 'X' },
      ]) {
        expectError(await send('order-1', change), 400, REUSED)
      }
      expect(await usageOf(account)).toBe(1)
    })

    it('bodies are compared in their canonical parsed form: field order and white space do not count', async () => {
      const { account, session } = await prepare()
      const headers = { 'idempotency-key': 'k' }
      const one = `{"session_id":"${session.id}","to":"15550001111","location":{"latitude":1.0,"longitude":2}}`
      const two = `{ "location": {"longitude": 2e0, "latitude": 1},\n "to": "\\u00315550001111", "session_id": "${session.id}" }`
      const first = await account.ask('POST', '/v1/messages', one, headers)
      expect(first.status).toBe(202)
      const again = await account.ask('POST', '/v1/messages', two, headers)
      expect([again.status, again.json.message_id, again.headers['idempotent-replayed']]).toEqual([
        202,
        first.json.message_id,
        'true',
      ])
    })

    it('keys are unique per account: the same key of two accounts is two messages', async () => {
      const [one, two] = [await prepare(), await prepare()]
      const answers = [await one.send('same'), await two.send('same')]
      expect(answers.map(answer => answer.status)).toEqual([202, 202])
      expect(answers[0]!.json.message_id).not.toBe(answers[1]!.json.message_id)
    })

    it('a key has 1 to 255 visible ASCII characters; any other key is 400', async () => {
      const { send, account } = await prepare()
      expect((await send('!~'.padEnd(255, 'x'))).status).toBe(202)
      for (const bad of ['', 'x'.repeat(256), 'with space', 'tab\there', 'naïve'])
        expectError(await send(bad), 400, BAD_KEY)
      const body = '{}'
      const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
      const emoji = await sendBytes(gateway().url, Buffer.from(`${head}Idempotency-Key: 🙂\r\n\r\n${body}`))
      expect(emoji).toMatch(/^HTTP\/1\.1 400 /)
      const twice = await sendBytes(gateway().url, `${head}Idempotency-Key: a\r\nIdempotency-Key: b\r\n\r\n${body}`)
      expect(twice).toMatch(/^HTTP\/1\.1 400 /)
      const nul = await sendBytes(gateway().url, `${head}Idempotency-Key: a\0b\r\n\r\n${body}`)
      expect(nul).toMatch(/^HTTP\/1\.1 400 /)
    })

    it('a replay is answered even if the session is offline by then', async () => {
      const { send, session } = await prepare()
      const first = await send('order-1')
      await gateway().setState(session, 'logged_out')
      // A separate key for each: an accepted one would always be answered the same.
      await expect.poll(async () => (await send(makeId('msg'))).status).toBe(409)
      const again = await send('order-1')
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true'])
      expectError(await send('order-1', { text: 'other' }), 400, REUSED)
      expectError(await send('order-2'), 409, 'session is not currently hosted by any worker')
    })

    it('a replay does not count against the message limit or the quota', async () => {
      const { send, account } = await prepare({ messages_per_second: 0.001, messages_burst: 2, messages_per_month: 2 })
      const first = await send('order-1')
      await send('order-2')
      expectError(await send('order-3'), 429)
      for (let i = 0; i < 5; i++) expect((await send('order-1')).text).toBe(first.text)
      expect(await usageOf(account)).toBe(2)
    })

    it('only a 202 records the key: after 400, 409 or 429 the same key can be used for a correct request', async () => {
      const { send, session, account } = await prepare({ messages_per_second: 0.001, messages_burst: 1 })
      expectError(await send('k', { to: 'nobody' }), 400)
      await gateway().setState(session, 'disconnected')
      await expect.poll(async () => (await send('k', { text: 'a' })).status).toBe(409)
      await gateway().setState(session, 'connected')
      await expect.poll(async () => (await send('other')).status).toBe(202)
      expectError(await send('k', { text: 'b' }), 429)
      await gateway().operator('PATCH', `/operator/accounts/${account.id}`, { limits: { messages_per_second: null } })
      await expect.poll(async () => (await account.ask('GET', '/v1/me')).json.limits.messages_per_second).toBeNull()
      const accepted = await send('k')
      expect([accepted.status, accepted.headers['idempotent-replayed']]).toEqual([202, undefined])
      expect((await send('k')).headers['idempotent-replayed']).toBe('true')
    })

    it('concurrent identical requests give one message and the same answer', async () => {
      const { send, account } = await prepare()
      const answers = await Promise.all(Array.from({ length: 64 }, () => send('twin')))
      expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([202]))
      expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
      expect(answers.filter(answer => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1)
      expect((await account.ask('GET', '/v1/messages')).json.data).toHaveLength(1)
      expect(await usageOf(account)).toBe(1)
    })

    it('of concurrent requests with one key and different bodies, one is accepted and the others are 400', async () => {
      const { send, account } = await prepare()
      const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => send('twin', { text: `version ${i}` })))
      expect(answers.filter(answer => answer.status === 202)).toHaveLength(1)
      for (const answer of answers.filter(each => each.status !== 202)) expectError(answer, 400, REUSED)
      expect(await usageOf(account)).toBe(1)
    })
  })

  it.each(STORES)('keys survive a restart (%s)', async kind => {
    const place = await newPlace(kind)
    const before = await startTestGateway(place)
    const account = await before.account()
    const session = await before.session(account)
    const body = { session_id: session.id, to: '15550001111', text: 'hello' }
    const first = await account.ask('POST', '/v1/messages', body, { 'idempotency-key': 'k' })
    await before.stop()
    const after = await startTestGateway(place)
    const again = await after.as(account, account.key).ask('POST', '/v1/messages', body, { 'idempotency-key': 'k' })
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true'])
    await after.stop()
    place.remove()
  })
})

describe('Idempotency on two nodes', () => {
  const nodes = onTwoNodes()

  const twins = async (account: TestAccount, sessionId: string, key: string, count: number) =>
    await Promise.all(
      Array.from({ length: count }, (_, i) =>
        ask(nodes()[i % 2]!.url, 'POST', '/v1/messages', {
          key: account.key,
          body: { session_id: sessionId, to: '15550001111', text: 'hello' },
          headers: { 'idempotency-key': key },
        }),
      ),
    )

  it('concurrent identical requests give one message and the same answer', async () => {
    const account = await nodes()[0]!.account({ limits: { messages_per_second: null, messages_per_month: null } })
    const session = await registerTestSession(nodes()[0]!.store, account.id, true)
    for (let round = 0; round < 20; round++) {
      const answers = await twins(account, session.id, `twin-${round}`, 16)
      expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([202]))
      expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
    }
    expect((await account.ask('GET', '/v1/messages')).json.data).toHaveLength(20)
    expect(await usageOf(account)).toBe(20)
  })

  it('a repetition of the message that took the last token is a replay, never 429', async () => {
    for (let round = 0; round < 10; round++) {
      const account = await nodes()[0]!.account({
        limits: { messages_per_second: 0.001, messages_burst: 1, messages_per_month: 1 },
      })
      const session = await registerTestSession(nodes()[0]!.store, account.id, true)
      const answers = await twins(account, session.id, 'last', 16)
      expect(answers.map(answer => answer.status)).toEqual(Array.from({ length: 16 }, () => 202))
      expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
    }
  })
})
