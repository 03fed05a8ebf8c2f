import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Tracing } from '../../src/tracing/tracing.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { storeWith } from '../harness/store-with.ts'

let bed: DeliveryBed
let receiver: Receiver

beforeEach(async () => {
  receiver = await startReceiver()
  bed = await openDelivery()
})
afterEach(async () => {
  await bed.close()
  await receiver.close()
})

it('where the database never tells the trace of an event, it is delivered all the same, in order', async () => {
  const parents: unknown[] = []
  const tracing: Tracing = {
    begin: ({ parent }) => {
      parents.push(parent)
      return { traceId: 'a'.repeat(32), traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, end: () => {} }
    },
    close: async () => {},
  }
  const readTraces = () => new Promise<never>(() => {})
  const webhook = await bed.addWebhook(receiver.url())
  const texts = ['one', 'two', 'three']
  for (const text of texts) await bed.publish(webhook, textMessage(webhook.sessionId, text))
  bed.startDispatcher({ tracing, store: storeWith(bed.context.store, { tracing: { readTraces } }) })
  await receiver.until(ledger => ledger.length === texts.length)
  expect(receiver.ledger.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text)).toEqual(texts)
  expect(parents).toEqual([undefined, undefined, undefined])
})
