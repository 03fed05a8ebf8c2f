import type { Content } from '@postern/simulator/phone/content'
import type { Phone } from '@postern/simulator/phone/phone'
import type { SendOptions } from '@postern/simulator/phone/writing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { MessageEvent } from '../../src/domain/event.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** Names that every object inherits. */
const INHERITED = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf']
const NOW = () => Math.floor(Date.now() / 1000)

describe('A contact’s message is published according to its schema, whatever names and numbers it has', () => {
  let stack: Stack
  let number: StackNumber
  let ana: Phone

  beforeAll(async () => {
    stack = await startStack({ platform: { mediaTimeoutMs: 5_000 }, intended: ['server: message: t is no int'] })
    number = await stack.link('999320000001')
    ana = stack.simulator.phone('5511902000001')
  })
  afterAll(() => stack.close())
  beforeEach(() => number.forget())

  const incoming = async (content: Content, options?: SendOptions): Promise<MessageEvent> => {
    const { id } = await ana.sendTo(number.jid, content, options)
    return await number.next('message', event => event.message_id === id)
  }
  /** A waiting event is in the queue, a delivered one in the history. */
  const historyOf = async (messageId: string): Promise<string> => {
    const kept = 'select redacted from history union all select redacted from deliveries where redacted is not null'
    const rows = await stack.bed.query<{ redacted: string }>(kept)
    return rows.find(({ redacted }) => redacted.includes(messageId))?.redacted ?? ''
  }

  test.each(INHERITED)('with a file of type %s, which the history keeps without its content', async mimetype => {
    const data = Buffer.from('the secret bytes of a file')
    for (const type of ['image', 'document'] as const) {
      const { media, message_id: id } = await incoming({ type, data, mimetype })
      expect(media).toMatchObject({ mimetype, extension: 'bin', status: 'downloaded', file_length: data.length })
      expect(await historyOf(id)).toContain('[redacted: ')
      expect(await historyOf(id)).not.toContain(data.toString('base64'))
    }
  })

  const POINTS = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, 180.001, -181]
  test.each(POINTS)('with coordinates %s, which are on no map, as other with its text', async degrees => {
    const spots = [
      { latitude: degrees, longitude: 10 },
      { latitude: 10, longitude: degrees },
    ]
    for (const spot of spots) {
      const event = await incoming({ type: 'location', ...spot, name: 'Nowhere' })
      expect(event).toMatchObject({ type: 'other', text: 'Nowhere' })
      expect(event).not.toHaveProperty('location')
      expect(await incoming({ type: 'live_location', ...spot })).toMatchObject({ type: 'other', text: '' })
    }
  })

  test('with the poles and the date line as valid coordinates', async () => {
    for (const [latitude, longitude] of [[90, 180] as const, [-90, -180] as const, [0, 0] as const]) {
      const event = await incoming({ type: 'location', latitude, longitude })
      expect(event).toMatchObject({ type: 'location', location: { latitude, longitude } })
    }
  })

  test.each([Number.NaN, -5, 0, Infinity, 2 ** 53, 1e21, Date.now()])(
    'with the time of its arrival if its own time is %s',
    async timestamp => {
      const before = NOW()
      const event = await incoming({ type: 'text', text: 'when?' }, { timestamp })
      expect(event.timestamp_unix).toBeGreaterThanOrEqual(before)
      expect(event.timestamp_unix).toBeLessThanOrEqual(NOW())
    },
  )

  test('with whole numbers for sizes and counts that no file or poll has', async () => {
    const part = { mimetype: 'image/png', directPath: '/none', mediaKey: Buffer.alloc(32) }
    for (const fileLength of [2 ** 63, Number.MAX_SAFE_INTEGER + 2, 1e19]) {
      const event = await incoming({ type: 'raw', message: { imageMessage: { ...part, fileLength } } })
      expect(event.media).toMatchObject({ status: 'error', data: '', file_length: 0 })
    }
    for (const selectableOptionsCount of [4_294_967_295, -1, 1.5]) {
      const poll = { name: 'q', options: [{ optionName: 'a' }, {}], selectableOptionsCount }
      const event = await incoming({ type: 'raw', message: { pollCreationMessage: poll } })
      expect(event.poll).toMatchObject({ options: ['a', ''] })
    }
  })

  test('with answers to buttons with parameters of any shape', async () => {
    const shapes = ['{"__proto__":{"id":"x"}}', '{"id":{"toString":1}}', '[]', '"id"', 'null', '1e999', '{"id":1e999}']
    for (const paramsJson of shapes) {
      const flow = { body: { text: '' }, nativeFlowResponseMessage: { name: 'quick_reply', paramsJson, version: 3 } }
      const event = await incoming({ type: 'raw', message: { interactiveResponseMessage: flow } })
      expect(event).toMatchObject({ type: 'button_response', text: '' })
      expect(event.button_response).toMatchObject({ params_json: paramsJson })
    }
  })

  test('with the time of its message for a vote without a time', async () => {
    const sent = await number.sendAndSettle(ana.jid, {
      type: 'poll',
      name: 'q',
      options: ['a', 'b'],
      selectableCount: 1,
    })
    for (const timestampMs of [Number.MAX_SAFE_INTEGER, 1, 2 ** 62]) {
      number.forget()
      const sentAt = NOW() - 100
      await ana.vote(number.jid, sent.platformId, ['a'], { timestamp: sentAt, timestampMs })
      expect((await number.next('poll_vote')).timestamp_unix).toBe(sentAt)
    }
  })
})
