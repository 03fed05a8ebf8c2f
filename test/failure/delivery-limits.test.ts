import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventBytes } from '../../src/actions/event-bytes.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { type DeliveryBed, openDelivery, textMessage } from '../harness/delivery.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

let place: Place
let bed: DeliveryBed
let receiver: Receiver

beforeEach(async () => {
  receiver = await startReceiver()
  place = await newPlace('sqlite')
  bed = await openDelivery({ POSTERN_RETRY_DELAYS: '30ms,30ms,30ms', ...place.env })
})
afterEach(async () => {
  await bed.close()
  await receiver.close()
  place.remove()
})

const media = (data: string) => ({
  type: 'image' as const,
  media: { mimetype: 'image/png', extension: 'png', file_length: data.length, data, status: 'downloaded' as const },
})

describe('large and delicate payloads', () => {
  test('a file of 4 MB arrives byte for byte, signed', async () => {
    const webhook = await bed.addWebhook(receiver.url())
    receiver.secrets.set(webhook.webhookId, [webhook.secret])
    receiver.reply = () => ({ status: 200, body: 'thank you very much' })
    bed.startDispatcher()
    const event = textMessage(webhook.sessionId, 'caption', media(randomBytes(4 * 1_048_576).toString('base64')))
    await bed.publish(webhook, event)
    await receiver.until(ledger => ledger.length === 1, 30_000)
    expect(receiver.ledger[0]).toMatchObject({ signed: true })
    expect(receiver.ledger[0]!.body.equals(Buffer.from(JSON.stringify(event)))).toBe(true)
    await until(async () => (await bed.context.store.readDeliveryDepth(null)).queued === 0)
  })

  test('an event is the bytes that JSON.stringify gives, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.base64String({ maxLength: 40 }),
        fc.integer({ min: 1, max: 4_000 }),
        (text, data, n) => {
          const event = textMessage('1555@s.whatsapp.net', text, media(data.repeat(n)))
          return eventBytes(event).equals(Buffer.from(JSON.stringify(event)))
        },
      ),
      { numRuns: 300 },
    )
    const hostile = textMessage('1555@s.whatsapp.net', '', media('"},"x":"'.repeat(20_000)))
    expect(eventBytes(hostile).equals(Buffer.from(JSON.stringify(hostile)))).toBe(true)
  })

  test('what people write lies in the database only sealed, whether it was delivered, waits or is dead', async () => {
    const canary = `canary-${randomBytes(12).toString('hex')}`
    const webhook = await bed.addWebhook({ messages: receiver.url('/ok') })
    const broken = await bed.addWebhook({ messages: receiver.url('/broken') })
    receiver.reply = got => ({ status: got.path === '/ok' ? 200 : 500, body: got.body.toString() })
    bed.startDispatcher()
    for (const hook of [webhook, broken]) {
      await bed.publish(hook, textMessage(hook.sessionId, canary, { sender_name: canary, quoted_text: canary }))
    }
    await until(async () => (await bed.context.store.readDeliveryDepth(null)).deadLetters === 1)
    await until(async () => (await bed.context.store.readDeliveryDepth(null)).queued === 0)
    expect(receiver.ledger.every(got => got.body.includes(canary))).toBe(true)
    for (const file of readdirSync(place.dataDir)) {
      const bytes = readFileSync(join(place.dataDir, file))
      for (const secret of [canary, webhook.secret]) expect(bytes.includes(secret), file).toBe(false)
    }
  })

  test('history and dead letters go when the plan no longer keeps them, with their payloads', async () => {
    const accountId = await bed.addAccount('free')
    const webhook = await bed.addWebhook(receiver.url(), accountId)
    receiver.reply = got => (got.body.includes('"bad"') ? 500 : 200)
    bed.startDispatcher()
    for (const text of ['good', 'bad']) await bed.publish(webhook, textMessage(webhook.sessionId, text))
    await until(async () => (await bed.context.store.readDeliveryDepth(null)).deadLetters === 1)
    const list = async () =>
      (await bed.context.store.listDeliveries({ accountId, sessionIds: null, limit: 10, cursor: null })).data
    await until(async () => (await list()).every(entry => entry.status === 'delivered' || entry.status === 'dead'))
    expect(await list()).toHaveLength(2)
    const database = openDatabase(join(place.dataDir, 'postern.db'), { readOnly: false })
    const threeDays = 3 * 86_400_000
    database.exec(`update history set created_at = created_at - ${threeDays}`)
    database.exec(`update dead_letters set created_at = created_at - ${threeDays}`)
    expect(await list()).toEqual([])
    expect(database.prepare('select count(*) as n from events').get()).toMatchObject({ n: 1 })
    expect(await bed.context.store.sweepHistory({ afterAccountId: '', accounts: 100 })).toBeNull()
    for (const table of ['history', 'dead_letters', 'events']) {
      expect(database.prepare(`select count(*) as n from ${table}`).get(), table).toMatchObject({ n: 0 })
    }
    database.close()
  })
})
