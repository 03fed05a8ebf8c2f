import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'

const stripe = new Stripe('sk_test_none')
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

describe('a delivery', () => {
  test('carries the headers of the specification and a signature that stripe verifies', async () => {
    const webhook = await bed.addWebhook(receiver.url('/hook'))
    bed.startDispatcher()
    const event = textMessage(webhook.sessionId, 'grüße 👋 \u0000 end')
    await bed.publish(webhook, event)
    await receiver.until(ledger => ledger.length === 1)
    const [got] = receiver.ledger
    expect(got!.body.toString()).toBe(JSON.stringify(event))
    expect(got!.rawNames).toEqual(
      expect.arrayContaining(['Content-Type', 'X-Webhook-ID', 'X-Message-ID', 'X-Timestamp', 'X-Webhook-Signature']),
    )
    expect(got!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-webhook-id': webhook.webhookId,
      'x-message-id': event.message_id,
      'accept-encoding': 'identity',
    })
    expect(got!.headers['user-agent']).toMatch(/^Postern\/\d/)
    const header = got!.headers['x-webhook-signature'] as string
    expect(header).toMatch(new RegExp(`^t=${got!.timestamp},v1=[0-9a-f]{64}$`))
    for (const body of [got!.body, got!.body.toString()]) {
      expect(() => stripe.webhooks.constructEvent(body, header, webhook.secret)).not.toThrow()
    }
    const tampered = got!.body.toString().replace('Ada', 'Bob')
    expect(() => stripe.webhooks.constructEvent(tampered, header, webhook.secret)).toThrow()
  })
})
