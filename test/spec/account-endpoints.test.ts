import { Webhook as StandardWebhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import type { Event } from '../../src/domain/event.ts'
import { expectError } from '../harness/client.ts'
import { textMessage } from '../harness/delivery.ts'
import { onAnyStore, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { type Received, startReceiver } from '../harness/receiver.ts'
import { queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const env = { POSTERN_ROLES: 'api,dispatcher', POSTERN_RETRY_DELAYS: '30ms,30ms,30ms' }

const publish = (gateway: TestGateway, account: TestAccount, event: Event) =>
  gateway.store.events.publishEvent(makeEvent(gateway.context, account.id, event))

const kindsOf = (ledger: Received[]): string[] => ledger.map(({ body }) => (JSON.parse(body.toString()) as Event).kind)

/** One event of each of the nine kinds. */
const everyKind = (session_id: string): Event[] => {
  const person = '15550001111@s.whatsapp.net'
  const timestamp_unix = 1_790_000_000
  return [
    textMessage(session_id, 'Grüße 👋 "quoted"'),
    {
      kind: 'receipt',
      session_id,
      request_id: 'r1',
      messenger_message_id: '3EB01',
      recipient_jid: person,
      receipt_type: 'read',
      timestamp_unix,
    },
    { kind: 'status', session_id, request_id: 'r1', message_id: 'msg_1', to: person, status: 'sent', timestamp_unix },
    { kind: 'connection', session_id, event: 'connected', timestamp_unix },
    {
      kind: 'poll_vote',
      session_id,
      voter_jid: person,
      chat_jid: person,
      poll_message_id: '3EB02',
      selected_hashes: ['ab'],
      timestamp_unix,
    },
    { kind: 'typing', session_id, sender_jid: person, chat_jid: person, is_group: false, typing: true, media: 'text' },
    { kind: 'presence', session_id, contact_jid: person, online: true, last_seen_unix: 0 },
    {
      kind: 'call',
      session_id,
      call_id: 'c1',
      from_jid: person,
      event: 'offer',
      video: false,
      rejected: false,
      timestamp_unix,
    },
    {
      kind: 'newsletter_message',
      session_id,
      newsletter_jid: '120363@newsletter',
      server_id: 1,
      message_id: 'n1',
      type: 'text',
      text: 'news',
      timestamp_unix,
    },
  ]
}

describe('Endpoints of an account', () => {
  onAnyStore(gateway => {
    it('shows the secret and the values of headers never again after an endpoint is created', async () => {
      const account = await gateway().account()
      const given = {
        url: 'http://127.0.0.1:9000/events',
        kinds: ['message', 'status'],
        headers: { Authorization: 'Bearer hidden-value', 'X-Tenant': 'seven' },
        signature: 'standard',
        direction: 'in',
        description: 'orders',
      }
      const created = await account.ask('POST', '/v1/endpoints', given)
      expect(created.status).toBe(201)
      const { secret, ...shown } = created.json
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(shown).toEqual({
        id: expect.stringMatching(/^ep_/),
        type: 'webhook',
        url: given.url,
        keep_hours: null,
        description: 'orders',
        kinds: ['message', 'status'],
        session_ids: null,
        direction: 'in',
        include: [],
        media: 'inline',
        headers: ['Authorization', 'X-Tenant'],
        signature: 'standard',
        retry: 'eager',
        reply: false,
        active: true,
        failing_since: null,
        switched_off_at: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      })
      const [stored] = await gateway().store.endpoints.readCurrentEndpoints([shown.id])
      expect(Buffer.from(stored!.headers!).includes('hidden-value')).toBe(false)
      expect((await account.ask('GET', `/v1/endpoints/${shown.id}`)).json).toEqual(shown)
      expect((await account.ask('GET', '/v1/endpoints')).json).toEqual({ data: [shown], next_cursor: null })
      const change = { kinds: null, retry: 'ladder', headers: {}, direction: null, url: 'http://127.0.0.1:9000/other' }
      const changed = await account.ask('PATCH', `/v1/endpoints/${shown.id}`, change)
      expect(changed.json).toEqual({ ...shown, ...change, headers: [], updated_at: expect.any(String) })
      for (const { text } of [changed, await account.ask('GET', '/v1/endpoints')]) {
        expect(text).not.toContain('hidden-value')
        expect(text).not.toContain(secret.slice(6))
      }
      expect((await account.ask('DELETE', `/v1/endpoints/${shown.id}`)).json).toEqual({ id: shown.id, deleted: true })
      expectError(await account.ask('GET', `/v1/endpoints/${shown.id}`), 404)
    })

    it('rejects unknown fields and words, reserved headers, and URLs that a webhook may not have', async () => {
      const account = await gateway().account()
      const url = 'http://127.0.0.1:9000/events'
      const refused: Array<[unknown, string]> = [
        [{}, 'url is required'],
        [{ url: '' }, 'url must not be empty'],
        [{ url: 'ftp://example.com/' }, 'url must use https or http'],
        [{ url: 'http://10.0.0.1/' }, 'url must not point to a private or reserved address'],
        [{ url: gateway().url }, 'url must not point to this gateway'],
        [{ url, colour: 'red' }, 'colour is not a known field'],
        [{ url, kinds: [] }, 'kinds'],
        [{ url, kinds: ['letter'] }, 'kinds'],
        [{ url, include: ['everything'] }, 'include has an unknown word'],
        [{ url, headers: { 'X-Webhook-Signature': 'x' } }, 'headers must not set X-Webhook-Signature'],
        [{ url, headers: { 'webhook-id': 'x' } }, 'headers must not set webhook-id'],
        [{ url, headers: { Host: 'x' } }, 'headers must not set Host'],
        [{ url, headers: { 'a b': 'x' } }, 'not a valid header name'],
        [{ url, headers: { Constructor: 'x' } }, 'not a valid header name'],
        [{ url, headers: { 'X-A': 'line\nbreak' } }, 'headers.X-A must be'],
        [{ url, headers: { 'X-A': '1', 'x-a': '2' } }, 'headers has a name twice'],
        [{ url, session_ids: ['nonsense'] }, 'session_ids must be a session JID'],
        [{ url, signature: 'none' }, 'signature'],
        [{ url, retry: 'never' }, 'retry'],
        [{ url, reply: 'yes' }, 'reply'],
      ]
      for (const [body, text] of refused) {
        const answer = await account.ask('POST', '/v1/endpoints', body)
        expect({ body, status: answer.status }).toEqual({ body, status: 400 })
        expect(answer.json.error).toContain(text)
      }
      const inherited = `{"url":"${url}","headers":{"__proto__":"x"}}`
      expectError(
        await account.ask('POST', '/v1/endpoints', inherited),
        400,
        'headers has a name that is not a valid header name',
      )
      const { id } = (await account.ask('POST', '/v1/endpoints', { url })).json
      for (const [body, text] of refused.slice(2)) {
        const answer = await account.ask('PATCH', `/v1/endpoints/${id}`, { url: undefined, ...(body as object) })
        expect({ body, status: answer.status }).toEqual({ body, status: 400 })
        expect(answer.json.error).toContain(text)
      }
    })

    it('creates one endpoint for an Idempotency-Key, and repeats its response with the secret for a day', async () => {
      const account = await gateway().account()
      const create = (change: object = {}, key = 'orders-1') =>
        account.ask(
          'POST',
          '/v1/endpoints',
          { url: 'http://127.0.0.1:9000/events', headers: { 'X-Tenant': 'seven' }, ...change },
          { 'idempotency-key': key },
        )
      const answers = await Promise.all([create(), create(), create()])
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
      expect(replayed).toHaveLength(2)
      expectError(
        await create({ headers: { 'X-Tenant': 'eight' } }),
        400,
        'Idempotency-Key was already used with a different request',
      )
      expectError(await create({}, 'a b'), 400, 'Idempotency-Key must be 1 to 255 visible ASCII characters')
      const [first] = (await account.ask('GET', '/v1/endpoints')).json.data
      expect((await account.ask('GET', '/v1/endpoints')).json.data).toHaveLength(1)
      const other = await gateway().account()
      const theirs = await other.ask('POST', '/v1/endpoints', { url: first.url }, { 'idempotency-key': 'orders-1' })
      expect(theirs.json.id).not.toBe(first.id)
      await queryPlace(
        gateway().place,
        `update endpoints set created_at = created_at - 86400001 where id = '${first.id}'`,
      )
      const later = await create()
      expect(later.json.id).not.toBe(first.id)
      await account.ask('DELETE', `/v1/endpoints/${later.json.id}`)
      expect((await create()).json.id).not.toBe(later.json.id)
    })

    it('limits an account to 50 endpoints', async () => {
      const account = await gateway().account()
      const create = () => account.ask('POST', '/v1/endpoints', { url: 'http://127.0.0.1:9000/events' })
      const made = await Promise.all(Array.from({ length: BOUNDS.endpoints + 2 }, create))
      expect(made.filter(({ status }) => status === 201)).toHaveLength(BOUNDS.endpoints)
      const refused = made.filter(({ status }) => status !== 201)
      expect(refused.map(({ status }) => status)).toEqual([429, 429])
      expect(refused[0]!.json.error).toContain('at most 50 endpoints')
      expect((await account.ask('GET', '/v1/endpoints?limit=100')).json.data).toHaveLength(BOUNDS.endpoints)
    })

    it('lets a key of some numbers see and make endpoints of those numbers alone', async () => {
      const account = await gateway().account()
      const [own, other] = [await gateway().session(account), await gateway().session(account)]
      const made = await account.ask('POST', '/v1/keys', { label: 'one number', session_ids: [own.id] })
      const key = gateway().as(account, made.json.key)
      const url = 'http://127.0.0.1:9000/events'
      const create = async (by: TestAccount, body: object) => await by.ask('POST', '/v1/endpoints', { url, ...body })
      expectError(await create(key, {}), 400)
      expectError(await create(key, { session_ids: null }), 400)
      expectError(await create(key, { session_ids: [other.id] }), 403)
      const mine = (await create(key, { session_ids: [own.id] })).json
      const both = (await create(account, { session_ids: [own.id, other.id] })).json
      const all = (await create(account, {})).json
      expect((await key.ask('GET', '/v1/endpoints')).json.data.map((each: { id: string }) => each.id)).toEqual([
        mine.id,
      ])
      for (const { id } of [both, all]) {
        expectError(await key.ask('GET', `/v1/endpoints/${id}`), 403)
        expectError(await key.ask('DELETE', `/v1/endpoints/${id}`), 403)
      }
      expectError(await key.ask('PATCH', `/v1/endpoints/${mine.id}`, { session_ids: [own.id, other.id] }), 403)
      expectError(await key.ask('PATCH', `/v1/endpoints/${mine.id}`, { session_ids: null }), 400)
      expect((await key.ask('PATCH', `/v1/endpoints/${mine.id}`, { description: 'x' })).status).toBe(200)
      // The secret of an endpoint that has got more numbers since it was created.
      const repeat = (by: TestAccount) =>
        by.ask('POST', '/v1/endpoints', { url, session_ids: [own.id] }, { 'idempotency-key': 'known' })
      const grown = (await repeat(account)).json
      expect((await repeat(key)).json.id).toBe(grown.id)
      await account.ask('PATCH', `/v1/endpoints/${grown.id}`, { session_ids: null })
      expectError(await repeat(key), 403)
      expect((await repeat(account)).json.id).toBe(grown.id)
    })

    it('delivers the events that pass the filters of an endpoint, with its headers, once each', async () => {
      const receiver = await startReceiver()
      const account = await gateway().account()
      const [first, second] = [await gateway().session(account), await gateway().session(account)]
      const add = async (path: string, body: object) => {
        const made = await account.ask('POST', '/v1/endpoints', { url: receiver.url(path), ...body })
        receiver.secrets.set(made.json.id, [made.json.secret])
        return made.json.id as string
      }
      const id = await add('/all', { headers: { 'X-Tenant': 'seven' } })
      await add('/named', { kinds: ['typing', 'presence', 'message'] })
      await add('/number', { session_ids: [second.id] })
      await add('/in', { direction: 'in' })
      await add('/out', { direction: 'out' })
      await add('/off', { active: false })
      for (const session of [first, second])
        for (const event of everyKind(session.jid)) await publish(gateway(), account, event)
      const at = (path: string) => receiver.ledger.filter(each => each.path === path)
      await receiver.until(
        () => ['/all', '/named', '/number', '/in', '/out'].map(path => at(path).length).join() === '14,6,7,10,6',
      )
      const sorted = (path: string) => [...new Set(kindsOf(at(path)))].sort()
      expect(sorted('/all')).toEqual([
        'call',
        'connection',
        'message',
        'newsletter_message',
        'poll_vote',
        'receipt',
        'status',
      ])
      expect(sorted('/named')).toEqual(['message', 'presence', 'typing'])
      expect(at('/number').every(({ body }) => body.includes(second.jid))).toBe(true)
      expect(sorted('/in')).toEqual(['call', 'connection', 'message', 'newsletter_message', 'poll_vote'])
      expect(sorted('/out')).toEqual(['connection', 'receipt', 'status'])
      expect(at('/off')).toEqual([])
      expect(receiver.ledger.every(({ signed }) => signed === true)).toBe(true)
      expect(at('/all').every(({ headers, webhookId }) => headers['x-tenant'] === 'seven' && webhookId === id)).toBe(
        true,
      )
      const { json } = await until(async () => {
        const listed = await account.ask('GET', `/v1/deliveries?endpoint_id=${id}`)
        return listed.json.data.every((each: { status: string }) => each.status === 'delivered') ? listed : undefined
      })
      expect(json.data.length).toBe(14)
      expect(json.data[0]).toMatchObject({ endpoint_id: id, webhook_id: null, status: 'delivered' })
      expect(json.data[0].attempts[0].url).toBe(receiver.url('/all'))
      await receiver.close()
    })

    it('sends a webhook the same bytes and headers whether or not its account has endpoints', async () => {
      const receiver = await startReceiver()
      const urls = Object.fromEntries(
        ['messages_url', 'status_url', 'connection_url', 'events_url'].map(name => [name, receiver.url('/hook')]),
      )
      const run = async (prepare: (account: TestAccount) => Promise<void>) => {
        const account = await gateway().account()
        const session = await gateway().session(account)
        const hook = (await account.ask('POST', '/v1/webhooks', { session_id: session.id, ...urls })).json
        receiver.secrets.set(hook.id, [hook.secret])
        await prepare(account)
        const events = everyKind(session.jid)
        for (const event of events) await publish(gateway(), account, event)
        const own = () => receiver.ledger.filter(each => each.webhookId === hook.id)
        await until(() => own().length === events.length)
        expect(own().every(({ signed }) => signed === true)).toBe(true)
        for (const event of events)
          expect(own().some(({ body }) => body.toString() === JSON.stringify(event))).toBe(true)
        return own()
          .map(({ rawNames, headers }) => ({
            rawNames,
            headers: {
              ...headers,
              'x-webhook-id': '',
              'x-message-id': '',
              'x-timestamp': '',
              'x-webhook-signature': '',
              'content-length': '',
            },
          }))
          .slice(0, 1)
      }
      const before = await run(async () => {})
      const after = await run(async account => {
        for (const body of [{}, { signature: 'standard', headers: { 'X-A': 'b' } }, { retry: 'ladder' }])
          await account.ask('POST', '/v1/endpoints', { url: receiver.url('/endpoint'), ...body })
        await account.ask('POST', '/v1/endpoints', { type: 'pull' })
      })
      expect(after).toEqual(before)
      expect(receiver.ledger.some(({ path }) => path === '/endpoint')).toBe(true)
      await receiver.close()
    })

    it('signs by Standard Webhooks, with both secrets while a rotation overlaps, as their own library verifies', async () => {
      const receiver = await startReceiver()
      const account = await gateway().account()
      const session = await gateway().session(account)
      const made = (await account.ask('POST', '/v1/endpoints', { url: receiver.url(), signature: 'standard' })).json
      const received = async (text: string) => {
        await publish(gateway(), account, textMessage(session.jid, text))
        await receiver.until(ledger => ledger.some(({ body }) => body.includes(text)))
        return receiver.ledger.find(({ body }) => body.includes(text))!
      }
      const verify = (secret: string, { body, headers }: Received) =>
        new StandardWebhook(secret).verify(body.toString(), headers as Record<string, string>) as Event
      const first = await received('Grüße 👋')
      expect(verify(made.secret, first)).toMatchObject({ kind: 'message', text: 'Grüße 👋' })
      expect(first.headers['webhook-id']).toMatch(/^evt_/)
      expect(first.rawNames.filter(name => /^x-(webhook|message|timestamp)/i.test(name))).toEqual([])
      const rotated = (await account.ask('POST', `/v1/endpoints/${made.id}/rotate-secret`, { overlap_seconds: 3_600 }))
        .json
      expect(rotated.secret).not.toBe(made.secret)
      const during = await received('during the overlap')
      for (const secret of [made.secret, rotated.secret]) expect(verify(secret, during)).toBeTruthy()
      await account.ask('POST', `/v1/endpoints/${made.id}/rotate-secret`, {})
      const after = await received('after it')
      for (const secret of [made.secret, rotated.secret]) expect(() => verify(secret, after)).toThrow()
      await receiver.close()
    })

    it('tests an endpoint with a signed sample and shows the response', async () => {
      const receiver = await startReceiver(() => ({ status: 418, body: 'short and stout' }))
      const account = await gateway().account()
      const given = { url: receiver.url('/test'), signature: 'standard', headers: { 'X-A': 'b' }, kinds: ['status'] }
      const made = (await account.ask('POST', '/v1/endpoints', given)).json
      const tested = await account.ask('POST', `/v1/endpoints/${made.id}/test`, {})
      expect(tested.json).toMatchObject({
        category: 'status',
        url: given.url,
        http_status: 418,
        response_excerpt: 'short and stout',
        error_kind: 'http_4xx',
      })
      const [request] = receiver.ledger
      expect(request!.headers['x-a']).toBe('b')
      const verified = new StandardWebhook(made.secret).verify(
        request!.body.toString(),
        request!.headers as Record<string, string>,
      )
      expect(verified).toMatchObject({ kind: 'status' })
      await account.ask('POST', `/v1/endpoints/${made.id}/test`, { sign: false, category: 'messages' })
      expect(receiver.ledger[1]!.headers['webhook-signature']).toBeUndefined()
      expect((await account.ask('GET', '/v1/deliveries')).json.data).toEqual([])
      await receiver.close()
    })

    it('shows no value of its headers in the history, also if the endpoint repeats it', async () => {
      const token = 'tok_5f3a9c71d2'
      const receiver = await startReceiver(({ path, headers }) => ({
        status: 401,
        body: path === '/echo' ? `no such token: ${headers.authorization}` : 'Bearer token required',
      }))
      const account = await gateway().account()
      const session = await gateway().session(account)
      const add = async (path: string): Promise<string> => {
        const headers = { authorization: `Bearer ${token}` }
        const made = await account.ask('POST', '/v1/endpoints', { url: receiver.url(path), headers, retry: 'ladder' })
        return made.json.id
      }
      const [echo, plain] = [await add('/echo'), await add('/plain')]
      await publish(gateway(), account, textMessage(session.jid, 'one'))
      const attemptAt = (id: string) =>
        until(async () => {
          const { text, json } = await account.ask('GET', `/v1/deliveries?endpoint_id=${id}`)
          expect(text).not.toContain(token)
          return json.data[0]?.attempts[0]
        })
      expect(await attemptAt(echo)).toMatchObject({ code: 401, response_excerpt: '' })
      expect(await attemptAt(plain)).toMatchObject({ code: 401, response_excerpt: 'Bearer token required' })
      await receiver.close()
    })

    it('keeps the dead letters of a webhook and of an endpoint apart, for small and for large events', async () => {
      let failing: string[] = ['/hook', '/endpoint']
      const receiver = await startReceiver(({ path }) => (failing.includes(path) ? 500 : 200))
      const account = await gateway().account()
      const session = await gateway().session(account)
      const body = { session_id: session.id, messages_url: receiver.url('/hook') }
      const hook = (await account.ask('POST', '/v1/webhooks', body)).json
      const endpoint = (await account.ask('POST', '/v1/endpoints', { url: receiver.url('/endpoint'), retry: 'ladder' }))
        .json
      const texts = ['small', `large ${'x'.repeat(20_000)}`]
      for (const text of texts) await publish(gateway(), account, textMessage(session.jid, text))
      const dead = async (query: string) =>
        (await account.ask('GET', `/v1/deliveries?status=dead&${query}`)).json.data as Array<{
          id: string
          redelivered_at: string | null
        }>
      await until(async () => (await dead('')).length === 4)
      const replayed = async (path: string) => {
        const before = receiver.ledger.length
        const job = await account.ask('POST', `${path}/replay`, {})
        expect(job.status).toBe(202)
        expect(job.json.total).toBe(2)
        await until(async () => (await account.ask('GET', `${path}/replay/${job.json.id}`)).json.delivered === 2)
        return receiver.ledger.slice(before)
      }
      failing = []
      const again = await replayed(`/v1/endpoints/${endpoint.id}`)
      expect(
        again.map(({ path, body: sent }) => [path, (JSON.parse(sent.toString()) as { text: string }).text]),
      ).toEqual(texts.map(text => ['/endpoint', text]))
      expect((await dead(`endpoint_id=${endpoint.id}`)).every(each => each.redelivered_at !== null)).toBe(true)
      expect((await dead(`webhook_id=${hook.id}`)).every(each => each.redelivered_at === null)).toBe(true)
      const [letter] = await dead(`endpoint_id=${endpoint.id}`)
      expect((await account.ask('GET', `/v1/deliveries/${letter!.id}`)).json).toMatchObject({ replay_of: null })
      const own = await replayed(`/v1/webhooks/${hook.id}`)
      expect(own.map(({ path }) => path)).toEqual(['/hook', '/hook'])
      expect((await dead(`webhook_id=${hook.id}`)).every(each => each.redelivered_at !== null)).toBe(true)
      const tooLate = await account.ask('POST', `/v1/deliveries/${letter!.id}/resend`)
      expectError(tooLate, 400)
      expect(tooLate.json.error).toContain('no longer kept')
      await receiver.close()
    })

    it('replays to an endpoint only events of the numbers that it has now', async () => {
      let status = 500
      const receiver = await startReceiver(() => status)
      const account = await gateway().account()
      const [own, other] = [await gateway().session(account), await gateway().session(account)]
      const made = await account.ask('POST', '/v1/endpoints', { url: receiver.url('/before'), retry: 'ladder' })
      const path = `/v1/endpoints/${made.json.id}`
      for (const { jid } of [other, own]) await publish(gateway(), account, textMessage(jid, 'one'))
      const dead = '/v1/deliveries?status=dead'
      await until(async () => (await account.ask('GET', dead)).json.data.length === 2)
      status = 200
      await account.ask('PATCH', path, { session_ids: [own.id] })
      const granted = await account.ask('POST', '/v1/keys', { label: 'one number', session_ids: [own.id] })
      const key = gateway().as(account, granted.json.key)
      await key.ask('PATCH', path, { url: receiver.url('/after') })
      const job = await key.ask('POST', `${path}/replay`, {})
      expect([job.status, job.json.total]).toEqual([202, 1])
      await until(async () => (await key.ask('GET', `${path}/replay/${job.json.id}`)).json.delivered === 1)
      const sent = receiver.ledger.filter(each => each.path === '/after')
      expect(sent.map(({ body }) => (JSON.parse(body.toString()) as Event).session_id)).toEqual([own.jid])
      await receiver.close()
    })

    it('resends a delivery of an endpoint to that endpoint alone', async () => {
      let status = 503
      const receiver = await startReceiver(({ path }) => (path === '/endpoint' ? status : 200))
      const account = await gateway().account()
      const session = await gateway().session(account)
      await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: receiver.url('/hook') })
      const made = await account.ask('POST', '/v1/endpoints', { url: receiver.url('/endpoint'), retry: 'ladder' })
      const path = `/v1/deliveries?endpoint_id=${made.json.id}`
      await publish(gateway(), account, textMessage(session.jid, 'one'))
      await until(async () => (await account.ask('GET', `${path}&status=dead`)).json.data.length === 1)
      status = 200
      const [letter] = (await account.ask('GET', path)).json.data
      const again = await account.ask('POST', `/v1/deliveries/${letter.id}/resend`)
      expect(again.json).toMatchObject({ endpoint_id: made.json.id, origin: 'resend', event_id: letter.event_id })
      await until(async () => (await account.ask('GET', `/v1/deliveries/${again.json.id}`)).json.status === 'delivered')
      expect(receiver.ledger.filter(each => each.path === '/hook')).toHaveLength(1)
      await receiver.close()
    })

    it('makes dead letters of what waits for an endpoint that is switched off, deleted or no longer of that number', async () => {
      const receiver = await startReceiver(() => 503)
      const account = await gateway().account()
      const session = await gateway().session(account)
      const end = async (stop: (path: string) => Promise<unknown>) => {
        const { id } = (await account.ask('POST', '/v1/endpoints', { url: receiver.url() })).json
        const path = `/v1/deliveries?endpoint_id=${id}`
        await publish(gateway(), account, textMessage(session.jid, 'one'))
        await until(async () => (await account.ask('GET', path)).json.data[0]?.status === 'failed')
        await stop(`/v1/endpoints/${id}`)
        await until(async () => (await account.ask('GET', path)).json.data[0]?.status === 'dead')
        return (await account.ask('GET', path)).json.data[0].reason
      }
      expect(await end(path => account.ask('PATCH', path, { active: false }))).toBe('endpoint_inactive')
      expect(await end(path => account.ask('DELETE', path))).toBe('endpoint_deleted')
      const other = await gateway().session(account)
      expect(await end(path => account.ask('PATCH', path, { session_ids: [other.id] }))).toBe('number_removed')
      await receiver.close()
    })
  }, env)
})
