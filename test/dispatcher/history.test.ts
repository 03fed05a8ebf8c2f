import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { replayDeliveries, resendDelivery } from '../../src/actions/change-deliveries.ts'
import { testWebhook } from '../../src/actions/test-webhook.ts'
import type { HistoryFilter } from '../../src/store/deliveries/history.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

describe.each(ONE_STORE)('The delivery history on %s', kind => {
  let bed: DeliveryBed
  let receiver: Receiver

  beforeEach(async () => {
    receiver = await startReceiver()
    bed = await openDelivery({ POSTERN_RETRY_DELAYS: '30ms,30ms,30ms', ...(await newPlace(kind)).env })
  })
  afterEach(async () => {
    await bed.close()
    await receiver.close()
  })

  const list = async (accountId: string, filter: Partial<HistoryFilter> = {}, limit = 100) =>
    (await bed.context.store.deliveries.listDeliveries({ accountId, sessionIds: null, limit, cursor: null, ...filter }))
      .data
  const count = async (accountId: string, status: 'delivered' | 'dead' | 'failed' | 'pending') =>
    (await list(accountId, { status }, 1_000)).length

  test('replaces content by size markers; the endpoint still receives it', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    receiver.reply = got => ({ status: 200, body: got.body.toString() })
    bed.startDispatcher()
    const secret = 'Zwölf geheime Wörter'
    await bed.publish(
      webhook,
      textMessage(webhook.sessionId, secret, { quoted_text: 'secret too', quoted_message_id: 'Q1' }),
    )
    await until(async () => (await count(webhook.accountId, 'delivered')) === 1)
    const [entry] = await list(webhook.accountId)
    expect(JSON.parse(entry!.redacted)).toMatchObject({
      kind: 'message',
      text: `[redacted: ${Buffer.byteLength(secret)} bytes]`,
      quoted_text: '[redacted: 10 bytes]',
      quoted_message_id: 'Q1',
    })
    expect(receiver.ledger[0]!.body.toString()).toContain(secret)
    // The receiver repeated its request: that excerpt must not contain the content.
    expect(entry!.attempts[0]!.excerpt).toBe('')
    expect(JSON.stringify(entry)).not.toContain('geheim')
    expect(entry!.attempts[0]!.url).toBe(receiver.url())
  })

  test('can be filtered by number, event type, status, webhook and time', async () => {
    const accountId = await bed.addAccount()
    receiver.reply = got => (got.path === '/bad' ? 400 : 200)
    const good = await bed.addWebhook({ messages: receiver.url('/good'), connection: receiver.url('/good') }, accountId)
    const bad = await bed.addWebhook(receiver.url('/bad'), accountId)
    bed.startDispatcher()
    await bed.publish(good, textMessage(good.sessionId))
    await bed.publish(good, { kind: 'connection', session_id: good.sessionId, event: 'connected', timestamp_unix: 1 })
    await bed.publish(bad, textMessage(bad.sessionId))
    await until(async () => (await count(accountId, 'delivered')) === 2 && (await count(accountId, 'dead')) === 1)
    expect(await list(accountId)).toHaveLength(3)
    expect(await list(accountId, { sessionId: good.sessionId })).toHaveLength(2)
    expect(await list(accountId, { eventType: 'connection_status' })).toHaveLength(1)
    expect(await list(accountId, { webhookId: bad.webhookId })).toMatchObject([{ status: 'dead' }])
    expect(await list(accountId, { sinceMs: Date.now() + 60_000 })).toHaveLength(0)
    expect(await list(accountId, { untilMs: Date.now() + 60_000 })).toHaveLength(3)
    expect(await list(accountId, { sessionIds: [bad.sessionId] })).toHaveLength(1)
    const first = await bed.context.store.deliveries.listDeliveries({
      accountId,
      sessionIds: null,
      limit: 2,
      cursor: null,
    })
    expect(first.nextCursor).not.toBeNull()
    expect(first.data.map(entry => entry.id)).toEqual(
      first.data
        .map(entry => entry.id)
        .sort()
        .reverse(),
    )
  })

  test('keeps at most the 500 latest entries; dead letters do not count', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    receiver.reply = got => (got.body.includes('"bad"') ? 500 : 200)
    bed.startDispatcher()
    await bed.publish(webhook, textMessage(webhook.sessionId, 'bad'))
    await until(async () => (await count(webhook.accountId, 'dead')) === 1)
    const events = Array.from({ length: 520 }, () => textMessage(webhook.sessionId))
    await Promise.all(events.map(event => bed.publish(webhook, event)))
    await receiver.until(ledger => new Set(ledger.map(got => got.id)).size === 521)
    await until(async () => (await count(webhook.accountId, 'delivered')) === 500)
    expect(await list(webhook.accountId, {}, 1_000)).toHaveLength(501)
    expect(await bed.context.store.deliveries.readDeliveryDepth()).toMatchObject({ queued: 0, deadLetters: 1 })
  })

  test('never records typing, which is retried and ends as a dead letter', async () => {
    const webhook = await bed.addWebhook({ events: receiver.url() })
    receiver.reply = () => 500
    bed.startDispatcher()
    await bed.publish(webhook, {
      kind: 'typing',
      session_id: webhook.sessionId,
      sender_jid: '1555@s.whatsapp.net',
      chat_jid: '1555@s.whatsapp.net',
      is_group: false,
      typing: true,
      media: 'text',
    })
    await receiver.until(ledger => ledger.length === 4)
    await until(async () => (await bed.context.store.deliveries.readDeliveryDepth()).deadLetters === 1)
    expect(await list(webhook.accountId)).toEqual([])
  })

  test('keeps a dead letter until its resend with the same X-Message-ID is delivered', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    receiver.reply = () => 500
    bed.startDispatcher()
    const event = textMessage(webhook.sessionId)
    await bed.publish(webhook, event)
    await until(async () => (await count(webhook.accountId, 'dead')) === 1)
    receiver.reply = () => 200
    const [dead] = await list(webhook.accountId)
    const again = await resendDelivery(bed.context, dead!.id)
    expect(again).toMatchObject({ origin: 'resend', eventId: dead!.eventId })
    await until(async () => (await count(webhook.accountId, 'delivered')) === 1)
    expect(receiver.ledger.at(-1)).toMatchObject({ id: event.message_id, answer: 200 })
    expect(receiver.ledger.at(-1)!.sha256).toBe(receiver.ledger[0]!.sha256)
    expect((await bed.context.store.deliveries.getDelivery(dead!.id))!.redeliveredAt).not.toBeNull()
    await expect(resendDelivery(bed.context, dead!.id)).rejects.toThrow('no longer kept')
    await expect(resendDelivery(bed.context, again.id)).rejects.toThrow('no longer kept')
  })

  test('counts a replay first; the replay survives a restart and can be cancelled', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    receiver.reply = () => 500
    const first = bed.startDispatcher()
    const events = Array.from({ length: 130 }, () => textMessage(webhook.sessionId))
    await Promise.all(events.map(event => bed.publish(webhook, event)))
    const other = await bed.addWebhook(receiver.url())
    await bed.publish(other, textMessage(other.sessionId))
    await until(async () => (await count(webhook.accountId, 'dead')) === 130)
    await until(async () => (await count(other.accountId, 'dead')) === 1)
    await first.stop()
    receiver.reply = () => 200
    const config = (await bed.context.store.webhooks.getWebhook(webhook.webhookId))!
    const job = await replayDeliveries(bed.context, config, {})
    expect(job).toMatchObject({ total: 130, done: 0, state: 'running' })
    await bed.context.store.replays.advanceReplay({ id: job.id, limit: 100 })
    await expect(replayDeliveries(bed.context, config, {})).rejects.toThrow(`replay ${job.id}`)
    const cancelled = await replayDeliveries(
      bed.context,
      (await bed.context.store.webhooks.getWebhook(other.webhookId))!,
      {},
    )
    expect(cancelled).toMatchObject({ total: 1, state: 'running' })
    await bed.context.store.replays.cancelReplay(cancelled.id)
    // Another dispatcher, as after a restart, continues the job.
    bed.startDispatcher()
    await until(async () => (await bed.context.store.replays.getReplay(job.id))!.state === 'done')
    await until(async () => (await count(webhook.accountId, 'delivered')) === 130)
    expect(await bed.context.store.replays.getReplay(job.id)).toMatchObject({ done: 130 })
    expect(await bed.context.store.replays.getReplay(cancelled.id)).toMatchObject({ state: 'cancelled', done: 0 })
    const delivered = receiver.ledger.filter(got => got.answer === 200)
    expect(delivered).toHaveLength(130)
    expect(new Set(delivered.map(got => got.id)).size).toBe(130)
  })

  test('replaces each dead letter that a replay sends: their number never grows, and the replay shows the outcome', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const { replays, webhooks } = bed.context.store
    receiver.reply = () => 500
    bed.startDispatcher()
    const config = (await webhooks.getWebhook(webhook.webhookId))!
    const events = Array.from({ length: 5 }, () => textMessage(webhook.sessionId))
    await Promise.all(events.map(event => bed.publish(webhook, event)))
    await until(async () => (await count(webhook.accountId, 'dead')) === 5)
    const range = { accountId: webhook.accountId, filter: 'dead' as const, sinceMs: 0, untilMs: Date.now() + 60_000 }
    const outcomeOf = async (id: string) => await replays.readReplayOutcome((await replays.getReplay(id))!)
    const jobs: string[] = []
    for (const _time of [1, 2]) {
      expect(await replays.countReplayable(range)).toMatchObject([{ webhookId: webhook.webhookId, n: 5 }])
      const job = await replayDeliveries(bed.context, config, {})
      expect(job.total).toBe(5)
      jobs.push(job.id)
      await until(async () => (await outcomeOf(job.id))?.failed === 5)
      expect(await outcomeOf(job.id)).toEqual({ delivered: 0, failed: 5, pending: 0 })
      expect(await count(webhook.accountId, 'dead')).toBe(5)
    }
    expect(await outcomeOf(jobs[0]!)).toBeUndefined()
    receiver.reply = () => 200
    const last = await replayDeliveries(bed.context, config, {})
    await until(async () => (await outcomeOf(last.id))?.delivered === 5)
    expect(await outcomeOf(last.id)).toEqual({ delivered: 5, failed: 0, pending: 0 })
    await until(async () => (await bed.context.store.deliveries.readDeliveryDepth()).deadLetters === 0)
    expect(receiver.ledger.filter(got => got.answer === 200)).toHaveLength(5)
    expect(await replays.countReplayable(range)).toEqual([])
  })

  test('ends a replay if its webhook is deleted', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    receiver.reply = () => 500
    const first = bed.startDispatcher()
    await bed.publish(webhook, textMessage(webhook.sessionId))
    await until(async () => (await count(webhook.accountId, 'dead')) === 1)
    await first.stop()
    const config = (await bed.context.store.webhooks.getWebhook(webhook.webhookId))!
    const job = await replayDeliveries(bed.context, config, {})
    await bed.context.store.webhooks.deleteWebhook(webhook.webhookId)
    expect(await bed.context.store.replays.advanceReplay({ id: job.id, limit: 10 })).toBe(false)
    expect(await bed.context.store.replays.getReplay(job.id)).toMatchObject({ state: 'cancelled', done: 0 })
  })

  test('does not contain the samples that the test function sends to each category, signed or not', async () => {
    const webhook = await bed.addWebhook({ messages: receiver.url('/m'), events: receiver.url('/e') })
    receiver.secrets.set(webhook.webhookId, [webhook.secret])
    receiver.reply = got => (got.path === '/e' ? { status: 418, body: 'teapot\u0000' } : 200)
    const config = (await bed.context.store.webhooks.getWebhook(webhook.webhookId))!
    const results = await testWebhook(bed.context, config, { sign: true })
    expect(results).toMatchObject([
      { category: 'messages', httpStatus: 200, error: null, errorKind: null },
      {
        category: 'events',
        httpStatus: 418,
        excerpt: 'teapot\\u0000',
        error: 'the receiver answered 418',
        errorKind: 'http_4xx',
      },
    ])
    expect(receiver.ledger.map(got => got.signed)).toEqual([true, true])
    await testWebhook(bed.context, config, { sign: false, category: 'messages' })
    expect(receiver.ledger.at(-1)!.headers['x-webhook-signature']).toBeUndefined()
    await expect(testWebhook(bed.context, config, { sign: true, category: 'status' })).rejects.toThrow('status_url')
    expect(await list(webhook.accountId)).toEqual([])
  })
})
