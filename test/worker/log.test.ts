import { afterEach, beforeEach, expect, test } from 'vitest'
import { incomingText, receiptOf } from '../harness/fake-platform.ts'
import { type HostingBed, openHosting } from '../harness/hosting.ts'
import { keepLines } from '../harness/kept-lines.ts'

const ADA = '15550001111@s.whatsapp.net'
let bed: HostingBed

beforeEach(async () => void (bed = await openHosting('sqlite')))
afterEach(() => bed.close())

test('every published event is one wide log line of one shape, without message content', async () => {
  const { log, lines } = keepLines()
  const published = () => lines.filter(line => line.name === 'event.published')
  const number = await bed.addNumber()
  bed.startWorker({ log })
  await expect.poll(() => published().length).toBe(1)
  const { platformId } = await bed.send(number, ADA, 'a secret of two')
  await expect.poll(() => published().length).toBe(2)
  await bed.network.receive(number.sessionId, receiptOf([platformId], ADA, 'read'), { kind: 'receipt' })
  await expect.poll(() => published().length).toBe(4)
  await bed.network.receive(number.sessionId, receiptOf([platformId], ADA, 'read'), { kind: 'receipt' })
  await bed.network.receive(number.sessionId, incomingText(number.sessionId, '15550009999', 'another secret'))
  await expect.poll(() => published().length).toBe(5)
  const logged = [
    ['connection', 'connection'],
    ['status', 'status'],
    ['receipt', 'status'],
    ['receipt', 'status'],
    ['message', 'messages'],
  ]
  expect(published()).toEqual(
    logged.map(([kind, category]) => ({
      name: 'event.published',
      event_id: expect.stringMatching(/^evt_/),
      account: number.accountId,
      session: number.sessionId,
      kind,
      category,
      bytes: expect.any(Number),
      delay_ms: expect.any(Number),
    })),
  )
  const stored = await bed.query<{ id: string }>('select event_id as id from deliveries')
  expect(new Set(published().map(line => line.event_id))).toEqual(new Set(stored.map(({ id }) => id)))
  expect(JSON.stringify(lines)).not.toMatch(/secret/)
})
