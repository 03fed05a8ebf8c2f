import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queueSessionRequest } from '../../src/actions/send-request.ts'
import { changeSession } from '../../src/http/v1/sessions.ts'
import { makeEvent } from '../../src/actions/make-event.ts'
import { createWorker } from '../../src/worker/worker.ts'
import { expectError } from '../harness/client.ts'
import { createFakePlatform, type FakePlatform, incomingText } from '../harness/fake-platform.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

describe.each(ONE_STORE)('Numbers that move or are unlinked, on %s', kind => {
  let gateway: TestGateway
  let network: FakePlatform
  let receiver: Receiver
  let worker: Promise<void>
  const stopping = new AbortController()

  beforeAll(async () => {
    receiver = await startReceiver()
    gateway = await startTestGateway(kind, {
      POSTERN_ROLES: 'api,dispatcher',
      POSTERN_RETRY_DELAYS: '2h,2h,2h',
      POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    })
    network = createFakePlatform()
    worker = createWorker(gateway.context, { whatsapp: network, sandbox: network }).run(stopping.signal)
  })
  afterAll(async () => {
    stopping.abort()
    await worker
    await gateway.stop()
    await receiver.close()
  })

  async function pair(account: TestAccount, phone: string): Promise<string> {
    expect((await account.ask('POST', '/v1/pairings', { method: 'qr' })).status).toBe(201)
    await until(() => network.pairings.length > 0)
    network.pairings.shift()!.accept(phone)
    const id = `${phone}@s.whatsapp.net`
    await until(async () => (await account.ask('GET', `/v1/sessions/${id}`)).json?.state === 'connected')
    return id
  }

  async function subscribe(account: TestAccount, sessionId: string, path: string): Promise<string> {
    const body = { session_id: sessionId, messages_url: receiver.url(path) }
    const answer = await account.ask('POST', '/v1/webhooks', body)
    expect(answer.status, answer.text).toBe(201)
    return answer.json.id
  }

  const arrivalsAt = (path: string) => receiver.ledger.filter(got => got.path === path).length
  const write = (sessionId: string, text: string) =>
    network.receive(sessionId, incomingText(sessionId, '15550009999', text))
  const active = async (account: TestAccount, id: string) =>
    (await account.ask('GET', `/v1/webhooks/${id}`)).json.active
  const deliveries = async (account: TestAccount) => (await account.ask('GET', '/v1/deliveries')).json.data

  test('a pairing completed in another account ends the old account’s pending deliveries, and nothing more is sent there', async () => {
    receiver.reply = got => (got.path === '/old' ? 500 : 200)
    const [old, next] = [await gateway.account(), await gateway.account()]
    const phone = `1555${process.pid}701`
    const sessionId = await pair(old, phone)
    const webhook = await subscribe(old, sessionId, '/old')
    await write(sessionId, 'before the move')
    await until(async () => (await deliveries(old))[0]?.status === 'failed')
    await pair(next, phone)
    await subscribe(next, sessionId, '/new')
    await until(async () => (await deliveries(old))[0]?.status === 'dead')
    const [ended] = await deliveries(old)
    expect(ended).toMatchObject({ status: 'dead', reason: 'webhook_inactive' })
    expect(ended.attempts ?? []).toHaveLength(1)
    expect(await active(old, webhook)).toBe(false)
    await write(sessionId, 'after the move')
    await receiver.until(() => arrivalsAt('/new') === 1)
    expect(arrivalsAt('/old')).toBe(1)
    expect(await deliveries(old)).toHaveLength(1)
    const resend = await old.ask('POST', `/v1/deliveries/${ended.id}/resend`)
    expect(resend.status).toBe(400)
  })

  test('the previous account of a number can neither edit nor revoke nor send through it', async () => {
    const [old, next] = [await gateway.account(), await gateway.account()]
    const phone = `1555${process.pid}702`
    const sessionId = await pair(old, phone)
    const send = () => old.ask('POST', '/v1/messages', { session_id: sessionId, to: '15550001111', text: 'mine' })
    const { message_id } = (await send()).json
    await until(async () => (await old.ask('GET', `/v1/messages/${message_id}`)).json.state === 'sent')
    const executed = network.executed.length
    await pair(next, phone)
    const foreign = 'session does not belong to this tenant'
    expectError(await old.ask('PATCH', `/v1/messages/${message_id}`, { text: 'not mine any more' }), 403, foreign)
    expectError(await old.ask('DELETE', `/v1/messages/${message_id}`), 403, foreign)
    expectError(await send(), 403, foreign)
    expectError(await old.ask('DELETE', `/v1/sessions/${sessionId}`), 403, foreign)
    expect(await gateway.store.sessions.forgetSession({ sessionId, accountId: old.id, detail: 'unlinked' })).toBe(false)
    const number = { sessionId, accountId: old.id }
    await expect(queueSessionRequest(gateway.context, number, { kind: 'unlink' })).rejects.toThrow(foreign)
    await expect(
      changeSession(gateway.context, { id: sessionId, accountId: old.id, label: 'still mine' }),
    ).rejects.toThrow(foreign)
    expect((await next.ask('GET', `/v1/sessions/${sessionId}`)).json.state).toBe('connected')
    expect(network.executed.slice(executed).map(({ command }) => command.kind)).toEqual([])
    await next.ask('DELETE', `/v1/sessions/${sessionId}`)
    expectError(await old.ask('PATCH', `/v1/messages/${message_id}`, { text: 'nobody’s' }), 403, foreign)
  })

  test('a number that is deleted several times at once is deleted once, and is not found afterwards', async () => {
    const account = await gateway.account()
    const sessionId = await pair(account, `1555${process.pid}703`)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => account.ask('DELETE', `/v1/sessions/${sessionId}`)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7)
  })

  test('a number that moves takes none of the old account’s settings along', async () => {
    const [old, next] = [await gateway.account(), await gateway.account()]
    const phone = `1555${process.pid}703`
    const sessionId = await pair(old, phone)
    const path = `/v1/sessions/${sessionId}`
    await old.ask('PATCH', path, { pace_ms: 500 })
    await old.ask('POST', `${path}/calls/auto-reject`, { enabled: true, message: 'The old shop is closed.' })
    await old.ask('POST', `${path}/presence/subscribe`, { contact_jid: '15550001111' })
    expect((await old.ask('GET', path)).json).toMatchObject({ pace_ms: 500, auto_reject: { enabled: true } })
    expect(await gateway.store.sessions.readSubscriptions(sessionId)).toHaveLength(1)
    await pair(next, phone)
    const moved = (await next.ask('GET', path)).json
    expect(moved).toMatchObject({ pace_ms: 0, auto_reject: { enabled: false, message: null } })
    expect(await gateway.store.sessions.readSubscriptions(sessionId)).toEqual([])
    expect((await old.ask('GET', path)).status).toBe(403)
  })

  test('the config of an unlinked number is inactive, nothing is sent, and pairing the number again restores it', async () => {
    receiver.reply = () => 200
    const account = await gateway.account()
    const phone = `1555${process.pid}702`
    const sessionId = await pair(account, phone)
    const webhook = await subscribe(account, sessionId, '/unlinked')
    await write(sessionId, 'linked')
    await receiver.until(() => arrivalsAt('/unlinked') === 1)
    expect((await account.ask('DELETE', `/v1/sessions/${sessionId}`)).status).toBe(200)
    await until(async () => !(await active(account, webhook)))
    const event = { kind: 'connection', session_id: sessionId, event: 'connected', timestamp_unix: 1 } as const
    expect(await publish(account, event)).toBeNull()
    await pair(account, phone)
    expect(await active(account, webhook)).toBe(true)
    await write(sessionId, 'linked again')
    await receiver.until(() => arrivalsAt('/unlinked') === 2)
    expect(
      receiver.ledger.filter(got => got.path === '/unlinked').map(got => JSON.parse(got.body.toString()).text),
    ).toEqual(['linked', 'linked again'])
  })

  test('a message that waits for a number that moves or is unlinked fails with the reason', async () => {
    const [old, next] = [await gateway.account(), await gateway.account()]
    const phone = `1555${process.pid}706`
    const sessionId = await pair(old, phone)
    const schedule = async (account: TestAccount): Promise<string> => {
      const send_at = new Date(Date.now() + 3_600_000).toISOString()
      const answer = await account.ask('POST', '/v1/messages', {
        session_id: sessionId,
        to: '15550001111',
        text: 'later',
        send_at,
      })
      expect(answer.status, answer.text).toBe(202)
      return `/v1/messages/${answer.json.message_id}`
    }
    const failed = (detail: string) => ({ state: 'failed', reason: 'SEND_FAILED', detail })
    const ofOld = await schedule(old)
    await pair(next, phone)
    expect((await old.ask('GET', ofOld)).json).toMatchObject(failed('the number moved to another account'))
    const ofNext = await schedule(next)
    expect((await next.ask('DELETE', `/v1/sessions/${sessionId}`)).status).toBe(200)
    expect((await next.ask('GET', ofNext)).json).toMatchObject(failed('the number was unlinked'))
  })

  async function publish(account: TestAccount, event: Parameters<typeof makeEvent>[2]) {
    return await gateway.store.events.publishEvent(makeEvent(gateway.context, account.id, event))
  }
})
