import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Tracing } from '../../src/observability/tracing/tracing.ts'
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

it('an event whose trace the database never returns is still delivered, in order', async () => {
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
  const messages = Array.from({ length: 3 }, () => textMessage(webhook.sessionId))
  for (const message of messages) await bed.publish(webhook, message)
  bed.startDispatcher({ tracing, store: storeWith(bed.context.store, { traces: { readTraces } }) })
  await expect.poll(() => bed.begun(webhook)).toEqual(messages.map(({ message_id }) => message_id))
  expect(receiver.ledger).toHaveLength(3)
  expect(parents).toEqual([undefined, undefined, undefined])
})
