import { expect, test } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { ask, expectError } from '../harness/client.ts'
import { onAnyStore, type TestAccount, type TestGateway, type TestSession } from '../harness/gateway.ts'
import { queryPlace } from '../harness/stores.ts'

let clocked = 0

/** Publishes an event of a number, as its worker does. */
async function happen(gateway: TestGateway, account: TestAccount, session: TestSession): Promise<string> {
  const event = makeEvent(gateway.context, account.id, {
    kind: 'connection',
    session_id: session.jid,
    status: 'connected',
    reason: '',
    timestamp_unix: 1_700_000_000 + clocked++,
  } as never)
  const memory = { state: 'connected', downSince: null, reported: null } as const
  await gateway.store.sessions.recordLink({ lease: session.lease, memory, trouble: null, event })
  return event.id
}

interface Listener {
  id: string
  cursor: string
  secret: string
}
const open = async (account: TestAccount): Promise<Listener> => (await account.ask('POST', '/v1/listeners', {})).json
const read = (account: TestAccount, { id, cursor }: Listener, more = '') =>
  account.ask('GET', `/v1/listeners/${id}/events?after=${cursor}${more}`)

onAnyStore(gateway => {
  test('listeners of an account are limited: one that ends makes room', async () => {
    const account = await gateway().account()
    const listeners = []
    for (let i = 0; i < BOUNDS.listeners; i++) listeners.push(await open(account))
    expect(new Set(listeners.map(({ secret }) => secret)).size).toBe(1)
    expectError(await account.ask('POST', '/v1/listeners', {}), 429, /at most 10 listeners of an account/)
    expect((await account.ask('DELETE', `/v1/listeners/${listeners[0]!.id}`)).status).toBe(200)
    expect((await account.ask('POST', '/v1/listeners', {})).status).toBe(201)
    expect((await (await gateway().account()).ask('POST', '/v1/listeners', {})).status).toBe(201)
  })

  test('a key that is limited to a number gets another secret for its listeners than the account, the same each time', async () => {
    const account = await gateway().account()
    const [one, other] = [await gateway().session(account), await gateway().session(account)]
    const keyFor = async (...session_ids: string[]): Promise<string> =>
      (await account.ask('POST', '/v1/keys', { label: 'limited', session_ids })).json.key
    const secretOf = async (key: string): Promise<string> =>
      (await ask(gateway().url, 'POST', '/v1/listeners', { key, body: {} })).json.secret
    const ofAccount = (await open(account)).secret
    const [ofOne, again] = [await secretOf(await keyFor(one.id)), await secretOf(await keyFor(one.id))]
    const secrets = [ofOne, await secretOf(await keyFor(other.id)), await secretOf(await keyFor(one.id, other.id))]
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[\w-]{43}$/)
    expect(new Set([ofAccount, ...secrets]).size).toBe(4)
    expect(again).toBe(ofOne)
  })

  test('at the limit of listeners, the one that has been silent longest makes room after an hour, and no other', async () => {
    const account = await gateway().account()
    const listeners: Listener[] = []
    for (let i = 0; i < BOUNDS.listeners; i++)
      listeners.push((await account.ask('POST', '/v1/listeners', { keep_hours: 168 })).json)
    const silent = (listener: Listener, minutes: number) =>
      queryPlace(
        gateway().place,
        `update listeners set heard_at = heard_at - ${minutes * 60_000} where id = '${listener.id}' returning 1`,
      )
    await silent(listeners[3]!, 59)
    expectError(await account.ask('POST', '/v1/listeners', {}), 429, /at most 10 listeners of an account/)
    await silent(listeners[4]!, 62)
    await silent(listeners[5]!, 65)
    expect((await account.ask('POST', '/v1/listeners', {})).status).toBe(201)
    expectError(await read(account, listeners[5]!), 404)
    // A listener that sends another request is no longer silent.
    expect((await read(account, listeners[4]!)).status).toBe(200)
    expectError(await account.ask('POST', '/v1/listeners', {}), 429)
    expect((await read(account, listeners[3]!)).status).toBe(200)
  })

  test('a listener may stay away for an hour, or for as long as it requests, at most a week', async () => {
    const account = await gateway().account()
    const session = await gateway().session(account)
    const hoursOf = async (table: string): Promise<number[]> => {
      const column = table === 'listeners' ? 'account_id' : 'stream_id'
      const sql = `select expires_at as at from ${table} where ${column} = '${account.id}' order by expires_at`
      const rows = await queryPlace<{ at: number | string }>(gateway().place, sql)
      return rows.map(({ at }) => Math.round((Number(at) - Date.now()) / 3_600_000))
    }
    const { json: long } = await account.ask('POST', '/v1/listeners', { keep_hours: 168 })
    const short = await open(account)
    await happen(gateway(), account, session)
    expect([await hoursOf('listeners'), await hoursOf('listened_events')]).toEqual([[1, 168], [168]])
    expect((await read(account, long, '&keep_hours=72')).json.data).toHaveLength(1)
    expect(await hoursOf('listeners')).toEqual([1, 72])
    expect((await read(account, long)).json.data).toHaveLength(1)
    expect(await hoursOf('listeners')).toEqual([1, 1])
    for (const keep_hours of [0, 169, 1.5])
      expectError(await account.ask('POST', '/v1/listeners', { keep_hours }), 400, /keep_hours/)
    expectError(await read(account, short, '&keep_hours=169'), 400, /keep_hours/)
  })

  test('listeners read an event of an account without a webhook byte for byte, and it is deleted when all have it', async () => {
    const account = await gateway().account()
    const session = await gateway().session(account)
    await happen(gateway(), account, session)
    const [one, two] = [await open(account), await open(account)]
    const waiting = read(account, one, '&wait=20')
    const id = await happen(gateway(), account, session)
    const { json } = await waiting
    expect(json.data.map((event: { event_id: string }) => event.event_id)).toEqual([id])
    expect(JSON.parse(json.data[0].body)).toMatchObject({ kind: 'connection', session_id: session.jid })
    const kept = () => queryPlace(gateway().place, `select seq from listened_events where stream_id = '${account.id}'`)
    await read(account, { ...one, cursor: json.cursor })
    expect(await kept()).toHaveLength(1)
    // The same cursor again: nothing was lost with a response that did not arrive.
    expect((await read(account, two)).json.data).toEqual(json.data)
    await read(account, { ...two, cursor: json.cursor })
    expect(await kept()).toEqual([])
  })

  test('an event that cannot be decrypted is left out, and those around it are delivered', async () => {
    const account = await gateway().account()
    const session = await gateway().session(account)
    const listener = await open(account)
    const ids = [await happen(gateway(), account, session), await happen(gateway(), account, session)]
    const broken = await happen(gateway(), account, session)
    ids.push(await happen(gateway(), account, session))
    await queryPlace(
      gateway().place,
      `update listened_events set sealed = (select sealed from listened_events where event_id = '${ids[0]}')
       where event_id = '${broken}' returning 1`,
    )
    const { status, json } = await read(account, listener)
    expect(status).toBe(200)
    expect(json.data.map((event: { event_id: string }) => event.event_id)).toEqual(ids)
    expect((await read(account, { ...listener, cursor: json.cursor })).json.data).toEqual([])
  })

  test('unread events are limited by number and size: the oldest are deleted, and the listener is informed how many', async () => {
    const account = await gateway().account()
    const session = await gateway().session(account)
    const listener = await open(account)
    for (const [column, bound] of [
      ['seq', BOUNDS.listenedEvents],
      ['total', BOUNDS.listenedBytes],
    ] as const) {
      const before = await happen(gateway(), account, session)
      // Simulates many more events.
      await queryPlace(
        gateway().place,
        `update streams set ${column} = ${column} + ${bound} where id = '${account.id}' returning 1`,
      )
      const after = await happen(gateway(), account, session)
      const { json } = await read(account, listener)
      const ids = json.data.map((event: { event_id: string }) => event.event_id)
      expect(ids).not.toContain(before)
      expect(ids).toContain(after)
      expect(json.missed).toBeGreaterThan(0)
    }
  })

  test('no other account reaches a listener, nor a key that may not manage or sees other numbers', async () => {
    const [account, other] = [await gateway().account(), await gateway().account()]
    const [own, hidden] = [await gateway().session(account), await gateway().session(account)]
    const listener = await open(account)
    expectError(await read(other, listener), 404)
    expectError(await other.ask('DELETE', `/v1/listeners/${listener.id}`), 404)
    const key = async (grant: object) => {
      const made = await account.ask('POST', '/v1/keys', { label: 'x', ...grant })
      return gateway().as(account, made.json.key)
    }
    expectError(await read(await key({ scopes: ['read'] }), listener), 403)
    await happen(gateway(), account, hidden)
    const id = await happen(gateway(), account, own)
    const seen = (await read(await key({ session_ids: [own.id] }), listener)).json
    expect(seen.data.map((event: { event_id: string }) => event.event_id)).toEqual([id])
    expectError(
      await ask(gateway().url, 'GET', `/v1/listeners/${listener.id}/events?after=x`, { key: account.key }),
      400,
    )
  })

  test('two clients that read with one listener supersede each other no more than about once a second', async () => {
    const account = await gateway().account()
    const listener = await open(account)
    let requests = 0
    const untilMs = performance.now() + 3_000
    const client = async () => {
      for (; performance.now() < untilMs; requests++)
        expect((await read(account, listener, '&wait=5')).json).toEqual({
          data: [],
          cursor: listener.cursor,
          missed: 0,
        })
    }
    await Promise.all([client(), client()])
    expect(requests).toBeLessThan(12)
  })

  test('a cursor from before a backup was restored skips no event', async () => {
    const account = await gateway().account()
    const session = await gateway().session(account)
    const listener = await open(account)
    const first = await happen(gateway(), account, session)
    const ahead = { ...listener, cursor: String(Number(listener.cursor) + 20) }
    const idsOf = async (cursor: Listener, more = '') => {
      const { json } = await read(account, cursor, more)
      expect(json.missed).toBe(0)
      return { ids: json.data.map((event: { event_id: string }) => event.event_id), cursor: json.cursor }
    }
    const { ids, cursor } = await idsOf(ahead)
    expect([ids, cursor]).toEqual([[first], String(Number(listener.cursor) + 1)])
    await idsOf({ ...listener, cursor })
    const waiting = idsOf(ahead, '&wait=20')
    const second = await happen(gateway(), account, session)
    expect((await waiting).ids).toEqual([second])
  })
})
