import { afterEach, beforeEach, expect, test } from 'vitest'
import { StoreUnavailable } from '../../src/store/transaction.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { storeWith } from '../harness/store-with.ts'
import { until } from '../harness/until.ts'

let bed: DeliveryBed
let receiver: Receiver

beforeEach(async () => {
  bed = await openDelivery()
  receiver = await startReceiver()
})
afterEach(async () => {
  await bed.close()
  await receiver.close()
})

/** The store, with calls that fail while `away` says so. */
function failing(names: Array<'readCurrentWebhooks' | 'readPayload' | 'readEventFacts'>, away: () => boolean) {
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
  return { calls, store: storeWith(store, { deliveries, webhooks }) }
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
