import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { firstIdAt } from '../../src/domain/ids.ts'
import { cutFile, eventChunks } from '../../src/domain/event-bytes.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { cells } from '../harness/matrix.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, STORES, type StoreKind } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

let place: Place
let bed: DeliveryBed
let receiver: Receiver

async function open(kind: StoreKind): Promise<void> {
  receiver = await startReceiver()
  place = await newPlace(kind)
  bed = await openDelivery({ POSTERN_RETRY_DELAYS: '30ms,30ms,30ms', ...place.env })
}
afterEach(async () => {
  await bed.close()
  await receiver.close()
  place.remove()
})

const media = (data: string) => ({
  type: 'image' as const,
  media: { mimetype: 'image/png', extension: 'png', file_length: data.length, data, status: 'downloaded' as const },
})

const history = async (accountId: string) =>
  (await bed.context.store.deliveries.listDeliveries({ accountId, sessionIds: null, limit: 10, cursor: null })).data

describe.each(cells(STORES))('A file of 4 MB on %s', kind => {
  beforeEach(() => open(kind))

  test('arrives byte for byte, signed, and the history has only its size', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    receiver.secrets.set(webhook.webhookId, [webhook.secret])
    receiver.reply = () => ({ status: 200, body: 'thank you very much' })
    bed.startDispatcher()
    const event = textMessage(webhook.sessionId, 'caption', media(randomBytes(4 * 1_048_576).toString('base64')))
    await bed.publish(webhook, event)
    await receiver.until(ledger => ledger.length === 1)
    expect(receiver.ledger[0]).toMatchObject({ signed: true })
    expect(receiver.ledger[0]!.body.equals(Buffer.from(JSON.stringify(event)))).toBe(true)
    await until(async () => (await bed.context.store.deliveries.readDeliveryDepth()).queued === 0)
    const [entry] = await history(webhook.accountId)
    expect(entry).toMatchObject({ status: 'delivered', attempts: [{ excerpt: 'thank you very much' }] })
    expect(JSON.parse(entry!.redacted).media.data).toBe('[redacted: 5592408 bytes]')
  })

  test('that is rejected four times is a complete dead letter, and no response that repeats a piece of it is stored', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    const event = textMessage(webhook.sessionId, 'caption', media(randomBytes(4 * 1_048_576).toString('base64')))
    const starts = [0, 131_068, 5_592_400]
    receiver.reply = () => {
      const start = starts[receiver.ledger.length]
      const body = start === undefined ? 'no' : `what is ${event.media!.data.slice(start, start + 8)}?`
      return { status: 500, body }
    }
    bed.startDispatcher()
    await bed.publish(webhook, event)
    await until(async () => (await bed.context.store.deliveries.readDeliveryDepth()).deadLetters === 1)
    const [entry] = await history(webhook.accountId)
    expect(entry!.attempts.map(attempt => attempt.excerpt)).toEqual(['', '', '', 'no'])
    expect(JSON.parse(entry!.redacted)).toMatchObject({
      text: '[redacted: 7 bytes]',
      media: { mimetype: 'image/png', data: '[redacted: 5592408 bytes]' },
    })
    receiver.reply = () => 200
    await bed.context.store.deliveries.resendDelivery(entry!.id)
    await receiver.until(ledger => ledger.length === 5)
    expect(receiver.ledger[4]!.body.equals(Buffer.from(JSON.stringify(event)))).toBe(true)
  })
})

