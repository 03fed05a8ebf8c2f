import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { expectError } from '../harness/client.ts'
import { onAnyStore, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const HOOK = 'http://127.0.0.1:9000/none'

async function publish(gateway: TestGateway, account: TestAccount, jid: string, text: string) {
  const event = makeEvent(gateway.context, account.id, {
    kind: 'message',
    session_id: jid,
    message_id: `3EB0${text.length}`,
    text,
  } as never)
  await gateway.store.events.publishEvent(event)
  const { data } = (await account.ask('GET', '/v1/deliveries')).json
  return { eventId: event.id, deliveryId: data[0].id as string }
}

/** The encrypted content of the delivery. */
async function carried({ place }: TestGateway, deliveryId: string): Promise<Uint8Array | undefined> {
  const [row] = await queryPlace<{ sealed: Uint8Array }>(
    place,
    `select sealed from deliveries where id = '${deliveryId}' and sealed is not null`,
  )
  return row?.sealed
}

onAnyStore(gateway => {
  describe('The full payload', () => {
    let account: TestAccount
    beforeAll(async () => {
      account = await gateway().account()
    })

    test('of a real number is not available: not by watching, not while it waits, not as a dead letter', async () => {
      const real = await gateway().session(account)
      await account.ask('POST', '/v1/webhooks', { session_id: real.id, messages_url: HOOK })
      const path = `/sandbox/sessions/${encodeURIComponent(real.id)}`
      expectError(await account.ask('POST', `${path}/watch`), 400, 'id is not a sandbox number')
      await gateway().store.simulator.watchSandbox({ sessionId: real.jid, forMs: 60_000 })
      const { eventId, deliveryId } = await publish(gateway(), account, real.jid, 'private words')
      expect(await carried(gateway(), deliveryId), 'the event itself is kept').toBeDefined()
      expect(await gateway().store.simulator.readSandboxPayload({ eventId, deliveryId })).toBeUndefined()
      const answer = await account.ask('GET', `/sandbox/deliveries/${deliveryId}`)
      expectError(answer, 400, 'id is not a sandbox number')
      expect(answer.text).not.toContain('private words')
    })

    test('of a real number is not copied, even if its webhook is marked as watched', async () => {
      const real = await gateway().session(account)
      await account.ask('POST', '/v1/webhooks', { session_id: real.id, messages_url: HOOK })
      const { place } = gateway()
      const watch = `update webhooks set watched_until = 9999999999999 where session_id = '${real.jid}' returning id`
      expect(await queryPlace(place, watch)).toHaveLength(1)
      const { eventId, deliveryId } = await publish(gateway(), account, real.jid, 'private words')
      expect(await carried(gateway(), deliveryId), 'the event itself is kept').toBeDefined()
      expect(await queryPlace(place, `select 1 from sandbox_payloads where event_id = '${eventId}'`)).toEqual([])
    })

    test('of a sandbox number is copied while it is watched, and is deleted with the number', async () => {
      const { store } = gateway()
      const phone = `999${String(process.pid).padStart(9, '0')}`
      const jid = `${phone}@s.whatsapp.net`
      const input = { accountId: account.id, id: jid, phone, device: 1, label: '', maxSessions: null }
      await store.sessions.registerSession({ ...input, platform: 'sandbox' })
      await account.ask('POST', '/v1/webhooks', { session_id: jid, messages_url: HOOK })
      expect((await account.ask('POST', `/sandbox/sessions/${jid}/watch`)).status).toBe(200)
      const { eventId, deliveryId } = await publish(gateway(), account, jid, 'grüße 👋')
      const answer = await account.ask('GET', `/sandbox/deliveries/${deliveryId}`)
      expect(answer.json).toMatchObject({ id: deliveryId, event_id: eventId })
      expect(JSON.parse(answer.json.body).text).toBe('grüße 👋')
      await store.sessions.forgetSession({ sessionId: jid, accountId: account.id, detail: 'unlinked' })
      expect(await store.simulator.readSandboxPayload({ eventId, deliveryId })).toBeUndefined()
    })
  })
})

describe('On the whole gateway', () => {
  let gateway: TestGateway
  let account: TestAccount
  let receiver: Receiver
  let path: string

  beforeAll(async () => {
    gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
    account = await gateway.account()
    receiver = await startReceiver()
    const { id } = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json
    await account.ask('POST', '/v1/webhooks', { session_id: id, messages_url: receiver.url() })
    path = `/sandbox/sessions/${encodeURIComponent(id)}`
  })
  afterAll(async () => {
    await gateway.stop()
    await receiver.close()
  })

  const write = async (text: string) => {
    await account.ask('POST', `${path}/incoming`, { from: '15551234567', type: 'text', text })
    await receiver.until(ledger => ledger.some(({ body }) => body.toString().includes(text)))
    await until(async () => (await newest()).status === 'delivered')
    return await newest()
  }
  const newest = async () => (await account.ask('GET', '/v1/deliveries')).json.data[0]

  test('the exact body of a watched delivery can be read afterwards, that of an unwatched one cannot', async () => {
    const before = await write('nobody watches')
    expectError(await account.ask('GET', `/sandbox/deliveries/${before.id}`), 404)
    await account.ask('POST', `${path}/watch`)
    const after = await write('somebody watches')
    const answer = await account.ask('GET', `/sandbox/deliveries/${after.id}`)
    expect(answer.json.body).toBe(receiver.ledger.at(-1)!.body.toString())
    expect(JSON.stringify(after.payload)).not.toContain('somebody watches')
  })

  test('a contact that stops reading only receives, and reads what waits when it begins again', async () => {
    const contact = '15551230077'
    const send = async () =>
      (
        await account.ask('POST', '/v1/messages', {
          session_id: decodeURIComponent(path.split('/')[3]!),
          to: contact,
          text: 'hi',
        })
      ).json.message_id
    const stateOf = async (id: string) => (await account.ask('GET', `/v1/messages/${id}`)).json.state
    const conditions = async () => (await account.ask('GET', `${path}/conditions?contact=${contact}`)).json
    expect(await conditions()).toEqual({ cut_until: null, online: false, read_receipts: true })
    await account.ask('POST', `${path}/actions`, { action: 'read_receipts', from: contact, enabled: false })
    expect((await conditions()).read_receipts).toBe(false)
    const id = await send()
    const other = await account.ask('POST', '/v1/messages', {
      session_id: decodeURIComponent(path.split('/')[3]!),
      to: '15551230078',
      text: 'hi',
    })
    await until(async () => (await stateOf(other.json.message_id)) === 'read')
    await expect.poll(() => stateOf(id)).toBe('delivered')
    await account.ask('POST', `${path}/actions`, { action: 'read_receipts', from: contact, enabled: true })
    await until(async () => (await stateOf(id)) === 'read')
  })

  test('a cut link shows its end, and 0 seconds end it', async () => {
    const before = Date.now()
    await account.ask('POST', `${path}/actions`, { action: 'drop', seconds: 600 })
    const { cut_until } = (await account.ask('GET', `${path}/conditions`)).json
    expect(Date.parse(cut_until)).toBeGreaterThanOrEqual(before + 600_000)
    expect(Date.parse(cut_until)).toBeLessThanOrEqual(Date.now() + 600_000)
    await account.ask('POST', `${path}/actions`, { action: 'drop', seconds: 0 })
    expect((await account.ask('GET', `${path}/conditions`)).json.cut_until).toBeNull()
  })
})
