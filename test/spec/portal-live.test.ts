import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { makeId } from '../../src/domain/ids.ts'
import { aboutPairing } from '../../src/domain/sealed.ts'
import { expectError } from '../harness/client.ts'
import { movableClock } from '../harness/clocks.ts'
import { textMessage } from '../harness/delivery.ts'
import { type Listening, listenTo } from '../harness/event-stream.ts'
import { registerTestSession, startTestGateway, type TestGateway, type TestSession } from '../harness/gateway.ts'
import { addUser, type Browser, type PortalUser, signedIn } from '../harness/portal.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

describe.each(ONE_STORE)('The live stream on %s', kind => {
  let gateway: TestGateway
  let receiver: Receiver
  const open: Listening[] = []
  beforeAll(async () => {
    const env = { POSTERN_ROLES: 'api,dispatcher', POSTERN_RETRY_DELAYS: '200ms,200ms,200ms' }
    gateway = await startTestGateway(kind, env)
    receiver = await startReceiver()
  })
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close()
    receiver.reply = () => 200
  })
  afterAll(async () => {
    await gateway.stop()
    await receiver.close()
  })

  async function listen(browser: Browser): Promise<Listening> {
    const stream = await listenTo(gateway.url, '/portal/api/live', { cookie: browser.cookie! })
    open.push(stream)
    await stream.wait('ping')
    return stream
  }

  async function visitor(): Promise<{ user: PortalUser; browser: Browser; session: TestSession }> {
    const user = await addUser(gateway)
    const browser = await signedIn(gateway, user)
    const session = await registerTestSession(gateway.store, user.accountId, true)
    await gateway.setState(session, 'connected')
    return { user, browser, session }
  }

  const publish = (accountId: string, session: TestSession) =>
    gateway.store.events.publishEvent(makeEvent(gateway.context, accountId, textMessage(session.jid)))

  test('shows a delivered event as the history has it', async () => {
    const { user, browser, session } = await visitor()
    const created = await browser.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: receiver.url() })
    expect(created.status, created.text).toBe(201)
    const stream = await listen(browser)
    await publish(user.accountId, session)
    const shown = await stream.wait('delivery', data => data.status === 'delivered')
    const { data } = (await browser.ask('GET', '/v1/deliveries')).json
    expect(data).toEqual([shown.data])
  })

  test('shows every attempt of a delivery that fails, and each change once', async () => {
    receiver.reply = () => 503
    const { user, browser, session } = await visitor()
    await browser.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: receiver.url() })
    const stream = await listen(browser)
    await publish(user.accountId, session)
    const dead = await stream.wait('delivery', data => data.status === 'dead')
    expect(dead.data.attempts).toHaveLength(4)
    const versions = stream.of('delivery').map(({ data }) => `${data.updated_at} ${data.status}`)
    expect(new Set(versions).size).toBe(versions.length)
  })

  test('shows messages and numbers as their state changes', async () => {
    const { browser, session } = await visitor()
    const stream = await listen(browser)
    await stream.wait('session', data => data.id === session.id && data.state === 'connected')
    const body = { session_id: session.id, to: '15551234567', text: 'hi' }
    const sent = await browser.ask('POST', '/v1/messages', body)
    expect(sent.status, sent.text).toBe(202)
    await stream.wait('message', data => data.id === sent.json.message_id && data.state === 'queued')
    await browser.ask('DELETE', `/v1/messages/${sent.json.message_id}`)
    await stream.wait('message', data => data.id === sent.json.message_id && data.state === 'cancelled')
    await gateway.setState(session, 'disconnected')
    await stream.wait('session', data => data.id === session.id && data.state === 'disconnected')
  })

  test('shows the code of a pairing as it renews', async () => {
    const { user, browser } = await visitor()
    const stream = await listen(browser)
    const { store, seal } = gateway.context
    const id = makeId('pair')
    const pairing = { id, accountId: user.accountId, method: 'qr', phone: null, label: '', timeoutMs: 60_000 } as const
    await store.pairings.createPairing({ ...pairing, platform: 'sandbox' })
    await stream.wait('pairing', data => data.id === id && data.status === 'pending')
    await store.pairings.claimPairings({ owner: 'me', platform: 'sandbox', limit: 10, ttlMs: 60_000 })
    for (const qr of ['2@first', '2@second']) {
      const step = seal.sealJson({ qr }, aboutPairing(id))
      await store.pairings.recordPairingStep({
        id,
        owner: 'me',
        status: 'waiting',
        step,
        expiresAt: Date.now() + 20_000,
      })
      await stream.wait('pairing', data => data.id === id && data.qr === qr)
    }
  })

  test('shows an account nothing of another account', async () => {
    const [ada, bob] = [await visitor(), await visitor()]
    const streams = [await listen(ada.browser), await listen(bob.browser)]
    for (const { user, browser, session } of [ada, bob]) {
      await browser.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: receiver.url() })
      await browser.ask('POST', '/v1/messages', { session_id: session.id, to: '15551234567', text: 'hi' })
      await publish(user.accountId, session)
    }
    for (const stream of streams) {
      await stream.wait('delivery', data => data.status === 'delivered')
      await stream.wait('message')
    }
    for (const [i, own] of [ada, bob].entries()) {
      const streamed = streams[i]!.events.filter(({ event }) => event !== 'ping')
      const numbers = streamed.map(({ event, data }) => (event === 'session' ? data.id : data.session_id))
      expect(new Set(numbers.map(id => id.replace(/:\d+@/, '@')))).toEqual(new Set([own.session.jid]))
    }
  })

  test('ends when the user signs out', async () => {
    const { browser } = await visitor()
    const stream = await listen(browser)
    await browser.ask('POST', '/sign-out', {})
    await until(() => stream.ended)
  })

  test('is refused without a session, and beyond 50 at once', async () => {
    const unauthenticated = await listenTo(gateway.url, '/portal/api/live', {})
    expect(unauthenticated.status).toBe(401)
    const { browser } = await visitor()
    for (let i = 0; i < 50; i++) await listen(browser)
    expectError(await browser.ask('GET', '/live'), 429, /at most 50 event streams/)
    open.pop()!.close()
    await until(async () => {
      const stream = await listenTo(gateway.url, '/portal/api/live', { cookie: browser.cookie! })
      open.push(stream)
      return stream.status === 200
    })
  })

  test('goes with statistics that count what happened', async () => {
    const { user, browser, session } = await visitor()
    await browser.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: receiver.url() })
    await browser.ask('POST', '/v1/messages', { session_id: session.id, to: '15551234567', text: 'hi' })
    await publish(user.accountId, session)
    await until(async () => (await browser.ask('GET', '/v1/stats')).json.totals.delivered === 1)
    receiver.reply = () => 500
    await publish(user.accountId, session)
    await until(async () => (await browser.ask('GET', '/v1/stats')).json.dead_letters === 1)
    await gateway.store.usage.foldUsage()
    for (const [range, buckets] of [
      ['24h', 24],
      ['7d', 28],
      ['30d', 30],
    ] as const) {
      const { json } = await browser.ask('GET', `/v1/stats?range=${range}`)
      expect(json.totals).toMatchObject({ accepted: 1, delivered: 1, delivery_failed: 4, sent: 0 })
      expect(json.totals.latency_p95_ms).toBeGreaterThanOrEqual(json.totals.latency_p50_ms)
      expect(json.numbers).toEqual({ connected: 1, total: 1 })
      expect(json.buckets).toHaveLength(buckets)
      expect(json.buckets.at(-1)).toMatchObject({ accepted: 1, delivered: 1 })
      expect(Date.parse(json.buckets.at(-1).at)).toBeLessThanOrEqual(await gateway.store.now())
    }
    // Five attempts with their outcomes; the endpoint's responses are not read for a chart.
    const { attempts, hours } = await gateway.store.usage.readStats({
      accountId: user.accountId,
      fromMs: 0,
      bucketMs: 86_400_000,
    })
    const each = { webhookId: expect.any(String), atMs: expect.any(Number), latencyMs: expect.any(Number) }
    const failed = { ...each, delivered: false, code: 500, error: 'http_5xx' }
    expect(attempts).toEqual([{ ...each, delivered: true, code: 200, error: null }, failed, failed, failed, failed])
    expect(hours.every(({ hour }) => hour % 24 === 0)).toBe(true)
    expectError(await browser.ask('GET', '/v1/stats?range=1y'), 400, /range/)
  })
})

test('a stream ends within a second of the sign-out or the revocation, and open streams do not hold up a shutdown', async () => {
  const clock = movableClock()
  const gateway = await startTestGateway('sqlite', {}, { clock })
  const user = await addUser(gateway)
  const [leaving, staying] = [await signedIn(gateway, user), await signedIn(gateway, user)]
  const key = (await staying.ask('POST', '/v1/keys', { label: 'tail', scopes: ['read'] })).json
  const live = (browser: Browser) => listenTo(gateway.url, '/portal/api/live', { cookie: browser.cookie! })
  const [left, stays] = [await live(leaving), await live(staying)]
  const revoked = await listenTo(gateway.url, '/v1/deliveries/events', { authorization: `Bearer ${key.key}` })
  for (const stream of [left, stays, revoked]) await stream.wait('ping')
  clock.stand()
  await leaving.ask('POST', '/sign-out', {})
  await staying.ask('DELETE', `/v1/keys/${key.id}`)
  clock.pass(1_000)
  await until(() => left.ended && revoked.ended)
  clock.goOn()
  expect(stays.ended).toBe(false)
  await gateway.stop()
  await until(() => stays.ended)
})
