import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway, type TestSession } from '../harness/gateway.ts'
import { atPort, type Relay, startRelay } from '../harness/relay.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

/** What is under way when the database falls silent ends after its own time; its connections and a busy machine add to it. */
const LONGEST_MS = 10_000
/** A second, and some room; less than connecting may take. What a busy machine adds is measured beside it. */
const QUICK_MS = 2_500
const CONNECTIONS = 10

describe('a database that falls silent', () => {
  let place: Place
  let relay: Relay
  let gateway: TestGateway
  let account: TestAccount
  let session: TestSession

  beforeEach(async () => {
    place = await newPlace('postgres')
    relay = await startRelay(Number(new URL(place.databaseUrl!).port))
    gateway = await startTestGateway(place, { POSTERN_DATABASE_URL: atPort(place.databaseUrl!, relay.port) })
    account = await gateway.account({ limits: { messages_per_second: null, requests_per_second: null } })
    session = await gateway.session(account)
  })
  afterEach(async () => {
    relay.resume()
    await gateway.stop()
    await relay.close()
    place.remove()
  })

  const send = async (key: string) => {
    const begunMs = performance.now()
    const body = { session_id: session.id, to: '15550001111', text: key }
    const { status, json } = await account.ask('POST', '/v1/messages', body, { 'idempotency-key': key })
    return { key, status, id: json.message_id as string | undefined, tookMs: performance.now() - begunMs }
  }
  const ready = async () => (await ask(gateway.url, 'GET', '/readyz')).status
  const sendMany = (prefix: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => send(`${prefix}-${i}`)))

  /** How long the slowest of some requests takes that need no database. */
  const slowestOfTheRest = async (count: number) => {
    const begunMs = performance.now()
    await Promise.all(Array.from({ length: count }, () => ask(gateway.url, 'GET', '/healthz')))
    return performance.now() - begunMs
  }

  it('who waits for it is answered 502 within a second, who was under way after some seconds, and nothing is lost or doubled', async () => {
    expect(new Set((await sendMany('before', 50)).map(({ status }) => status))).toEqual(new Set([202]))
    relay.silence()
    const underWay = sendMany('under-way', 100)
    await until(async () => (await ready()) === 503)
    const [waiting, busyMs] = await Promise.all([sendMany('waiting', 100), slowestOfTheRest(100)])
    // As many as there are connections may find out by themselves.
    expect(waiting.filter(({ tookMs }) => tookMs > QUICK_MS + busyMs).length).toBeLessThanOrEqual(CONNECTIONS)
    const all = [...(await underWay), ...waiting]
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([502]))
    expect(Math.max(...all.map(({ tookMs }) => tookMs))).toBeLessThan(LONGEST_MS)
    relay.resume()
    await until(async () => (await send('after')).status === 202)
    const retried = await Promise.all(all.map(({ key }) => send(key)))
    expect(new Set(retried.map(({ status }) => status))).toEqual(new Set([202]))
    expect(new Set(retried.map(({ id }) => id)).size).toBe(all.length)
  })

  it('/readyz says so soon, whoever asks, and takes it back', async () => {
    expect(await ready()).toBe(200)
    relay.silence()
    await until(async () => (await ready()) === 503)
    relay.resume()
    await until(async () => (await ready()) === 200)
  })
})
