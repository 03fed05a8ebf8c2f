import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replayDeliveries, resendDelivery } from '../../src/actions/change-deliveries.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { dropHistoryBatch } from '../../src/maintenance/history-retention.ts'
import { showDelivery } from '../../src/http/v1/deliveries.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace, ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

describe.each(ONE_STORE)('A dead letter whose resend fails on %s', kind => {
  let bed: DeliveryBed
  let receiver: Receiver
  let place: Place

  beforeAll(async () => {
    receiver = await startReceiver()
    place = await newPlace(kind)
    bed = await openDelivery({ POSTERN_RETRY_DELAYS: '10ms,10ms,10ms', ...place.env })
    bed.startDispatcher()
  })
  afterAll(async () => {
    await bed.close()
    await receiver.close()
  })

  const deadOf = async (accountId: string) =>
    (
      await bed.context.store.deliveries.listDeliveries({
        accountId,
        sessionIds: null,
        status: 'dead',
        limit: 100,
        cursor: null,
      })
    ).data
  const onlyDead = async (accountId: string, isIt: (id: string) => boolean = () => true) => {
    await until(async () => (await deadOf(accountId)).some(({ id }) => isIt(id)))
    const [letter, ...others] = await deadOf(accountId)
    expect(others).toEqual([])
    return letter!
  }
  const shown = async (id: string) => {
    const entry = await bed.context.store.deliveries.getDelivery(id)
    return entry && showDelivery(entry)
  }

  test('stays readable with its attempts, and names the one that replaced it', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const { accountId } = webhook
    receiver.reply = () => ({ status: 500, body: 'the first time' })
    await bed.publish(webhook, textMessage(webhook.sessionId))
    const first = await onlyDead(accountId)
    expect(await shown(first.id)).toMatchObject({ replaced_by: null })
    receiver.reply = () => 503
    const second = await resendDelivery(bed.context, first.id)
    await onlyDead(accountId, id => id === second.id)
    expect(await shown(first.id)).toMatchObject({
      status: 'dead',
      reason: 'attempts_exhausted',
      replaced_by: second.id,
      attempts: Array.from({ length: 4 }, () => ({ code: 500, response_excerpt: 'the first time' })),
    })
    expect(await shown(second.id)).toMatchObject({ status: 'dead', replaced_by: null, code: 503 })
    await replayDeliveries(bed.context, (await bed.context.store.webhooks.getWebhook(webhook.webhookId))!, {})
    const third = await onlyDead(accountId, id => id !== second.id)
    expect(await shown(first.id)).toMatchObject({ replaced_by: second.id })
    expect(await shown(second.id)).toMatchObject({ replaced_by: third.id, code: 503 })
    expect(await bed.context.store.deliveries.readDeliveryDepth()).toMatchObject({ deadLetters: 1 })
    // A resend sends the letter that replaced it.
    await expect(resendDelivery(bed.context, first.id)).rejects.toThrow('not found')
    receiver.reply = () => 200
    await resendDelivery(bed.context, third.id)
    await until(async () => (await shown(third.id))?.redelivered_at !== null)
  })

  test('counts as failed in the replay that sent it, whatever happens to its event later', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const { accountId } = webhook
    const { replays, webhooks } = bed.context.store
    receiver.reply = () => 500
    await bed.publish(webhook, textMessage(webhook.sessionId))
    const first = await onlyDead(accountId)
    const { id: jobId } = await replayDeliveries(bed.context, (await webhooks.getWebhook(webhook.webhookId))!, {})
    const outcome = async () => await replays.readReplayOutcome((await replays.getReplay(jobId))!)
    const replayed = await onlyDead(accountId, id => id !== first.id)
    expect(await outcome()).toEqual({ delivered: 0, failed: 1, pending: 0 })
    const resent = await resendDelivery(bed.context, replayed.id)
    await onlyDead(accountId, id => id === resent.id)
    expect(await outcome()).toEqual({ delivered: 0, failed: 1, pending: 0 })
    receiver.reply = () => 200
    await resendDelivery(bed.context, resent.id)
    await until(async () => (await shown(resent.id))?.redelivered_at !== null)
    expect(await outcome()).toEqual({ delivered: 0, failed: 1, pending: 0 })
  })

  test('is deleted when the plan no longer keeps it, and of many only the latest stay', async () => {
    const accountId = await bed.addAccount()
    const add = async (from: number, to: number, createdAt: number) =>
      await queryPlace(
        place,
        `insert into replaced_letters (id, account_id, event_id, webhook_id, session_id, kind, event_type, category,
           dedupe_id, origin, reason, attempts, created_at, updated_at, redacted, replaced_by)
         with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})
         select 'dlv_' || (10000000 + i), '${accountId}', 'e', 'w', 's', 'message', 'message', 'messages', 'd', 'event',
           'r', '[]', ${createdAt}, ${createdAt}, '{}', 'dlv_x' from n`,
      )
    const kept = async () => {
      const rows = await queryPlace<{ first: string; n: number }>(
        place,
        `select min(id) as first, count(*) as n from replaced_letters where account_id = '${accountId}'`,
      )
      return rows.map(({ first, n }) => ({ first, n: Number(n) }))
    }
    const sweep = async () => {
      for (let next: string | null = ''; next !== null; ) next = await dropHistoryBatch(bed.context, next)
    }
    await add(1, 450, Date.now() - 100 * 86_400_000)
    await add(451, 460, Date.now())
    await sweep()
    expect(await kept()).toEqual([{ first: 'dlv_10000451', n: 10 }])
    await add(461, 460 + BOUNDS.replacedLetters, Date.now())
    await sweep()
    expect(await kept()).toEqual([{ first: 'dlv_10000461', n: BOUNDS.replacedLetters }])
  })
})
