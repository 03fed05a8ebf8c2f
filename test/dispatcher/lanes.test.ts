import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SHARDS, shardOf } from '../../src/domain/delivery.ts'
import { shardLease } from '../../src/domain/lease.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Received, type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace, ONE_STORE } from '../harness/stores.ts'
import { beatFor } from '../harness/leases.ts'
import { until } from '../harness/until.ts'
import { storeWith } from '../harness/store-with.ts'

describe.each(ONE_STORE)('Lanes on %s', kind => {
  let bed: DeliveryBed
  let receiver: Receiver
  let place: Place

  beforeEach(async () => {
    receiver = await startReceiver()
    place = await newPlace(kind)
    bed = await openDelivery({ POSTERN_LEASE_TTL: '60s', POSTERN_DELIVERY_TIMEOUT: '120s', ...place.env })
  })
  afterEach(async () => {
    receiver.letGo()
    await bed.close()
    await receiver.close()
  })

  const publishMany = (webhook: { accountId: string; sessionId: string }, count: number, text = 'hello') =>
    Promise.all(Array.from({ length: count }, () => bed.publish(webhook, textMessage(webhook.sessionId, text))))

  test('have at most 32 requests in flight at one endpoint, and a backlog uses them', async () => {
    let release: () => void = () => {}
    const after = new Promise<void>(resolve => (release = resolve))
    receiver.reply = () => (receiver.ledger.length < 2 ? 200 : { status: 200, after })
    const webhook = await bed.addWebhook(receiver.url())
    await publishMany(webhook, 400)
    bed.startDispatcher()
    await until(() => receiver.inFlight === 32)
    release()
    await receiver.until(ledger => ledger.length === 400)
    expect(receiver.maxInFlight).toBe(32)
    expect(new Set(receiver.ledger.map(got => got.id)).size).toBe(400)
  })

  test('share one limit if their categories share a URL', async () => {
    receiver.reply = () => ({ status: 200, delayMs: 30 })
    const webhook = await bed.addWebhook({ messages: receiver.url('/one'), connection: receiver.url('/one') })
    await publishMany(webhook, 100)
    const connection = {
      kind: 'connection',
      session_id: webhook.sessionId,
      event: 'connected',
      timestamp_unix: 1,
    } as const
    await Promise.all(Array.from({ length: 100 }, () => bed.publish(webhook, connection)))
    bed.startDispatcher()
    await receiver.until(ledger => ledger.length === 200)
    expect(receiver.maxInFlight).toBeLessThanOrEqual(32)
  })

  test('of an endpoint that keeps failing send one request at a time, until it answers again', async () => {
    receiver.reply = () => ({ status: 500, delayMs: 5 })
    const webhook = await bed.addWebhook(receiver.url())
    bed.startDispatcher()
    await publishMany(webhook, 8)
    await receiver.until(ledger => ledger.length >= 8)
    await until(() => receiver.inFlight === 0)
    receiver.maxInFlight = 0
    const before = receiver.ledger.length
    await publishMany(webhook, 40)
    await receiver.until(ledger => ledger.length >= before + 30)
    expect(receiver.maxInFlight).toBe(1)
    let release: () => void = () => {}
    const after = new Promise<void>(resolve => (release = resolve))
    const answered = () => receiver.ledger.filter(got => got.answer === 200).length
    receiver.reply = () => (answered() < 5 ? 200 : { status: 200, after })
    await publishMany(webhook, 200)
    await until(() => receiver.inFlight === 32)
    release()
    await receiver.until(() => answered() >= 200)
    expect(receiver.maxInFlight).toBe(32)
  })

  test('of endpoints that hang delay no other, not even of the same account and host', async () => {
    receiver.reply = (got: Received) => (got.path.startsWith('/hang') ? 'hang' : 200)
    const accountId = await bed.addAccount()
    const hung = await Promise.all([1, 2, 3, 4].map(n => bed.addWebhook(receiver.url(`/hang${n}`), accountId)))
    const healthy = await bed.addWebhook(receiver.url('/healthy'), accountId)
    bed.startDispatcher()
    for (const webhook of hung) await publishMany(webhook, 60)
    await receiver.until(ledger => ledger.length >= 4 * 8)
    await publishMany(healthy, 100)
    await receiver.until(ledger => ledger.filter(got => got.path === '/healthy').length === 100)
    expect(receiver.inFlight).toBeGreaterThanOrEqual(receiver.ledger.filter(got => got.answer === 'hung').length)
  })

  test('start retries that another dispatcher scheduled at their times, without a search for each', async () => {
    receiver.reply = () => 500
    const webhook = await bed.addWebhook(receiver.url())
    const { store, config } = bed.context
    const slow = { config: { ...config, retryDelaysMs: [3_600_000, 3_600_000, 3_600_000] } }
    const first = bed.startDispatcher(slow)
    for (let n = 1; n <= 4; n++) {
      await bed.publish(webhook, textMessage(webhook.sessionId))
      await receiver.until(ledger => ledger.length === n)
    }
    await first.stop()
    receiver.reply = () => 200
    const rank = '(select count(*) from deliveries earlier where earlier.id <= deliveries.id)'
    await queryPlace(place, `update deliveries set due_at = ${await store.now()} + 300 * ${rank} returning id`)
    const seen = new Set<string>()
    const lookOnce: typeof store.deliveries.readLanes = async shards => {
      const heads = (await store.deliveries.readLanes(shards)).filter(head => !seen.has(head.lane))
      for (const head of heads) seen.add(head.lane)
      return heads
    }
    bed.startDispatcher({ ...slow, store: storeWith(store, { deliveries: { readLanes: lookOnce } }) })
    await receiver.until(ledger => ledger.filter(got => got.answer === 200).length === 4)
    expect(new Set(receiver.ledger.slice(4).map(got => got.id)).size).toBe(4)
  })

  test('are shared fairly by the dispatchers, and the others take over what one leaves', async () => {
    const webhooks = await Promise.all(Array.from({ length: 20 }, () => bed.addWebhook(receiver.url())))
    const owners = async () => {
      const leases = (await bed.context.store.leases.listLeases('shard')).filter(lease => lease.expiresAt > Date.now())
      const counts = new Map<string | null, number>()
      for (const { owner } of leases) counts.set(owner, (counts.get(owner) ?? 0) + 1)
      return [...counts.values()].sort((a, b) => a - b)
    }
    const first = bed.startDispatcher()
    await until(async () => (await owners()).join() === String(SHARDS))
    bed.startDispatcher()
    await until(async () => (await owners()).join() === '32,32')
    for (const webhook of webhooks) await bed.publish(webhook, textMessage(webhook.sessionId))
    await receiver.until(ledger => ledger.length === 20)
    await first.stop()
    await until(async () => (await owners()).join() === String(SHARDS))
    for (const webhook of webhooks) await bed.publish(webhook, textMessage(webhook.sessionId))
    await receiver.until(ledger => ledger.length === 40)
    expect(new Set(receiver.ledger.map(got => got.id)).size).toBe(40)
  })

  test('reject writes of an owner that was paused past its lease, so it cannot overwrite its successor’s', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const id = await bed.publish(webhook, textMessage(webhook.sessionId))
    const { store } = bed.context
    const name = shardLease(shardOf(webhook.webhookId))
    await store.leases.addLeases({ names: [name], pool: 'shards' })
    const take = async (owner: string) => {
      await beatFor(store, owner, 1)
      return await store.leases.takeLease({ owner, name })
    }
    const old = (await take('paused'))!
    expect(await take('successor')).toBeUndefined()
    await store.leases.endLeaseOwner({ id: 'paused', beat: 1 })
    await until(() => take('successor'))
    const place = { shard: shardOf(webhook.webhookId), lane: `${webhook.webhookId}:messages`, dueAt: 0, id: '' }
    const [due] = await store.deliveries.readDue([{ ...place, limit: 1, deep: false }])
    const result = {
      deliveryId: id!,
      eventId: due!.eventId,
      accountId: webhook.accountId,
      webhookId: webhook.webhookId,
      isRecorded: true,
      origin: due!.origin,
      lease: old,
      attemptsBefore: 0,
      attemptsAfter: 1,
      attempts: '[]',
      next: { kind: 'delivered' } as const,
    }
    expect(await store.deliveries.recordAttempt(result)).toEqual({ kind: 'stale' })
    expect(await store.deliveries.readDeliveryDepth()).toMatchObject({ queued: 1 })
  })

  test('finish what is in flight when the process is stopped, and it is not sent again', async () => {
    let release: () => void = () => {}
    const after = new Promise<void>(resolve => (release = resolve))
    receiver.reply = () => ({ status: 200, after })
    const webhook = await bed.addWebhook(receiver.url())
    const first = bed.startDispatcher()
    await publishMany(webhook, 8)
    await receiver.until(ledger => ledger.length === 8)
    const stopped = first.stop()
    release()
    await stopped
    expect(await bed.context.store.deliveries.readDeliveryDepth()).toMatchObject({ queued: 0 })
    receiver.reply = () => 200
    bed.startDispatcher()
    await bed.publish(webhook, textMessage(webhook.sessionId))
    await receiver.until(ledger => ledger.length === 9)
    expect(new Set(receiver.ledger.map(got => got.id)).size).toBe(9)
  })
})
