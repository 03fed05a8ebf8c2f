import type { Phone } from '@postern/simulator/phone/phone'
import { type BinaryNode, proto } from 'baileys'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** Contents that people and channels write today and that the library cannot read. */

let stack: Stack
let number: StackNumber
let ana: Phone
const DIGITS = '999550000001'

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  number = await stack.link(DIGITS)
  ana = stack.simulator.phone('5511945000001')
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

const published = (id: string) => number.next('message', event => event.message_id === id)

const poll: proto.Message.IPollCreationMessage = {
  name: 'Lunch?',
  options: [{ optionName: 'yes' }, { optionName: 'no' }],
  selectableOptionsCount: 1,
}
const pollBytes = proto.Message.PollCreationMessage.encode(poll).finish()
const wrapped = (message: proto.IMessage): Uint8Array => proto.Message.FutureProofMessage.encode({ message }).finish()

describe('Content that is newer than the library', () => {
  test.each([120, 121, 122, 124, 125, 128, 129, 400])('of field %i is published as type other', async field => {
    const { id } = await ana.sendTo(number.jid, { type: 'newer', field, body: Buffer.from('0a0161', 'hex') })
    expect(await published(id)).toMatchObject({ type: 'other', text: '', sender_jid: ana.jid })
  })

  test('is also published in a group and when it was requested again', async () => {
    const group = stack.simulator.group({ subject: 'G', owner: ana.digits, members: [DIGITS] })
    const content = { type: 'newer', field: 122, body: Buffer.from('0a0161', 'hex') } as const
    const { id } = await ana.sendTo(group.jid, content)
    expect(await published(id)).toMatchObject({ type: 'other', chat_jid: group.jid })
    stack.simulator.faults.tamper(number.jid)
    const again = await ana.sendTo(number.jid, content)
    expect(await published(again.id)).toMatchObject({ type: 'other' })
  })

  test('is a poll for version 6, and for a spoiler what it hides', async () => {
    const six = await ana.sendTo(number.jid, { type: 'newer', field: 119, body: pollBytes })
    expect(await published(six.id)).toMatchObject({
      type: 'poll',
      text: 'Lunch?',
      poll: { name: 'Lunch?', options: ['yes', 'no'], selectable_count: 1 },
    })
    const body = wrapped({ extendedTextMessage: { text: 'the butler' } })
    const spoiler = await ana.sendTo(number.jid, { type: 'newer', field: 118, body })
    expect(await published(spoiler.id)).toMatchObject({ type: 'text', text: 'the butler' })
  })

  test.each(['pollCreationMessage', 'pollCreationMessageV3', 'pollCreationMessageV5'] as const)(
    'is a poll for version 4 with %s inside',
    async name => {
      const message = { pollCreationMessageV4: { message: { [name]: poll } } }
      const { id } = await ana.sendTo(number.jid, { type: 'raw', message })
      expect(await published(id)).toMatchObject({ type: 'poll', poll: { options: ['yes', 'no'] } })
    },
  )

  test.each([100, 117])('of field %i, an envelope, is published with its text', async field => {
    const body = wrapped({ extendedTextMessage: { text: 'the words inside' } })
    const { id } = await ana.sendTo(number.jid, { type: 'newer', field, body })
    expect(await published(id)).toMatchObject({ type: 'text', text: 'the words inside' })
  })

  test.each([123, 127, 130])('of field %i, which only apps use, is counted and not published', async field => {
    const count = () => number.dropped('not_shown_newer')
    const before = await count()
    const { id } = await ana.sendTo(number.jid, { type: 'newer', field, body: Buffer.alloc(0) })
    await number.until(async () => (await count()) === before + 1)
    expect(number.events.some(event => event.kind === 'message' && event.message_id === id)).toBe(false)
  })
})

describe('Content whose field is not called a message', () => {
  test.each<[string, proto.IMessage]>([
    ['callLogMesssage', { callLogMesssage: { isVideo: true, callOutcome: 1 } }],
    ['eventCoverImage', { eventCoverImage: { message: { imageMessage: { caption: 'the hall' } } } }],
    ['messageHistoryNotice', { messageHistoryNotice: { contextInfo: {} } }],
    ['messageHistoryBundle', { messageHistoryBundle: { mimetype: 'application/octet-stream' } }],
  ])('is published as other: %s', async (_name, message) => {
    const { id } = await ana.sendTo(number.jid, { type: 'raw', message })
    expect(await published(id)).toMatchObject({ type: 'other', sender_jid: ana.jid })
  })
})

describe('An edited caption', () => {
  test.each(['image', 'video', 'document'] as const)(
    'of a file of type %s is published as the new text of that message, without a file',
    async type => {
      const first = await ana.sendTo(number.jid, { type, data: Buffer.from('x'), caption: 'frist', filename: 'a.pdf' })
      await published(first.id)
      for (const isPlain of [false, true]) {
        const { id } = await ana.edit(number.jid, first.id, 'first', { isPlain })
        const event = await published(id)
        expect(event).toMatchObject({ type, text: 'first', edited_message_id: first.id })
        expect(event).not.toHaveProperty('media')
      }
    },
  )
})

describe('A channel whose manager the platform does not name', () => {
  afterEach(() => {
    stack.simulator.network.onReceived = undefined
    stack.simulator.faults.silenceQueries(DIGITS, false)
  })

  test('has its posts published, and they wait for that answer once', async () => {
    const channel = stack.simulator.channel({ name: 'News', owner: ana.digits, followers: [DIGITS] })
    stack.simulator.faults.silenceQueries(DIGITS)
    const asked: BinaryNode[] = []
    stack.simulator.network.onReceived = (_device, stanza) =>
      void (stanza.attrs.xmlns === 'w:mex' && asked.push(stanza))
    for (const text of ['one', 'two', 'three']) {
      const post = await channel.post({ type: 'text', text })
      const event = await number.next('newsletter_message', each => each.message_id === post.id)
      expect(event).toMatchObject({ text })
    }
    expect(asked).toHaveLength(1)
  })
})

test('a number whose name is not known yet goes online, and keeps the name that its phone has', async () => {
  const mine = stack.simulator.phone(DIGITS)
  await number.until(() => {
    ana.typing(number.jid, 'composing')
    return number.events.some(({ kind }) => kind === 'typing')
  })
  expect(mine.name).toBe('Number 0001')
})
