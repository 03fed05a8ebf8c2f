import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { giveUpDelivery, resendDelivery, replayDeliveries } from '../../src/actions/change-deliveries.ts'
import { Deferred } from '../../src/runtime/deferred.ts'
import { showDelivery } from '../../src/http/v1/deliveries.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

describe.each(ONE_STORE)('A delivery that a customer abandons on %s', kind => {
  let bed: DeliveryBed
  let receiver: Receiver

  beforeAll(async () => {
    receiver = await startReceiver()
    bed = await openDelivery({ POSTERN_RETRY_DELAYS: '1h,1h,1h', ...(await newPlace(kind)).env })
    bed.startDispatcher()
  })
  afterAll(async () => {
    await bed.close()
    await receiver.close()
  })

  const shown = async (id: string) => showDelivery((await bed.context.store.deliveries.getDelivery(id))!)
  const isNow = async (id: string, status: string) => await until(async () => (await shown(id)).status === status)
  const open = async (accountId: string, sessionIds: string[] | null = null) =>
    await bed.context.store.deliveries.countDeadLetters({ accountId, sessionIds })

  /** A delivery whose first attempt has failed. */
  const waiting = async () => {
    const webhook = await bed.addWebhook(receiver.url())
    receiver.reply = () => 500
    const id = (await bed.publish(webhook, textMessage(webhook.sessionId, 'a secret text')))!
    await isNow(id, 'failed')
    return { id, webhook }
  }

  test('is a dead letter like any other, without another request', async () => {
    const { id, webhook } = await waiting()
    const requests = receiver.ledger.length
    expect(await giveUpDelivery(bed.context, id)).toMatchObject({ id, nextAttemptAt: null })
    await isNow(id, 'dead')
    expect(await shown(id)).toMatchObject({ reason: 'given_up', code: 500, replayed_as: null, replay_of: null })
    expect((await shown(id)).attempts).toHaveLength(1)
    expect(JSON.stringify(await shown(id))).not.toContain('a secret text')
    expect(receiver.ledger).toHaveLength(requests)
    expect(await open(webhook.accountId)).toBe(1)
    expect(await open(webhook.accountId, [webhook.sessionId])).toBe(1)
    expect(await open(webhook.accountId, ['another@s.whatsapp.net'])).toBe(0)
    await expect(giveUpDelivery(bed.context, id)).rejects.toThrow('a dead letter already')
  })

  test('names the delivery that resends it, and no longer counts once that has arrived', async () => {
    const { id, webhook } = await waiting()
    await giveUpDelivery(bed.context, id)
    await isNow(id, 'dead')
    receiver.reply = () => 200
    await replayDeliveries(bed.context, (await bed.context.store.webhooks.getWebhook(webhook.webhookId))!, {})
    await until(async () => (await shown(id)).redelivered_at !== null)
    const again = (await shown(id)).replayed_as!
    expect(await shown(again)).toMatchObject({ status: 'delivered', origin: 'replay', replay_of: id })
    expect(await open(webhook.accountId)).toBe(0)
    await expect(giveUpDelivery(bed.context, again)).rejects.toThrow('is delivered already')
  })

  test('keeps its links if it was resent and abandoned again', async () => {
    const { id } = await waiting()
    await giveUpDelivery(bed.context, id)
    await isNow(id, 'dead')
    const again = await resendDelivery(bed.context, id)
    expect(again.replayOf).toBe(id)
    await isNow(again.id, 'failed')
    await giveUpDelivery(bed.context, again.id)
    await isNow(again.id, 'dead')
    expect(await shown(id)).toMatchObject({ replaced_by: again.id, replayed_as: again.id })
    expect(await shown(again.id)).toMatchObject({ replay_of: id, replaced_by: null })
  })

  test('is delivered if the running attempt succeeds, and dead if it fails', async () => {
    const attempt = async (status: number) => {
      const webhook = await bed.addWebhook(receiver.url())
      const answer = new Deferred<void>()
      const before = receiver.ledger.length
      receiver.reply = () => ({ status, after: answer.promise })
      const id = (await bed.publish(webhook, textMessage(webhook.sessionId)))!
      await until(() => receiver.ledger.length > before)
      await giveUpDelivery(bed.context, id)
      await expect(giveUpDelivery(bed.context, id)).rejects.toThrow('are stopped already')
      expect((await shown(id)).status).toBe('pending')
      answer.resolve()
      return id
    }
    const arrived = await attempt(200)
    await isNow(arrived, 'delivered')
    const failed = await attempt(500)
    await isNow(failed, 'dead')
    expect(await shown(failed)).toMatchObject({ reason: 'given_up', attempts: [{ code: 500 }] })
  })

  test('does not count as a dead letter if its event arrives after a parallel resend has died', async () => {
    const { id, webhook } = await waiting()
    const beside = await resendDelivery(bed.context, id)
    await isNow(beside.id, 'failed')
    await giveUpDelivery(bed.context, beside.id)
    await isNow(beside.id, 'dead')
    expect(await open(webhook.accountId)).toBe(1)
    receiver.reply = () => 200
    const job = (await bed.context.store.webhooks.getWebhook(webhook.webhookId))!
    await replayDeliveries(bed.context, job, { status: 'failed' })
    await isNow(id, 'delivered')
    expect(await open(webhook.accountId)).toBe(0)
  })
})
