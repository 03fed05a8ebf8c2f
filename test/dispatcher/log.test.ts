import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { keepLines } from '../harness/kept-lines.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'

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

test('every attempt is one wide log line with its ids and its outcome, and no message content', async () => {
  const { log, lines } = keepLines()
  const webhook = await bed.addWebhook(receiver.url('/hook'))
  const attempted = () => lines.filter(line => line.name === 'delivery.attempted')
  receiver.reply = () => (receiver.ledger.length === 0 ? 503 : 200)
  bed.startDispatcher({ log })
  await bed.publish(webhook, textMessage(webhook.sessionId, 'a secret of two'))
  await expect.poll(() => attempted().length).toBe(2)
  const same = {
    delivery_id: expect.stringMatching(/^dlv_/),
    event_id: expect.stringMatching(/^evt_/),
    account: webhook.accountId,
    webhook_id: webhook.webhookId,
    category: 'messages',
    ms: expect.any(Number),
  }
  expect(attempted()).toMatchObject([
    { ...same, attempt: 1, outcome: 'retry', status: 503 },
    { ...same, attempt: 2, outcome: 'delivered', status: 200, reason: null },
  ])
  expect(JSON.stringify(lines)).not.toContain('a secret of two')
})
