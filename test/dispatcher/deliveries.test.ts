import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { aboutWebhook } from '../../src/domain/sealed.ts'
import { movableClock } from '../harness/clocks.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace, ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const stripe = new Stripe('sk_test_none')

describe.each(ONE_STORE)('Deliveries on %s', kind => {
  let bed: DeliveryBed
  let receiver: Receiver
  let place: Place

  beforeEach(async () => {
    receiver = await startReceiver()
    place = await newPlace(kind)
    bed = await openDelivery(place.env)
  })
  afterEach(async () => {
    await bed.close()
    await receiver.close()
  })

  const entries = async (accountId: string) =>
    (await bed.context.store.deliveries.listDeliveries({ accountId, sessionIds: null, limit: 100, cursor: null })).data
  const untilStatus = (accountId: string, status: string, count = 1) =>
    expect.poll(async () => (await entries(accountId)).filter(entry => entry.status === status).length).toBe(count)

  test('the request has the headers of the specification and a signature that stripe verifies', async () => {
    const webhook = await bed.addWebhook(receiver.url('/hook'))
    bed.startDispatcher()
    const event = textMessage(webhook.sessionId, 'grüße 👋 \u0000 end')
    await bed.publish(webhook, event)
    await receiver.until(ledger => ledger.length === 1)
    const got = receiver.ledger[0]!
    expect(got.body.toString()).toBe(JSON.stringify(event))
    expect(got.rawNames).toEqual(
      expect.arrayContaining(['Content-Type', 'X-Webhook-ID', 'X-Message-ID', 'X-Timestamp', 'X-Webhook-Signature']),
    )
    expect(got.headers).toMatchObject({
      'content-type': 'application/json',
      'x-webhook-id': webhook.webhookId,
      'x-message-id': event.message_id,
      'accept-encoding': 'identity',
    })
    expect(got.headers['user-agent']).toMatch(/^Postern\/\d/)
    const header = got.headers['x-webhook-signature'] as string
    expect(header).toMatch(new RegExp(`^t=${got.timestamp},v1=[0-9a-f]{64}$`))
    for (const body of [got.body, got.body.toString()]) {
      expect(() => stripe.webhooks.constructEvent(body, header, webhook.secret)).not.toThrow()
    }
    const tampered = got.body.toString().replace('Ada', 'Bob')
    expect(() => stripe.webhooks.constructEvent(tampered, header, webhook.secret)).toThrow()
    await untilStatus(webhook.accountId, 'delivered')
  })

  test('stripe rejects a delivery that is stale, tampered with or signed with another secret, as text and as bytes', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const dispatcher = bed.startDispatcher()
    await bed.publish(webhook, textMessage(webhook.sessionId, 'Zoë schreibt: 你好 👩‍👩‍👧 \u2028 "quoted"'))
    await receiver.until(ledger => ledger.length === 1)
    const got = receiver.ledger[0]!
    const header = got.headers['x-webhook-signature'] as string
    const verify = (body: string | Buffer, signature = header, secret = webhook.secret, at = got.timestamp) =>
      stripe.webhooks.constructEvent(body, signature, secret, 300, undefined, at * 1000)
    for (const body of [got.body, got.body.toString()]) {
      expect(verify(body, header, webhook.secret, got.timestamp + 300)).toMatchObject({ kind: 'message' })
      expect(() => verify(body, header, webhook.secret, got.timestamp + 301)).toThrow(/tolerance/)
      expect(() => verify(body, header, `${webhook.secret}x`)).toThrow()
      expect(() => verify(body, header.replace(/t=\d+/, `t=${got.timestamp + 1}`))).toThrow()
    }
    for (const at of [0, got.body.length >> 1, got.body.length - 1]) {
      const changed = Buffer.from(got.body)
      changed[at]! ^= 1
      expect(() => verify(changed)).toThrow()
      expect(() => verify(changed.toString())).toThrow()
    }
    await dispatcher.stop()
    const clock = { ...systemClock, now: () => new Date(Date.now() - 302_000) }
    await bed.publish(webhook, textMessage(webhook.sessionId))
    await queryPlace(place, 'update deliveries set due_at = 0 returning id')
    bed.startDispatcher({ clock })
    await receiver.until(ledger => ledger.length === 2)
    const old = receiver.ledger[1]!
    expect(() =>
      stripe.webhooks.constructEvent(old.body, old.headers['x-webhook-signature'] as string, webhook.secret),
    ).toThrow(/tolerance/)
  })

  test('four attempts are made on schedule, never early and at most a tenth late, each with its own signature, then the delivery is a dead letter', async () => {
    receiver.reply = () => ({ status: 503, body: 'try later' })
    const webhook = await bed.addWebhook(receiver.url())
    receiver.secrets.set(webhook.webhookId, [webhook.secret])
    const retryDelaysMs = [30_000, 300_000, 1_800_000]
    const clock = movableClock()
    bed.startDispatcher({ clock, config: { ...bed.context.config, retryDelaysMs } })
    const event = textMessage(webhook.sessionId)
    let before = await bed.context.store.now()
    let passedMs = 0
    await bed.publish(webhook, event)
    for (const [i, delay] of retryDelaysMs.entries()) {
      const attempts = async () => (await entries(webhook.accountId)).filter(entry => entry.attempts.length === i + 1)
      const [waiting] = await until(async () => ((await attempts()).length === 1 ? await attempts() : undefined))
      expect(waiting!.nextAttemptAt).toBeGreaterThanOrEqual(before + delay)
      expect(waiting!.nextAttemptAt).toBeLessThanOrEqual((await bed.context.store.now()) + passedMs + delay * 1.1)
      expect(receiver.ledger).toHaveLength(i + 1)
      // Moves the clock of the delivery.
      before = await bed.context.store.now()
      // A signature has whole seconds.
      clock.pass(2_000)
      passedMs += 2_000
      await queryPlace(place, `update deliveries set due_at = due_at - ${delay * 1.1} returning id`)
    }
    await untilStatus(webhook.accountId, 'dead')
    expect(receiver.ledger).toHaveLength(4)
    for (const got of receiver.ledger) expect(got).toMatchObject({ id: event.message_id, signed: true })
    expect(new Set(receiver.ledger.map(got => got.headers['x-webhook-signature'])).size).toBe(4)
    const [entry] = await entries(webhook.accountId)
    expect(entry).toMatchObject({ reason: 'attempts_exhausted', nextAttemptAt: null, dedupeId: event.message_id })
    expect(entry!.attempts.map(({ attempt, code, error, excerpt }) => [attempt, code, error, excerpt])).toEqual(
      [1, 2, 3, 4].map(n => [n, 503, 'http_5xx', 'try later']),
    )
  })

  test('a redirect is a failure and is not followed; a reset and a refused connection are retried', async () => {
    const answers: Array<302 | 'reset' | 204> = [302, 'reset', 204]
    receiver.reply = () => answers.shift()!
    const webhook = await bed.addWebhook(receiver.url())
    const dispatcher = bed.startDispatcher()
    await bed.publish(webhook, textMessage(webhook.sessionId))
    await untilStatus(webhook.accountId, 'delivered')
    const [entry] = await entries(webhook.accountId)
    expect(entry!.attempts.map(attempt => attempt.error)).toEqual(['redirect', 'reset', null])

    await dispatcher.stop()
    // Its URL changes long before the last attempt.
    bed.startDispatcher({ config: { ...bed.context.config, retryDelaysMs: [500, 3_000, 20_000] } })
    const gone = await startReceiver()
    const refusing = await bed.addWebhook(gone.url())
    await gone.close()
    await bed.publish(refusing, textMessage(refusing.sessionId))
    await until(async () => (await entries(refusing.accountId))[0]?.attempts.length)
    await bed.context.store.webhooks.updateWebhook({ id: refusing.webhookId, urls: { messages: receiver.url() } })
    receiver.reply = () => 204
    await untilStatus(refusing.accountId, 'delivered')
    const errors = (await entries(refusing.accountId))[0]!.attempts.map(attempt => attempt.error)
    expect([new Set(errors.slice(0, -1)), errors.at(-1)]).toEqual([new Set(['refused']), null])
  })

  test('each category goes to its own URL, and an event without a URL for it is not stored', async () => {
    const webhook = await bed.addWebhook({ messages: receiver.url('/m'), connection: receiver.url('/c') })
    bed.startDispatcher()
    await bed.publish(webhook, textMessage(webhook.sessionId))
    const connection = {
      kind: 'connection',
      session_id: webhook.sessionId,
      event: 'connected',
      timestamp_unix: 1,
    } as const
    await bed.publish(webhook, connection)
    const presence = {
      kind: 'presence',
      session_id: webhook.sessionId,
      contact_jid: '1555@s.whatsapp.net',
      online: true,
      last_seen_unix: 0,
    } as const
    expect(await bed.publish(webhook, presence)).toBeNull()
    await receiver.until(ledger => ledger.length === 2)
    expect(receiver.ledger.map(got => got.path).sort()).toEqual(['/c', '/m'])
    const id = receiver.ledger.find(got => got.path === '/c')!.id
    expect(id).toMatch(/^evt_/)
    await untilStatus(webhook.accountId, 'delivered', 2)
  })

  test('first attempts start in the order of events, and a failed one does not delay the rest', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const events = Array.from({ length: 200 }, (_, i) => textMessage(webhook.sessionId, `number ${i}`))
    for (const event of events) await bed.publish(webhook, event)
    const pageOf = async (limit: number) =>
      (
        await bed.context.store.deliveries.listDeliveries({
          accountId: webhook.accountId,
          sessionIds: null,
          limit,
          cursor: null,
        })
      ).data
    const failing = events[0]!.message_id
    let failures = 1
    receiver.reply = got => (got.id === failing && failures-- > 0 ? 500 : 200)
    bed.startDispatcher({ config: { ...bed.context.config, retryDelaysMs: [4_000, 4_000, 4_000] } })
    await receiver.until(ledger => new Set(ledger.map(got => got.id)).size === 200)
    await expect.poll(async () => (await pageOf(200)).filter(entry => entry.status === 'delivered').length).toBe(200)
    const byMessage = new Map((await pageOf(200)).map(entry => [entry.dedupeId, entry.attempts[0]!.atMs]))
    const starts = events.map(event => byMessage.get(event.message_id)!)
    expect(starts).toEqual([...starts].sort((a, b) => a - b))
    const retriedAt = receiver.ledger.findIndex((got, i) => i > 0 && got.id === failing)
    expect(retriedAt).toBeGreaterThan(150)
  })

  test('the current URL is used; an emptied category or a deleted config ends the delivery with its reason', async () => {
    receiver.reply = got => (got.path === '/new' ? 200 : 'hang')
    const moved = await bed.addWebhook(receiver.url('/old'))
    const emptied = await bed.addWebhook(receiver.url('/emptied'))
    const deleted = await bed.addWebhook(receiver.url('/deleted'))
    bed.startDispatcher({ config: { ...bed.context.config, deliveryTimeoutMs: 60_000 } })
    for (const webhook of [moved, emptied, deleted]) await bed.publish(webhook, textMessage(webhook.sessionId))
    await receiver.until(ledger => ledger.length === 3)
    await bed.context.store.webhooks.updateWebhook({ id: moved.webhookId, urls: { messages: receiver.url('/new') } })
    await bed.context.store.webhooks.updateWebhook({ id: emptied.webhookId, urls: { messages: '' } })
    await bed.context.store.webhooks.deleteWebhook(deleted.webhookId)
    receiver.letGo()
    await untilStatus(moved.accountId, 'delivered')
    await untilStatus(emptied.accountId, 'dead')
    await untilStatus(deleted.accountId, 'dead')
    expect((await entries(emptied.accountId))[0]).toMatchObject({ reason: 'category_disabled' })
    expect((await entries(deleted.accountId))[0]).toMatchObject({ reason: 'webhook_deleted' })
    expect(receiver.ledger.filter(got => got.path !== '/new')).toHaveLength(3)
  })

  test('both secrets verify while a rotation overlaps', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const sealedSecret = bed.context.seal.seal('whsec_new', aboutWebhook(webhook.webhookId))
    await bed.context.store.webhooks.rotateWebhookSecret({ id: webhook.webhookId, sealedSecret, overlapMs: 60_000 })
    bed.startDispatcher()
    await bed.publish(webhook, textMessage(webhook.sessionId))
    await receiver.until(ledger => ledger.length === 1)
    const got = receiver.ledger[0]!
    const header = got.headers['x-webhook-signature'] as string
    expect(header.match(/v1=/g)).toHaveLength(2)
    for (const secret of [webhook.secret, 'whsec_new']) {
      expect(() => stripe.webhooks.constructEvent(got.body, header, secret)).not.toThrow()
    }
  })

  test('a payload that cannot be decrypted becomes a dead letter and delays no other delivery', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const { makeEvent } = await import('../../src/actions/make-event.ts')
    const poison = makeEvent(bed.context, webhook.accountId, textMessage(webhook.sessionId))
    await bed.context.store.events.publishEvent({ ...poison, sealedPayload: Buffer.from('not sealed at all') })
    await bed.publish(webhook, textMessage(webhook.sessionId, 'healthy'))
    bed.startDispatcher()
    await untilStatus(webhook.accountId, 'delivered')
    await untilStatus(webhook.accountId, 'dead')
    const dead = (await entries(webhook.accountId)).find(entry => entry.status === 'dead')
    expect(dead).toMatchObject({ reason: 'payload_unreadable', attempts: [] })
    expect(receiver.ledger).toHaveLength(1)
  })
})
