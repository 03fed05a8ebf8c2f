import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/store/transaction.ts'
import { ask, expectError, PROBLEM, readAnswer, sendBytes } from '../harness/client.ts'
import { onAnyStore, startTestGateway, type TestGateway } from '../harness/gateway.ts'
import { beatFor, takeSession } from '../harness/leases.ts'

describe('Errors', () => {
  onAnyStore(gateway => {
    const prepare = async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const send = (change: object) =>
        account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x', ...change })
      return { account, session, send }
    }

    it('session does not belong to this tenant: session_id not registered under the calling account', async () => {
      const { send } = await prepare()
      const foreign = await gateway().session(await gateway().account())
      for (const session_id of [foreign.id, foreign.jid, '15559999999@s.whatsapp.net']) {
        expectError(await send({ session_id }), 403, 'session does not belong to this tenant')
      }
    })

    it('session is not currently hosted by any worker: never hosted, disconnected or logged out', async () => {
      const { send, session, account } = await prepare()
      const offline = await gateway().session(account, { hosted: false })
      const text = 'session is not currently hosted by any worker'
      expectError(await send({ session_id: offline.id }), 409, text)
      for (const state of ['disconnected', 'logged_out'] as const) {
        await gateway().setState(session, 'connected')
        await expect.poll(async () => (await send({})).status).toBe(202)
        await gateway().setState(session, state)
        await expect.poll(async () => (await send({})).status).toBe(409)
        const answer = await send({})
        expectError(answer, 409, text)
        const isLoggedOut = state === 'logged_out'
        expect(answer.headers['x-error-code']).toBe(isLoggedOut ? 'session_logged_out' : 'session_offline')
        const problem = await account.ask(
          'POST',
          '/v1/messages',
          { session_id: session.id, to: '1555000', text: 'x' },
          PROBLEM,
        )
        expect(problem.json.detail).toBe(
          isLoggedOut ? `${text}: it is logged out; link the number again with POST /v1/pairings` : text,
        )
      }
    })

    it('a drop within the grace is still 202, and so is a send_at more than 60 s ahead', async () => {
      const { send, session, account } = await prepare()
      await gateway().setState(session, 'connecting')
      expect((await send({})).status).toBe(202)
      const offline = await gateway().session(account, { hosted: false })
      const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
      expect((await send({ session_id: offline.id, send_at: at(70) })).status).toBe(202)
      expectError(await send({ session_id: offline.id, send_at: at(50) }), 409)
    })

    it('media_type and media_url are required together', async () => {
      const { send } = await prepare()
      const text = 'media_type and media_url are required together'
      expectError(await send({ media_type: 'image' }), 400, text)
      expectError(await send({ media_url: 'https://example.com/a.png' }), 400, text)
    })

    it('a worker whose lease has expired does not count as a worker', async () => {
      const { send, session, account } = await prepare()
      await gateway().store.hosting.releaseSession({ ...session.lease, owner: '' })
      expect((await send({})).status).toBe(202)
      const fading = await gateway().session(account, { hosted: false })
      await takeSession(gateway().store, fading.jid, { owner: 'fading' })
      expect((await send({ session_id: fading.id })).status).toBe(202)
      await beatFor(gateway().store, 'fading', 1)
      await expect.poll(async () => (await send({ session_id: fading.id })).status).toBe(409)
    })

    it('400 names the field: required, empty, wrong format, unknown, invalid combination', async () => {
      const { send, account, session } = await prepare()
      const cases: Array<[object, string | RegExp]> = [
        [{ session_id: undefined }, 'session_id is required'],
        [{ to: undefined }, 'to is required'],
        [{ to: '' }, 'to must not be empty'],
        [{ to: 5 }, 'to must be a string'],
        [{ session_id: 'nonsense' }, /^session_id must be a session JID/],
        [{ session_id: '123456@g.us' }, /^session_id must be a session JID/],
        [{ to: '1234' }, 'to must be a JID or a number of 5 to 20 digits'],
        [{ to: '123456789012345678901' }, 'to must be a JID or a number of 5 to 20 digits'],
        [{ to: 'bob@example.com' }, /^to is not a JID/],
        [{ text: undefined }, /^text is required/],
        [{ text: '' }, 'text must not be empty'],
        [{ text: 'a'.repeat(65_537) }, 'text must not have more than 65536 characters'],
        [{ colour: 'red' }, 'colour is not a known field'],
        [{ constructor: { prototype: 1 } }, 'constructor is not a known field'],
        [{ ['__proto__']: 1 }, '__proto__ is not a known field'],
        [
          { media_type: 'hologram', media_url: 'https://example.com/x' },
          /^media_type must be one of: image, video, audio, voice, document, sticker/,
        ],
        [{ poll: { name: 'q', options: ['a', 'a'] }, text: undefined }, 'poll.options must differ from each other'],
        [{ poll: { name: 'q', options: ['a', 'b'], colour: 1 } }, 'poll.colour is not a known field'],
        [{ poll: { name: 'q', options: ['a'] }, text: undefined }, 'poll.options must have at least 2 items'],
        [{ location: { latitude: 91, longitude: 0 }, text: undefined }, 'location.latitude must be at most 90'],
        [
          { location: { latitude: 1, longitude: 0 }, poll: { name: 'q', options: ['a', 'b'] } },
          /^only one content can be sent/,
        ],
        [{ quoted_text: 'x' }, /^quoted_message_id is required/],
        [{ send_at: 'tomorrow' }, /^send_at must be an ISO 8601 time/],
        [{ send_at: new Date(Date.now() + 31 * 86_400_000).toISOString() }, 'send_at must be at most 30 days ahead'],
        [{ filename: 'a.txt' }, 'filename does not go with text'],
        [{ quoted_message_id: 'msg_nothing' }, /^quoted_message_id: there is no message/],
      ]
      for (const [change, text] of cases) expectError(await send(change), 400, text)
      for (const body of ['[]', '"text"', '7', 'null', 'true'])
        expectError(await account.ask('POST', '/v1/messages', body), 400, 'body must be an object')
      expectError(await account.ask('GET', '/v1/messages?colour=red'), 400, 'colour is not a known field')
      expect((await account.ask('GET', '/v1/messages')).json.data).toEqual([])
      expect(session.id).toBeTruthy()
    })

    it('NUL and unpaired surrogates are 400, wherever they occur', async () => {
      const { send, account } = await prepare()
      expectError(await send({ text: 'a\0b' }), 400, 'text must not contain the character U+0000')
      expectError(
        await send({ poll: { name: 'q', options: ['a', 'b\0'] }, text: undefined }),
        400,
        'poll.options.1 must not contain the character U+0000',
      )
      expectError(
        await account.ask('POST', '/v1/keys', '{"label":"\\ud83d"}'),
        400,
        'label must not contain half of a surrogate pair',
      )
      for (const path of ['/v1/webhooks/%00', '/v1/messages/a%00b', '/v1/sessions/%00'])
        expectError(await account.ask('GET', path), 400)
      expectError(await account.ask('DELETE', '/v1/keys/%00'), 400)
      expectError(await account.ask('GET', '/v1/messages?cursor=%00'), 400)
    })

    it('malformed JSON, no JSON and an empty body are 400', async () => {
      const { account } = await prepare()
      const ask = (body: unknown) => account.ask('POST', '/v1/messages', body)
      for (const body of ['{', '{"a":}', '{"a":1}x', "{'a':1}", '{"a":NaN}', '\ufeff\ufeff{}'])
        expectError(await ask(body), 400, 'body is not valid JSON')
      expectError(await ask(''), 400, 'body must be an object')
      expectError(await ask('{"__proto__":{"x":1}}'), 400)
      expectError(await ask(Buffer.from('{"text":"\xff\xfe"}', 'latin1')), 400, 'body is not valid UTF-8')
      expectError(await ask(Buffer.from('{}', 'utf16le')), 400)
    })

    it('an unknown path is 404, with and without a key', async () => {
      const { account } = await prepare()
      for (const path of ['/v1/nothing', '/v2/me', '/v1', '/v1/webhooks/a/b/c', '/operator', '/v1/me/']) {
        expectError(await account.ask('GET', path), 404, 'path not found')
        expectError(await ask(gateway().url, 'GET', path), 404, 'path not found')
      }
    })

    it('a wrong method is 405, and the response names the allowed methods', async () => {
      const { account } = await prepare()
      const answer = await account.ask('POST', '/v1/me', {})
      expectError(answer, 405)
      expect(answer.headers.allow).toContain('GET')
      for (const [method, path] of [
        ['PATCH', '/v1/webhooks'],
        ['POST', '/v1/webhooks/wh_1'],
        ['DELETE', '/v1/messages'],
        ['PUT', '/healthz'],
      ] as const) {
        expectError(await account.ask(method, path), 405)
      }
    })

    it('a body over 1 MiB is 413, even if it comes in chunks', async () => {
      const { account, session } = await prepare()
      const body = JSON.stringify({ session_id: session.id, to: '15550001111', text: 'x'.repeat(1_048_576) })
      expectError(await account.ask('POST', '/v1/messages', body), 413, 'body must not be larger than 1 MiB')
      const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      const raw = await sendBytes(gateway().url, head + chunk.repeat(17) + '0\r\n\r\n')
      expectError(readAnswer(raw), 413, 'body must not be larger than 1 MiB')
    })

    it('a wrong content type is 415', async () => {
      const { account } = await prepare()
      for (const type of [
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
        'nonsense',
      ]) {
        expectError(
          await account.ask('POST', '/v1/messages', '{}', { 'content-type': type }),
          415,
          'Content-Type must be application/json',
        )
      }
    })

    it('application/json with a charset is accepted, and a DELETE may carry the header without a body', async () => {
      const { account, session } = await prepare()
      const body = { session_id: session.id, to: '15550001111', text: 'é🙂' }
      const answer = await account.ask('POST', '/v1/messages', body, {
        'content-type': 'application/json; charset=utf-8',
      })
      expect(answer.status).toBe(202)
      const gone = await account.ask('DELETE', `/v1/messages/${answer.json.message_id}`, undefined, {
        'content-type': 'application/json',
      })
      expect(gone.status).toBe(202)
    })

    it('a request that is not HTTP gets an error in the same shape', async () => {
      for (const bytes of [
        'nonsense\r\n\r\n',
        'GET / HTTP/9.9\r\n\r\n',
        'GET /v1/me HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n',
        '\x16\x03\x01\x02\x00\x01\x00',
      ]) {
        expectError(readAnswer(await sendBytes(gateway().url, bytes)), 400)
      }
      const huge = await sendBytes(gateway().url, `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(40_000)}\r\n\r\n`)
      expectError(readAnswer(huge), 431, 'headers are too large')
    })

    it('a request with two Content-Length headers is rejected', async () => {
      const smuggled =
        'POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/me HTTP/1.1\r\n\r\n'
      expectError(readAnswer(await sendBytes(gateway().url, smuggled)), 400)
    })

    it('a path that is not a valid URL is rejected in the same shape', async () => {
      for (const path of ['/v1/webhooks/%', '/v1/webhooks/%ff', '/%c0%ae', `/v1/webhooks/${'a'.repeat(500)}`]) {
        const { account } = await prepare()
        const answer = await account.ask('GET', path)
        expectError(answer, answer.status)
        expect([400, 404]).toContain(answer.status)
      }
    })
  })
})

describe('Errors of the server', () => {
  const failing = async (error: Error): Promise<TestGateway> => {
    const gateway = await startTestGateway('sqlite', {}, {})
    const { store } = gateway.context
    Object.assign(store.messages, { acceptMessage: () => Promise.reject(error) })
    return gateway
  }

  it('a commit that fails or whose outcome is unknown is 502, safe to retry with the same Idempotency-Key', async () => {
    const gateway = await failing(new StoreUnavailable('connection lost to db.internal'))
    const account = await gateway.account()
    const session = await gateway.session(account)
    const answer = await account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x' })
    expectError(answer, 502, 'the request could not be stored; retry with the same Idempotency-Key')
    Object.assign(gateway.context.store.sessions, { listSessions: () => Promise.reject(new StoreUnavailable('lost')) })
    expectError(await account.ask('GET', '/v1/sessions'), 502, 'the database does not answer; try again')
    await gateway.stop()
  })

  it('an unexpected error is 500 with a fixed text that reveals nothing', async () => {
    const gateway = await failing(new TypeError('secret detail'))
    const account = await gateway.account()
    const session = await gateway.session(account)
    const answer = await account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x' })
    expectError(answer, 500, 'internal server error')
    await gateway.stop()
  })
})
