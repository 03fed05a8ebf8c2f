import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DeliveryBed, openDelivery, type Subscribed, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { storeWith } from '../harness/store-with.ts'
import { newPlace, ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

describe.each(ONE_STORE)('An event that was just committed on %s', kind => {
  let bed: DeliveryBed
  let receiver: Receiver
  let webhook: Subscribed
  let rowsRead: number

  beforeEach(async () => {
    receiver = await startReceiver()
    bed = await openDelivery((await newPlace(kind)).env)
    webhook = await bed.addWebhook(receiver.url())
    rowsRead = 0
  })
  afterEach(async () => {
    receiver.letGo()
    await bed.close()
    await receiver.close()
  })

  /** A dispatcher whose reads of due deliveries are counted, and whose lane has been read once. */
  async function start() {
    const { store } = bed.context
    const readDue: typeof store.deliveries.readDue = async lanes => {
      const due = await store.deliveries.readDue(lanes)
      rowsRead += due.length
      return due
    }
    bed.startDispatcher({ store: storeWith(store, { deliveries: { readDue } }) })
    await bed.publish(webhook, textMessage(webhook.sessionId))
    await until(isDrained)
    rowsRead = 0
    receiver.ledger.length = 0
  }
  const isDrained = async () => (await bed.context.store.deliveries.readDeliveryDepth()).queued === 0
  const arrived = () => receiver.ledger.map(({ id }) => id)
  const written = (count: number) => Array.from({ length: count }, () => textMessage(webhook.sessionId))
  const idsOf = (messages: Array<{ message_id: string }>) => messages.map(({ message_id }) => message_id)

  test('is delivered without being read again, in order, and once', async () => {
    await start()
    const messages = written(100)
    for (const message of messages) await bed.publish(webhook, message)
    await until(isDrained)
    expect((await bed.begun(webhook)).slice(1)).toEqual(idsOf(messages))
    expect(arrived().sort()).toEqual(idsOf(messages))
    // A scan of the whole lane, once in seconds, may fall between a commit and its result.
    expect(rowsRead).toBeLessThan(20)
  })

  test('waits in the database if there is no room for it in memory, and keeps its place', async () => {
    await start()
    const messages = written(600)
    const published: Array<Promise<unknown>> = []
    // Slow until all are queued, so that more wait than there is room for.
    receiver.reply = () => ({ status: 200, delayMs: published.length < messages.length ? 300 : 2 })
    for (const message of messages) {
      published.push(bed.publish(webhook, message))
      if (published.length % 50 === 0) await Promise.all(published)
    }
    await Promise.all(published)
    await until(isDrained)
    expect(rowsRead).toBeGreaterThan(0)
    expect(arrived().sort()).toEqual(idsOf(messages))
  })

  test('is not started by a dispatcher that has not yet read the events before it', async () => {
    const messages = written(3)
    for (const message of messages.slice(0, 2)) await bed.publish(webhook, message)
    const { store } = bed.context
    let isHeldUp = true
    const readLanes: typeof store.deliveries.readLanes = async shards =>
      isHeldUp ? [] : await store.deliveries.readLanes(shards)
    bed.startDispatcher({ store: storeWith(store, { deliveries: { readLanes } }) })
    await until(async () => (await store.leases.listLeases('shard')).some(lease => lease.owner !== null))
    await bed.publish(webhook, messages[2]!)
    isHeldUp = false
    await until(isDrained)
    expect(await bed.begun(webhook)).toEqual(idsOf(messages))
  })
})
