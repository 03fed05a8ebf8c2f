import { afterEach, beforeEach, expect, test } from 'vitest'
import { Deferred } from '../../src/runtime/deferred.ts'
import { StoreUnavailable } from '../../src/store/transaction.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { storeWith } from '../harness/store-with.ts'
import { until } from '../harness/until.ts'

let bed: DeliveryBed
let receiver: Receiver

beforeEach(async () => {
  bed = await openDelivery({ POSTERN_LEASE_TTL: '1s' })
  receiver = await startReceiver()
})
afterEach(async () => {
  await bed.close()
  await receiver.close()
})

/** The store, with calls that fail while `away` says so. */
function failing(
  names: Array<'readCurrentWebhooks' | 'readPayload' | 'readEventFacts' | 'rebalanceShards'>,
  away: () => boolean,
) {
  const calls = { failed: 0 }
  const failingIn = <R extends object>(repository: R): R =>
    new Proxy(repository, {
      get(target, name) {
        const call = Reflect.get(target, name) as (...args: unknown[]) => unknown
        if (!names.includes(name as never)) return call
        return (...args: unknown[]) => {
          if (!away()) return call.apply(target, args)
          calls.failed++
          return Promise.reject(new StoreUnavailable('the database is away'))
        }
      },
    })
  const { store } = bed.context
  const deliveries = failingIn(store.deliveries)
  const webhooks = failingIn(store.webhooks)
  const shards = failingIn(store.shards)
  return { calls, store: storeWith(store, { deliveries, webhooks, shards }) }
}

const historyOf = async (accountId: string) =>
  (await bed.context.store.deliveries.listDeliveries({ accountId, sessionIds: null, limit: 500, cursor: null })).data

test('a brief outage of the database costs no endpoint an attempt', async () => {
  const webhook = await bed.addWebhook(receiver.url())
  let away = true
  const { calls, store } = failing(['readPayload'], () => away)
  bed.startDispatcher({ store })
  await bed.publish(webhook, textMessage(webhook.sessionId, 'x'.repeat(20_000)))
  await until(() => calls.failed >= 2)
  expect(receiver.ledger).toEqual([])
  away = false
  await until(async () => (await historyOf(webhook.accountId))[0]?.status === 'delivered')
  expect((await historyOf(webhook.accountId))[0]!.attempts).toHaveLength(1)
  expect(receiver.ledger).toHaveLength(1)
})

test('a lane whose webhook could not be read is resumed', async () => {
  const webhook = await bed.addWebhook(receiver.url())
  for (let i = 0; i < 60; i++) await bed.publish(webhook, textMessage(webhook.sessionId))
  let away = true
  const { calls, store } = failing(['readCurrentWebhooks'], () => away)
  bed.startDispatcher({ store })
  await until(() => calls.failed >= 1)
  away = false
  await until(() => receiver.ledger.length === 60)
})

test('a fourth attempt whose record waits for the database is the last', async () => {
  receiver.reply = () => 500
  const webhook = await bed.addWebhook(receiver.url())
  let away = true
  const { calls, store } = failing(['readEventFacts'], () => away)
  bed.startDispatcher({ store })
  await bed.publish(webhook, textMessage(webhook.sessionId))
  await until(() => calls.failed >= 2)
  away = false
  await until(async () => (await historyOf(webhook.accountId))[0]?.status === 'dead')
  expect(receiver.ledger).toHaveLength(4)
})

/** Its payload is read for the attempt. */
const largeMessage = (sessionId: string) => textMessage(sessionId, 'x'.repeat(20_000))

test('deliveries that wait for the database keep their places, also when it is away for longer than a lease', async () => {
  const webhook = await bed.addWebhook(receiver.url())
  let away = false
  const { calls, store } = failing(['readPayload', 'rebalanceShards'], () => away)
  const dispatcher = bed.startDispatcher({ store })
  await until(() => dispatcher.ready())
  away = true
  const messages = Array.from({ length: 30 }, () => largeMessage(webhook.sessionId))
  for (const message of messages) await bed.publish(webhook, message)
  await until(() => !dispatcher.ready())
  const { failed } = calls
  await until(() => calls.failed > failed + 3)
  away = false
  await receiver.until(ledger => ledger.length === messages.length)
  await until(async () => (await historyOf(webhook.accountId)).every(({ status }) => status === 'delivered'))
  expect(await bed.begun(webhook)).toEqual(messages.map(({ message_id }) => message_id))
})

test('a delivery that waits for the database until its shard has another owner is sent by that one alone', async () => {
  const webhook = await bed.addWebhook(receiver.url())
  let away = false
  let isRead = false
  const held = new Deferred<void>()
  const { store } = failing(['rebalanceShards'], () => away)
  const readPayload: typeof store.deliveries.readPayload = async eventId => {
    const payload = await store.deliveries.readPayload(eventId)
    isRead = true
    await held.promise
    return payload
  }
  const first = bed.startDispatcher({ store: storeWith(store, { deliveries: { readPayload } }) })
  await until(() => first.ready())
  await bed.publish(webhook, largeMessage(webhook.sessionId))
  await until(() => isRead)
  away = true
  bed.startDispatcher()
  await receiver.until(ledger => ledger.length === 1)
  held.resolve()
  away = false
  await until(() => first.ready())
  await bed.publish(webhook, textMessage(webhook.sessionId))
  await receiver.until(ledger => ledger.length === 2)
  expect(new Set(receiver.ledger.map(({ id }) => id)).size).toBe(2)
})

test('a delivery whose lease is uncertain is prepared once more when the lease returns, and not before', async () => {
  const webhook = await bed.addWebhook(receiver.url())
  let away = false
  let reads = 0
  const held = new Deferred<void>()
  const { calls, store } = failing(['rebalanceShards'], () => away)
  const readPayload: typeof store.deliveries.readPayload = async eventId => {
    const payload = await store.deliveries.readPayload(eventId)
    reads++
    await held.promise
    return payload
  }
  const dispatcher = bed.startDispatcher({ store: storeWith(store, { deliveries: { readPayload } }) })
  await until(() => dispatcher.ready())
  await bed.publish(webhook, largeMessage(webhook.sessionId))
  await until(() => reads === 1)
  away = true
  await until(() => !dispatcher.ready())
  held.resolve()
  const { failed } = calls
  await until(() => calls.failed > failed + 2)
  expect(reads).toBe(1)
  away = false
  await receiver.until(ledger => ledger.length === 1)
  expect(reads).toBe(2)
})