describe('Large and delicate payloads', () => {
  beforeEach(() => open('sqlite'))

  test('are the bytes that JSON.stringify gives, whatever the event holds, and the file can be extracted', async () => {
    const texts = fc.string({ unit: 'binary' })
    const files = fc.tuple(fc.base64String({ maxLength: 40 }), fc.integer({ min: 1, max: 20_000 }))
    await fc.assert(
      fc.asyncProperty(texts, files, async (text, [data, times]) => {
        const event = textMessage('1555@s.whatsapp.net', text, {
          ...media(data.repeat(times)),
          quoted_text: '"data":"',
        })
        const bytes = Buffer.concat(await eventChunks(event))
        expect(bytes.equals(Buffer.from(JSON.stringify(event)))).toBe(true)
        const { rest, file } = cutFile(bytes)
        expect(file.toString()).toBe(event.media!.data)
        expect(JSON.parse(rest.toString())).toEqual({ ...event, media: { ...event.media, data: '' } })
      }),
      { numRuns: 200 },
    )
    const hostile = textMessage('1555@s.whatsapp.net', '', media('"},"x":"'.repeat(100_000)))
    expect(Buffer.concat(await eventChunks(hostile)).equals(Buffer.from(JSON.stringify(hostile)))).toBe(true)
  })

  test('are encrypted in the database, whether delivered, waiting or dead', async () => {
    const canary = `canary-${randomBytes(12).toString('hex')}`
    const webhook = await bed.addWebhook({ messages: receiver.url('/ok') })
    const broken = await bed.addWebhook({ messages: receiver.url('/broken') })
    receiver.reply = got => ({ status: got.path === '/ok' ? 200 : 500, body: got.body.toString() })
    bed.startDispatcher()
    for (const hook of [webhook, broken]) {
      await bed.publish(hook, textMessage(hook.sessionId, canary, { sender_name: canary, quoted_text: canary }))
    }
    await until(async () => (await bed.context.store.deliveries.readDeliveryDepth()).deadLetters === 1)
    await until(async () => (await bed.context.store.deliveries.readDeliveryDepth()).queued === 0)
    expect(receiver.ledger.every(got => got.body.includes(canary))).toBe(true)
    const files = readdirSync(place.dataDir).map(file => readFileSync(join(place.dataDir, file)))
    const holding = (text: string) => files.filter(bytes => bytes.includes(text)).length
    expect(holding(webhook.webhookId)).toBeGreaterThan(0)
    expect(holding(canary)).toBe(0)
    expect(holding(webhook.secret)).toBe(0)
  })

  test('are deleted with history and dead letters when the plan no longer keeps them', async () => {
    const accountId = await bed.addAccount('free')
    const webhook = await bed.addWebhook(receiver.url(), accountId)
    receiver.reply = got => (got.body.includes('"bad"') ? 500 : 200)
    bed.startDispatcher()
    for (const text of ['good', 'bad']) await bed.publish(webhook, textMessage(webhook.sessionId, text))
    await until(async () => (await bed.context.store.deliveries.readDeliveryDepth()).deadLetters === 1)
    const list = async () =>
      (await bed.context.store.deliveries.listDeliveries({ accountId, sessionIds: null, limit: 10, cursor: null })).data
    await until(async () => (await list()).every(entry => entry.status === 'delivered' || entry.status === 'dead'))
    expect(await list()).toHaveLength(2)
    const database = openDatabase(join(place.dataDir, 'postern.db'), { readOnly: false })
    const threeDays = 3 * 86_400_000
    database.exec(`update history set created_at = created_at - ${threeDays}`)
    const oldId = `${firstIdAt('dlv', Date.now() - threeDays)}${'0'.repeat(16)}`
    database.exec(`update dead_letters set created_at = created_at - ${threeDays}, id = '${oldId}'`)
    expect(await list()).toEqual([])
    expect(database.prepare('select count(*) as n from events').get()).toMatchObject({ n: 1 })
    const swept = await bed.context.store.retention.dropExpiredHistory({ afterAccountId: '', accounts: 100 })
    expect(swept).toEqual({ next: null, dropped: [] })
    for (const table of ['history', 'dead_letters', 'events']) {
      expect(database.prepare(`select count(*) as n from ${table}`).get(), table).toMatchObject({ n: 0 })
    }
    database.close()
  })
})
