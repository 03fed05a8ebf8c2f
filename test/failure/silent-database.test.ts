import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway, type TestSession } from '../harness/gateway.ts'
import { atPort, type Relay, startRelay } from '../harness/relay.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

describe('A database that stops responding', () => {
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
    const body = { session_id: session.id, to: '15550001111', text: key }
    const { status, json } = await account.ask('POST', '/v1/messages', body, { 'idempotency-key': key })
    return { key, status, id: json.message_id as string | undefined }
  }
  const ready = async () => (await ask(gateway.url, 'GET', '/readyz')).status
  const sendMany = (prefix: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => send(`${prefix}-${i}`)))

  it('makes waiting and running requests 502, and nothing is lost or duplicated', async () => {
    expect(new Set((await sendMany('before', 50)).map(({ status }) => status))).toEqual(new Set([202]))
    relay.silence()
    const underWay = sendMany('under-way', 100)
    await until(async () => (await ready()) === 503)
    const waiting = await sendMany('waiting', 100)
    const all = [...(await underWay), ...waiting]
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([502]))
    relay.resume()
    await until(async () => (await send('after')).status === 202)
    const retried = await Promise.all(all.map(({ key }) => send(key)))
    expect(new Set(retried.map(({ status }) => status))).toEqual(new Set([202]))
    expect(new Set(retried.map(({ id }) => id)).size).toBe(all.length)
  })

  it('makes /readyz 503 soon, and 200 again once it responds', async () => {
    expect(await ready()).toBe(200)
    relay.silence()
    await until(async () => (await ready()) === 503)
    relay.resume()
    await until(async () => (await ready()) === 200)
  })
})
