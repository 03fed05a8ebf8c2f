import { once } from 'node:events'
import { connect as dial, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { makeEvent } from '../../src/actions/make-event.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import type { Event } from '../../src/domain/event.ts'
import type { ForEndpoints } from '../../src/domain/include.ts'
import { followEvents } from '../../src/http/live/read-events.ts'
import { StoreUnavailable } from '../../src/store/transaction.ts'
import { expectError } from '../harness/client.ts'
import { textMessage } from '../harness/delivery.ts'
import { listenTo } from '../harness/event-stream.ts'
import { onAnyStore, type TestAccount } from '../harness/gateway.ts'
import { queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

interface Read {
  cursor: string
  body: string
}
interface Page {
  data: Read[]
  cursor: string
  missed: number
}

const textsOf = (events: Read[]): unknown[] => events.map(({ body }) => (JSON.parse(body) as { text?: string }).text)

describe('A pull endpoint', () => {
  onAnyStore(gateway => {
    const publish = (account: TestAccount, event: Event, more: ForEndpoints = {}) =>
      gateway().store.events.publishEvent(makeEvent(gateway().context, account.id, event, more))

    const create = async (account: TestAccount, more: object = {}): Promise<string> => {
      const made = await account.ask('POST', '/v1/endpoints', { type: 'pull', ...more })
      expect(made.status).toBe(201)
      return made.json.id
    }

    const setUp = async (more: object = {}) => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const id = await create(account, more)
      const say = (...texts: string[]) =>
        Promise.all(texts.map(text => publish(account, textMessage(session.jid, text))))
      return { account, session, id, say }
    }

    const read = async (account: TestAccount, id: string, query = ''): Promise<Page> => {
      const answer = await account.ask('GET', `/v1/endpoints/${id}/events${query}`)
      expect(answer.status).toBe(200)
      return answer.json
    }

    const kept = (id: string) =>
      queryPlace(gateway().place, `select seq from listened_events where stream_id = '${id}' order by seq`)

    it('has no URL, signature or retries, and is shown with its hours', async () => {
      const account = await gateway().account()
      const made = await account.ask('POST', '/v1/endpoints', { type: 'pull', kinds: ['message'] })
      const { secret, ...shown } = made.json
      expect([made.status, secret]).toEqual([201, expect.stringMatching(/^whsec_/)])
      expect(shown).toMatchObject({
        type: 'pull',
        url: null,
        signature: null,
        retry: null,
        keep_hours: 72,
        headers: [],
      })
      expect((await account.ask('GET', `/v1/endpoints/${shown.id}`)).json).toEqual(shown)
      const changed = await account.ask('PATCH', `/v1/endpoints/${shown.id}`, { keep_hours: 2_160, kinds: null })
      expect(changed.json).toMatchObject({ type: 'pull', keep_hours: 2_160, kinds: null })
      const webhook = (await account.ask('POST', '/v1/endpoints', { url: 'http://127.0.0.1:9000/' })).json
      expect(webhook).toMatchObject({ type: 'webhook', keep_hours: null, signature: 'postern', retry: 'eager' })
      const rejected: Array<[string, string, unknown, string]> = [
        ['POST', '', { type: 'pull', url: 'http://127.0.0.1:9000/' }, 'an endpoint of type pull has no url'],
        ['POST', '', { type: 'pull', headers: { 'X-A': 'b' } }, 'an endpoint of type pull has no headers'],
        ['POST', '', { type: 'pull', keep_hours: 0 }, 'keep_hours'],
        ['POST', '', { type: 'pull', keep_hours: 2_161 }, 'keep_hours'],
        ['POST', '', { type: 'queue' }, 'type'],
        ['POST', '', { type: 'webhook' }, 'url is required'],
        ['POST', '', { url: 'http://127.0.0.1:9000/', keep_hours: 5 }, 'keep_hours is for endpoints of type pull'],
        ['PATCH', `/${shown.id}`, { url: 'http://127.0.0.1:9000/' }, 'an endpoint of type pull has no url'],
        ['PATCH', `/${shown.id}`, { retry: 'ladder' }, 'an endpoint of type pull has no retry'],
        ['PATCH', `/${shown.id}`, { type: 'webhook' }, 'type is not a known field'],
        ['PATCH', `/${webhook.id}`, { keep_hours: 5 }, 'keep_hours is for endpoints of type pull'],
        ['POST', `/${shown.id}/test`, {}, 'has no URL to test'],
        ['POST', `/${webhook.id}/ack`, { cursor: '1' }, 'only endpoints of type pull can be read'],
        ['POST', `/${shown.id}/ack`, { cursor: 'x' }, 'cursor'],
        ['GET', `/${shown.id}/events?after=-1`, undefined, 'after'],
        ['GET', `/${webhook.id}/stream`, undefined, 'only endpoints of type pull can be read'],
      ]
      for (const [method, path, body, text] of rejected) {
        const answer = await account.ask(method, `/v1/endpoints${path}`, body)
        expect([path, body, answer.status, answer.json.error]).toEqual([path, body, 400, expect.stringContaining(text)])
      }
      expectError(
        await account.ask('GET', `/v1/endpoints/${shown.id}/stream`, undefined, { 'last-event-id': 'x' }),
        400,
        /Last-Event-ID/,
      )
    })

    it.each([
      ['free', 72],
      ['pro', 720],
    ] as const)('rejects keep_hours beyond the limit of the plan %s, %i hours', async (plan, max) => {
      const account = await gateway().account({ plan })
      const id = await create(account, { keep_hours: max })
      const refusals = [
        await account.ask('POST', '/v1/endpoints', { type: 'pull', keep_hours: max + 1 }),
        await account.ask('PATCH', `/v1/endpoints/${id}`, { keep_hours: max + 1 }),
      ]
      for (const refused of refusals) {
        expectError(refused, 400, `keep_hours must be ${max} or less on the ${plan} plan`)
      }
    })

    it('shows the hours that the plan keeps, and takes an endpoint of an earlier plan as it is', async () => {
      const account = await gateway().account({ plan: 'max' })
      const body = { type: 'pull', keep_hours: 2_160 }
      const post = () => account.ask('POST', '/v1/endpoints', body, { 'idempotency-key': 'an-earlier-plan' })
      const { id } = (await post()).json
      await gateway().operator('PATCH', `/operator/accounts/${account.id}`, { plan: 'free' })
      const again = await post()
      expect([again.status, again.json.id, again.json.keep_hours]).toEqual([201, id, 72])
      expect((await account.ask('GET', `/v1/endpoints/${id}`)).json.keep_hours).toBe(72)
      const kept = await account.ask('PATCH', `/v1/endpoints/${id}`, { keep_hours: 2_160, description: 'as it was' })
      expect([kept.status, kept.json.keep_hours]).toEqual([200, 72])
      const less = await account.ask('PATCH', `/v1/endpoints/${id}`, { keep_hours: 2_000 })
      expectError(less, 400, 'keep_hours must be 72 or less on the free plan')
    })

    it('keeps events no longer than the plan that its account has now', async () => {
      const { account, id, say } = await setUp({ keep_hours: 2_160 })
      await gateway().operator('PATCH', `/operator/accounts/${account.id}`, { plan: 'free' })
      await say('one')
      const [row] = await queryPlace<{ hours: number }>(
        gateway().place,
        `select (expires_at - created_at) / 3600000 as hours from listened_events where stream_id = '${id}'`,
      )
      expect(Number(row!.hours)).toBe(72)
    })

    it('gives each event again until it is acknowledged, and never afterwards', async () => {
      const { account, id, say } = await setUp()
      for (const text of ['one', 'two', 'three']) await say(text)
      const first = await read(account, id)
      expect([textsOf(first.data), first.missed]).toEqual([['one', 'two', 'three'], 0])
      expect(await read(account, id)).toEqual(first)
      // The second event is acknowledged: the third comes again.
      expect(textsOf((await read(account, id, `?after=${first.data[1]!.cursor}`)).data)).toEqual(['three'])
      expect(textsOf((await read(account, id)).data)).toEqual(['three'])
      // An earlier cursor brings nothing back, and reports nothing as missed.
      const earlier = await read(account, id, `?after=${first.data[0]!.cursor}`)
      expect([textsOf(earlier.data), earlier.missed]).toEqual([['three'], 0])
      const acknowledged = await account.ask('POST', `/v1/endpoints/${id}/ack`, { cursor: first.cursor })
      expect(acknowledged.json).toEqual({ cursor: first.cursor })
      expect(await read(account, id)).toEqual({ data: [], cursor: first.cursor, missed: 0 })
      expect(await kept(id)).toEqual([])
    })

    it('skips no event for a cursor from before a backup was restored', async () => {
      const { account, id, say } = await setUp()
      await say('one')
      const page = await read(account, id, '?after=20')
      expect([textsOf(page.data), page.missed]).toEqual([['one'], 0])
      const ack = await account.ask('POST', `/v1/endpoints/${id}/ack`, { cursor: '20' })
      expect(ack.json).toEqual({ cursor: '0' })
      expect(textsOf((await read(account, id)).data)).toEqual(['one'])
    })

    it('answers a read that waits as soon as an event happens', async () => {
      const { account, id, say } = await setUp()
      const waiting = read(account, id, '?wait=25')
      await say('now')
      expect(textsOf((await waiting).data)).toEqual(['now'])
    })

    it('gets the events that pass its filters, with the fields that it includes, besides a listener and other endpoints', async () => {
      const { account, session, id } = await setUp({ kinds: ['message'], direction: 'in', include: ['context', 'own'] })
      const other = await gateway().session(account)
      const ofOther = await create(account, { session_ids: [other.id] })
      const listener = (await account.ask('POST', '/v1/listeners', {})).json
      const extras = { context: { forwarded: true } }
      const event = textMessage(session.jid, 'hello')
      await publish(account, event, { extras })
      await publish(account, { kind: 'connection', session_id: other.jid, event: 'connected', timestamp_unix: 1 })
      const { data } = await read(account, id)
      expect(data.map(({ body }) => body)).toEqual([JSON.stringify({ ...event, ...extras.context })])
      expect((await read(account, ofOther)).data).toMatchObject([{ kind: 'connection', session_id: other.jid }])
      const listened = await account.ask('GET', `/v1/listeners/${listener.id}/events?after=${listener.cursor}`)
      expect(listened.json.data.map(({ body }: Read) => body)[0]).toBe(JSON.stringify(event))
      expect(listened.json.data).toHaveLength(2)
      expect((await account.ask('GET', '/v1/deliveries')).json.data).toEqual([])
    })

    it('keeps what it has while it is inactive, and gets nothing more', async () => {
      const { account, id, say } = await setUp()
      await say('before')
      await account.ask('PATCH', `/v1/endpoints/${id}`, { active: false })
      await say('while inactive')
      await account.ask('PATCH', `/v1/endpoints/${id}`, { active: true })
      await say('after')
      expect(textsOf((await read(account, id)).data)).toEqual(['before', 'after'])
    })

    it('says first how many events expired before they were read', async () => {
      const { account, id, say } = await setUp({ keep_hours: 1 })
      await say('one')
      await say('two')
      const [{ hours }] = (await queryPlace<{ hours: number }>(
        gateway().place,
        `select (expires_at - created_at) / 3600000 as hours from listened_events where stream_id = '${id}' and seq = 1`,
      )) as [{ hours: number }]
      expect(Number(hours)).toBe(1)
      await queryPlace(
        gateway().place,
        `update listened_events set expires_at = 1 where stream_id = '${id}' returning 1`,
      )
      await until(async () => {
        await gateway().store.retention.dropExpired()
        return (await kept(id)).length === 0
      })
      const stream = await open(account, id)
      expect((await stream.wait('missed')).data).toEqual({ count: 2 })
      await say('three')
      await stream.wait('event', ({ body }: Read) => body.includes('three'))
      expect(stream.events.map(({ event }) => event).filter(name => name !== 'ping')).toEqual(['missed', 'event'])
      stream.close()
      const page = await read(account, id)
      expect([textsOf(page.data), page.missed]).toEqual([['three'], 2])
      expect((await read(account, id, `?after=${page.cursor}`)).missed).toBe(0)
    })

    it('limits the events of a pull endpoint by number and size: the oldest are deleted, and the next read says how many', async () => {
      for (const [column, bound] of [
        ['seq', BOUNDS.pulledEvents],
        ['total', BOUNDS.pulledBytes],
      ] as const) {
        const { account, id, say } = await setUp()
        await say('one')
        // Simulates many more events.
        await queryPlace(
          gateway().place,
          `update streams set ${column} = ${column} + ${bound} where id = '${id}' returning 1`,
        )
        await say('last')
        const page = await read(account, id)
        expect(textsOf(page.data)).toEqual(['last'])
        expect(page.missed).toBeGreaterThan(0)
      }
    })

    it('limits an account to 10 pull endpoints', async () => {
      const account = await gateway().account()
      const made = await Promise.all(
        Array.from({ length: BOUNDS.pullEndpoints + 1 }, () => account.ask('POST', '/v1/endpoints', { type: 'pull' })),
      )
      expect(made.filter(({ status }) => status === 201)).toHaveLength(BOUNDS.pullEndpoints)
      expectError(made.find(({ status }) => status !== 201)!, 429, /at most 10 pull endpoints of an account/)
    })

    it('leaves no event behind when it is deleted', async () => {
      const { account, id, say } = await setUp()
      const other = await create(account)
      await say('one')
      const stream = await open(account, id)
      await stream.wait('event')
      expect((await account.ask('DELETE', `/v1/endpoints/${id}`)).json).toEqual({ id, deleted: true })
      await until(() => stream.ended)
      await say('two')
      expect(await kept(id)).toEqual([])
      expect(await queryPlace(gateway().place, `select id from streams where id = '${id}'`)).toEqual([])
      expectError(await account.ask('GET', `/v1/endpoints/${id}/events`), 404)
      expect(textsOf((await read(account, other)).data)).toEqual(['one', 'two'])
    })

    it('is closed to other accounts, to keys that may not manage, and to keys of other numbers', async () => {
      const { account, session, id } = await setUp()
      const [stranger, second] = [await gateway().account(), await gateway().session(account)]
      const grant = async (body: object) =>
        gateway().as(account, (await account.ask('POST', '/v1/keys', { label: 'x', ...body })).json.key)
      const limited = await grant({ session_ids: [session.id] })
      const reader = await grant({ scopes: ['read'] })
      for (const by of [stranger, limited, reader]) {
        expectError(await by.ask('GET', `/v1/endpoints/${id}/events`), 403)
        expectError(await by.ask('GET', `/v1/endpoints/${id}/stream`), 403)
        expectError(await by.ask('POST', `/v1/endpoints/${id}/ack`, { cursor: '1' }), 403)
      }
      await publish(account, textMessage(second.jid, 'of the other number'))
      await publish(account, textMessage(session.jid, 'mine'))
      await account.ask('PATCH', `/v1/endpoints/${id}`, { session_ids: [session.id] })
      expect(textsOf((await read(limited, id)).data)).toEqual(['mine'])
      expect(textsOf((await read(account, id)).data)).toEqual(['of the other number', 'mine'])
    })

    const open = (account: TestAccount, id: string, headers: Record<string, string> = {}) =>
      listenTo(gateway().url, `/v1/endpoints/${id}/stream`, { authorization: `Bearer ${account.key}`, ...headers })

    it('streams what it keeps and what happens, and continues after Last-Event-ID', async () => {
      const { account, id, say } = await setUp()
      await say('one')
      const stream = await open(account, id)
      expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
      await stream.wait('event', ({ body }: Read) => body.includes('one'))
      // More than a stream may buffer.
      await say('x'.repeat(3_000_000))
      await say('three')
      await stream.wait('event', ({ body }: Read) => body.includes('three'))
      const events = stream.of('event').map(({ data }) => data as Read)
      expect(events.map(({ body }) => body.length > 3_000_000)).toEqual([false, true, false])
      expect((await read(account, id)).data[0]).toEqual(events[0])
      stream.close()
      // It has acknowledged nothing.
      const [again, later] = [await open(account, id), await open(account, id, { 'last-event-id': events[1]!.cursor })]
      expect((await again.wait('event')).data).toEqual(events[0])
      expect((await later.wait('event')).data).toEqual(events[2])
      await account.ask('POST', `/v1/endpoints/${id}/ack`, { cursor: events[2]!.cursor })
      const last = await open(account, id)
      await say('four')
      expect(textsOf([(await last.wait('event')).data])).toEqual(['four'])
      for (const each of [again, later, last]) each.close()
    })

    it('reads no more at once for a stream than its client may leave unread in memory', async () => {
      const { id, say } = await setUp()
      for (let n = 0; n < 6; n++) await say('x'.repeat(100_000))
      const pages: number[] = []
      const done = new AbortController()
      const { store, context } = gateway()
      const followed = { streamId: id, after: 0, signal: done.signal }
      await followEvents({ store, clock: context.clock }, followed, async ({ events, cursor }) => {
        pages.push(events.length)
        if (cursor === 6) done.abort()
      })
      expect(pages).toEqual([2, 2, 2])
    })

    const connect = (account: TestAccount, path: string, headers: Record<string, string> = {}) => {
      const url = `${gateway().url.replace('http', 'ws')}/v1/endpoints/${path}`
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${account.key}`, ...headers } })
      const messages: Array<{ event: string; data: Read }> = []
      const closed = once(socket, 'close').then(([code]) => code as number)
      socket.on('error', () => {})
      socket.on('message', data => messages.push(JSON.parse((data as Buffer).toString())))
      const ended = new Promise<number | undefined>(resolve => {
        socket.once('unexpected-response', (_, response) => resolve(response.statusCode))
        socket.once('open', () => resolve(101))
      })
      return { socket, messages, closed, status: ended }
    }

    it('sends its events over a WebSocket, which takes acknowledgements', async () => {
      const { account, id, say } = await setUp()
      await say('one')
      const { socket, messages, closed, status } = connect(account, `${id}/stream`)
      expect(await status).toBe(101)
      await until(() => messages.length === 1)
      await say('x'.repeat(2_000_000))
      await until(() => messages.length === 2)
      const events = messages.map(({ data }) => data)
      expect((await read(account, id)).data).toEqual(events)
      socket.send(JSON.stringify({ ack: events[0]!.cursor }))
      await until(() => messages.length === 3)
      expect(messages[2]).toEqual({ event: 'acknowledged', data: { cursor: events[0]!.cursor } })
      expect((await read(account, id)).data).toEqual([events[1]])
      const again = connect(account, `${id}/stream`, { 'last-event-id': events[1]!.cursor })
      await again.status
      await say('three')
      await until(() => again.messages.length === 1)
      expect(textsOf(again.messages.map(({ data }) => data))).toEqual(['three'])
      again.socket.close()
      socket.send('garbage')
      expect(await closed).toBe(1008)
    })

    it('closes a WebSocket with 1011 if an acknowledgement cannot be stored, and accepts it over the next WebSocket', async () => {
      const { account, id, say } = await setUp()
      await say('one')
      const acknowledging = vi.spyOn(gateway().store.listeners, 'acknowledgePulled')
      acknowledging.mockRejectedValueOnce(new StoreUnavailable('the database is away'))
      const first = connect(account, `${id}/stream`)
      await until(() => first.messages.length === 1)
      const ack = JSON.stringify({ ack: first.messages[0]!.data.cursor })
      first.socket.send(ack)
      expect(await first.closed).toBe(1011)
      const second = connect(account, `${id}/stream`)
      await until(() => second.messages.length === 1)
      second.socket.send(ack)
      await until(() => second.messages.length === 2)
      acknowledging.mockRestore()
      expect((await read(account, id)).data).toEqual([])
      second.socket.terminate()
    })

    it('rejects a WebSocket like any request, and ignores upgrades to anything else', async () => {
      const { account, id } = await setUp()
      const stranger = gateway().as(account, 'ptn_wrong')
      expect(await connect(stranger, `${id}/stream`).status).toBe(401)
      expect(await connect(account, 'ep_none/stream').status).toBe(404)
      expect(await connect(account, id).status).toBe(200)
      const offered = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' }
      const made = await account.ask('POST', '/v1/endpoints', { type: 'pull' }, offered)
      expect(made.status).toBe(201)
      const key = (await account.ask('POST', '/v1/keys', { label: 'x' })).json
      const { closed, status } = connect(gateway().as(account, key.key), `${id}/stream`)
      expect(await status).toBe(101)
      await account.ask('DELETE', `/v1/keys/${key.id}`)
      expect(await closed).toBe(1001)
    })

    /** A connection that has sent the request for a WebSocket, and nothing else. */
    const dialSocket = async (account: TestAccount, id: string): Promise<Socket> => {
      const { hostname, port } = new URL(gateway().url)
      const socket = dial({ host: hostname, port: Number(port) })
      await once(socket, 'connect')
      socket.on('error', () => {})
      const headers = [
        `GET /v1/endpoints/${id}/stream HTTP/1.1`,
        `Host: ${hostname}`,
        `Authorization: Bearer ${account.key}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ]
      socket.write(`${headers.join('\r\n')}\r\n\r\n`)
      return socket
    }

    it('keeps no more than one answer to the pings of a client that reads none of them', async () => {
      const { account, id } = await setUp()
      const socket = await dialSocket(account, id)
      await once(socket, 'data')
      socket.pause()
      const ping = (payload: string) =>
        Buffer.concat([Buffer.from([0x89, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)])
      const many = Buffer.concat(Array.from({ length: 1_000 }, () => ping('x'.repeat(125))))
      for (let n = 0; n < 80; n++) if (!socket.write(many)) await once(socket, 'drain')
      socket.write(ping('the last one'))
      let [received, tail] = [0, '']
      socket.on('data', (data: Buffer) => {
        received += data.length
        tail = (tail + data.toString('latin1')).slice(-100)
      })
      socket.resume()
      await until(() => tail.includes('the last one'))
      expect(received).toBeLessThan(80_000 * 127)
      socket.destroy()
    })

    it('holds no place for a client that leaves before its WebSocket is open', async () => {
      const { account, id } = await setUp()
      for (let n = 0; n < 20; n++) {
        const socket = await dialSocket(account, id)
        // Each time the request has come a little further.
        for (let turn = 0; turn < n; turn++) await setImmediate()
        socket.resetAndDestroy()
      }
      const { socket, closed, status } = connect(account, `${id}/stream`)
      expect(await status).toBe(101)
      socket.terminate()
      await closed
      const open = () => queryPlace(gateway().place, `select id from open_streams where account_id = '${account.id}'`)
      await until(async () => (await open()).length === 0)
    })

    it('ends the stream of a key that is revoked', async () => {
      const { account, id } = await setUp()
      const made = (await account.ask('POST', '/v1/keys', { label: 'x' })).json
      const stream = await open(gateway().as(account, made.key), id)
      await account.ask('DELETE', `/v1/keys/${made.id}`)
      await until(() => stream.ended)
    })
  })
})
