import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorker } from '../../src/worker/worker.ts'
import { expectError } from '../harness/client.ts'
import { listenTo } from '../harness/event-stream.ts'
import { createFakePlatform, type FakePlatform } from '../harness/fake-platform.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const NOT_HOSTED = 'session is not currently hosted by any worker'

describe.each(ONE_STORE)('Numbers through the API, on %s', kind => {
  let gateway: TestGateway
  let network: FakePlatform
  let account: TestAccount
  let worker: Promise<void>
  const stopping = new AbortController()
  let phones = 0

  beforeAll(async () => {
    gateway = await startTestGateway(kind, {
      POSTERN_ROLES: 'api',
      POSTERN_LEASE_TTL: '10m',
      POSTERN_DISCONNECT_GRACE: '300ms',
      POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    })
    account = await gateway.account()
    network = createFakePlatform()
    const role = createWorker(gateway.context, { whatsapp: network, sandbox: network })
    worker = role.run(stopping.signal)
  })
  afterAll(async () => {
    stopping.abort()
    await worker
    await gateway.stop()
  })

  const newPhone = (prefix = '1555') => `${prefix}${process.pid}${String(1000 + phones++)}`
  const at = (phone: string, tail = '') => `/v1/sessions/${phone}@s.whatsapp.net${tail}`
  const stateOf = async (phone: string) => (await account.ask('GET', at(phone))).json?.state

  /** Lets the phone accept the code that is shown. */
  async function accept(phone: string): Promise<void> {
    await until(() => network.pairings.length > 0)
    network.pairings.shift()!.accept(phone)
  }

  async function link(): Promise<string> {
    const phone = newPhone()
    const answer = await account.ask('POST', '/v1/pairings', { method: 'qr' })
    expect(answer.status, answer.text).toBe(201)
    await accept(phone)
    await until(async () => (await stateOf(phone)) === 'connected')
    return phone
  }

  const executed = (kind: string) => network.executed.filter(({ command }) => command.kind === kind).at(-1)?.command

  describe('Pairing', () => {
    test('by QR: the response has the code, the steps come as events, and the number is linked', async () => {
      const phone = newPhone()
      const answer = await account.ask('POST', '/v1/pairings', { method: 'qr', label: 'Support' })
      expect(answer.status, answer.text).toBe(201)
      expect(answer.json).toMatchObject({ status: 'waiting', qr: expect.stringMatching(/^qr-/) })
      const { id } = answer.json
      const stream = await listenTo(gateway.url, `/v1/pairings/${id}/events`, {
        authorization: `Bearer ${account.key}`,
      })
      await stream.wait('pairing', data => data.qr === answer.json.qr)
      await accept(phone)
      const linked = await stream.wait('pairing', data => data.status === 'linked')
      expect(linked.data.session_id).toBe(`${phone}@s.whatsapp.net`)
      await until(() => stream.ended)
      await until(async () => (await stateOf(phone)) === 'connected')
      expect((await account.ask('GET', at(phone))).json).toMatchObject({ label: 'Support', platform: 'whatsapp' })
      const over = await account.ask('GET', `/v1/pairings/${id}`)
      expect(over.json).toMatchObject({ status: 'linked', session_id: `${phone}@s.whatsapp.net` })
      expect(over.json.qr).toBeUndefined()
    })

    test('by code requires the number', async () => {
      expectError(await account.ask('POST', '/v1/pairings', { method: 'code' }), 400, /^phone is required/)
      expectError(await account.ask('POST', '/v1/pairings', { method: 'code', phone: 'abc' }), 400, /^phone/)
      expectError(await account.ask('POST', '/v1/pairings', { method: 'smoke' }), 400, /^method/)
      const phone = newPhone()
      const answer = await account.ask('POST', '/v1/pairings', { method: 'code', phone: `+${phone}` })
      expect(answer.json).toMatchObject({ status: 'waiting', code: 'ABCD1234' })
      expect(network.pairings.at(-1)!.request).toEqual({ method: 'code', phone })
      await account.ask('DELETE', `/v1/pairings/${answer.json.id}`)
      network.pairings.length = 0
    })

    test('can be cancelled, and belongs to its account only', async () => {
      const { id } = (await account.ask('POST', '/v1/pairings', { method: 'qr' })).json
      const other = await gateway.account()
      for (const [method, path] of [
        ['GET', `/v1/pairings/${id}`],
        ['DELETE', `/v1/pairings/${id}`],
        ['GET', `/v1/pairings/${id}/events`],
      ] as const) {
        expectError(await other.ask(method, path), 404, 'pairing not found')
      }
      const cancelled = await account.ask('DELETE', `/v1/pairings/${id}`)
      expect(cancelled.json).toMatchObject({ id, status: 'cancelled' })
      expect(cancelled.json.qr).toBeUndefined()
      expect((await account.ask('DELETE', `/v1/pairings/${id}`)).json.status).toBe('cancelled')
      network.pairings.length = 0
    })

    test('with a key for certain numbers links no other number', async () => {
      const phone = await link()
      const created = await account.ask('POST', '/v1/keys', {
        label: 'one',
        session_ids: [`${phone}@s.whatsapp.net`],
      })
      const limited = gateway.as(account, created.json.key)
      expectError(await limited.ask('POST', '/v1/pairings', { method: 'qr' }), 403)
      expectError(await limited.ask('POST', '/v1/sessions', { platform: 'sandbox' }), 403)
    })
  })

  describe('Sandbox numbers', () => {
    test('are linked and connected when the response arrives', async () => {
      const asked = account.ask('POST', '/v1/sessions', { platform: 'sandbox', label: 'Tests' })
      const pairing = await waitForPairing()
      expect(pairing.phone).toMatch(/^999\d{9}$/)
      await accept(pairing.phone!)
      const answer = await asked
      expect(answer.status, answer.text).toBe(201)
      expect(answer.json).toMatchObject({
        id: `${pairing.phone}:7@s.whatsapp.net`,
        platform: 'sandbox',
        state: 'connected',
        hosted: true,
        label: 'Tests',
      })
      const other = await gateway.account()
      const taken = { platform: 'sandbox', phone: pairing.phone }
      expectError(await other.ask('POST', '/v1/sessions', taken), 400, /phone is taken/)
      const stolen = { ...taken, method: 'qr' }
      expectError(await other.ask('POST', '/v1/pairings', stolen), 400, /phone is taken/)
    })

    test('begin with 999', async () => {
      const body = { platform: 'sandbox', phone: '15551234567' }
      expectError(await account.ask('POST', '/v1/sessions', body), 400, /^phone .*must begin with 999/)
      expectError(await account.ask('POST', '/v1/sessions', { platform: 'whatsapp' }), 400, /^platform/)
    })

    async function waitForPairing() {
      const newest = async () =>
        (await gateway.store.pairings.listChangedPairings({ accountId: account.id, sinceMs: 0 })).at(-1)
      await until(async () => {
        const pairing = await newest()
        return pairing?.platform === 'sandbox' && pairing.status === 'waiting'
      })
      return (await newest())!
    }
  })

  describe('A request that needs the link', () => {
    test('is executed by the worker, and its response is passed on', async () => {
      const phone = await link()
      const presence = await account.ask('POST', at(phone, '/presence/subscribe'), { contact_jid: '+1 555 000 1111' })
      expect(presence.status, presence.text).toBe(200)
      expect(presence.json).toEqual({ contact_jid: '15550001111@s.whatsapp.net', subscribed: true })
      expect(executed('presence_subscribe')).toMatchObject({ contactJid: '15550001111@s.whatsapp.net' })

      const typing = await account.ask('POST', at(phone, '/typing'), { chat_jid: '15550001111', typing: true })
      expect(typing.json).toEqual({ chat_jid: '15550001111@s.whatsapp.net', typing: true, media: 'text' })
      const body = { server_id: 101, message_id: 'AC01', emoji: '👍' }
      const react = await account.ask('POST', at(phone, '/newsletters/120363000000000000@newsletter/react'), body)
      expect(react.json).toEqual(body)
      expect(executed('newsletter_react')).toMatchObject({
        newsletterJid: '120363000000000000@newsletter',
        serverId: 101,
      })
      const read = await account.ask('POST', at(phone, '/read'), { chat_jid: '15550001111', message_ids: ['3EB0AA'] })
      expect(read.status).toBe(200)
      expect(executed('read')).toMatchObject({ messageIds: ['3EB0AA'] })
      const check = await account.ask('GET', at(phone, '/contacts/check?phone=%2B15550001111'))
      expect(check.json).toEqual({ phone: '15550001111', exists: true, jid: '15550001111@s.whatsapp.net' })
    })

    test('is rejected with the name of the field', async () => {
      const phone = await link()
      expectError(
        await account.ask('POST', at(phone, '/presence/subscribe'), { contact_jid: '1@g.us' }),
        400,
        /^contact_jid/,
      )
      expectError(await account.ask('POST', at(phone, '/presence/subscribe'), {}), 400, 'contact_jid is required')
      expectError(await account.ask('POST', at(phone, '/typing'), { chat_jid: 'x', typing: true }), 400, /^chat_jid/)
      expectError(
        await account.ask('POST', at(phone, '/read'), { chat_jid: '15550001111', message_ids: [] }),
        400,
        /^message_ids/,
      )
      expectError(await account.ask('GET', at(phone, '/contacts/check?phone=me')), 400, /^phone/)
      const body = { server_id: 1, message_id: 'X', emoji: '👍' }
      expectError(await account.ask('POST', at(phone, '/newsletters/15550001111@g.us/react'), body), 400, /^nl/)
    })

    test('is 400 and names appear if a number that appears offline subscribes to presence or types', async () => {
      const phone = await link()
      expect((await account.ask('GET', at(phone))).json.appear).toBe('auto')
      expect((await account.ask('PATCH', at(phone), { appear: 'offline' })).json.appear).toBe('offline')
      const subscribe = () => account.ask('POST', at(phone, '/presence/subscribe'), { contact_jid: '15550001111' })
      expectError(await subscribe(), 400, /appear/)
      const typing = { chat_jid: '15550001111', typing: true }
      expectError(await account.ask('POST', at(phone, '/typing'), typing), 400, /appear/)
      expectError(await account.ask('PATCH', at(phone), { appear: 'away' }), 400, /^appear/)
      for (const appear of ['online', 'auto']) {
        expect((await account.ask('PATCH', at(phone), { appear })).json.appear).toBe(appear)
        expect((await subscribe()).status).toBe(200)
      }
    })

    test('is 400 if the platform refuses it, and 502 if the platform cannot do it now', async () => {
      const phone = await link()
      const ask = () => account.ask('POST', at(phone, '/typing'), { chat_jid: '15550001111', typing: true })
      network.treat(() => ({ kind: 'permanent', reason: 'INVALID_RECIPIENT', detail: 'nobody is there' }))
      expectError(await ask(), 400, 'nobody is there')
      network.treat(() => ({ kind: 'transient', detail: 'try later' }))
      expectError(await ask(), 502)
      network.treat(() => 'ack')
    })

    test('answers 409 once the number is disconnected; settings do not', async () => {
      const phone = await link()
      network.drop(`${phone}@s.whatsapp.net`)
      await until(async () => (await stateOf(phone)) === 'disconnected')
      for (const [method, tail, body] of [
        ['POST', '/presence/subscribe', { contact_jid: '15550001111' }],
        ['POST', '/newsletters/120363000000000000@newsletter/react', { server_id: 1, message_id: 'X', emoji: '' }],
        ['POST', '/typing', { chat_jid: '15550001111', typing: true }],
        ['POST', '/read', { chat_jid: '15550001111', message_ids: ['X'] }],
        ['GET', '/contacts/check?phone=15550001111', undefined],
      ] as const) {
        expectError(await account.ask(method, at(phone, tail), body), 409, NOT_HOSTED)
      }
      expect((await account.ask('POST', at(phone, '/calls/auto-reject'), { enabled: true })).status).toBe(200)
      expect((await account.ask('POST', at(phone, '/restart'))).status).toBe(202)
      expect((await account.ask('DELETE', at(phone))).status).toBe(200)
    })
  })

  test('the record shows restrictions and limits of the platform, and their end', async () => {
    const phone = await link()
    const jid = `${phone}@s.whatsapp.net`
    const shown = async () => (await account.ask('GET', at(phone))).json
    const ends = Date.now() + 3_600_000
    const until_ = new Date(ends).toISOString()
    network.restrict(jid, ends, 'restrict_all_companions')
    await until(async () => (await shown()).restricted_until === until_)
    expect(await shown()).toMatchObject({
      restriction_type: 'restrict_all_companions',
      reason: 'the platform does not let linked devices of this number write to new contacts',
      until: until_,
    })
    network.restrict(jid, null)
    await until(async () => (await shown()).restricted_until === undefined)
    expect(await shown()).toMatchObject({ reason: null, until: null })
    expect(await shown()).not.toHaveProperty('restriction_type')
    network.capNewChats(jid, { status: 'capped', limit: 50, used: 50, untilMs: ends, asOfMs: ends })
    await until(async () => (await shown()).new_chats !== undefined)
    expect(await shown()).toMatchObject({
      new_chats: { status: 'capped', limit: 50, used: 50, until: until_, as_of: until_ },
      reason: 'the number has reached the platform’s limit of new chats',
      until: until_,
    })
  })

  test('restart closes the link and opens it again without an event', async () => {
    const phone = await link()
    const jid = `${phone}@s.whatsapp.net`
    const webhook = { session_id: jid, connection_url: 'http://127.0.0.1:9000/' }
    expect((await account.ask('POST', '/v1/webhooks', webhook)).status).toBe(201)
    const eventsOf = async () =>
      (await account.ask('GET', `/v1/deliveries?session_id=${jid}`)).json.data.map(
        ({ payload }: { payload: { event: string } }) => payload.event,
      )
    const before = network.linkId(jid)
    const answer = await account.ask('POST', at(phone, '/restart'))
    expect(answer.status, answer.text).toBe(202)
    await until(() => network.linkId(jid) > before && network.isOpen(jid))
    await until(async () => (await stateOf(phone)) === 'connected')
    network.logOut(jid)
    await until(async () => (await eventsOf()).length > 0)
    expect(await eventsOf()).toEqual(['logged_out'])
  })

  test('delete unlinks the device and deletes it; the webhook stays, inactive', async () => {
    const phone = await link()
    const webhook = await account.ask('POST', '/v1/webhooks', { session_id: `${phone}@s.whatsapp.net` })
    const answer = await account.ask('DELETE', at(phone))
    expect(answer.json).toEqual({ id: `${phone}@s.whatsapp.net`, deleted: true })
    expect(network.isOpen(`${phone}@s.whatsapp.net`)).toBe(false)
    await until(async () => (await account.ask('GET', at(phone))).status === 403)
    expect(await gateway.store.devices.readDeviceCreds(`${phone}@s.whatsapp.net`)).toBeUndefined()
    expect((await account.ask('GET', `/v1/webhooks/${webhook.json.id}`)).json.active).toBe(false)
  })

  test('a number that is logged out is paired again, not restarted', async () => {
    const phone = await link()
    network.logOut(`${phone}@s.whatsapp.net`)
    await until(async () => (await stateOf(phone)) === 'logged_out')
    expectError(await account.ask('POST', at(phone, '/restart')), 400, /pair/)
  })
})
