import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** What people and channels write today, beyond what the library reads. */

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

const told = (id: string) => number.next('message', event => event.message_id === id)

describe('an edited caption', () => {
  test.each(['image', 'video', 'document'] as const)(
    'of a file of type %s is told as new text of that message, without a file',
    async type => {
      const first = await ana.sendTo(number.jid, { type, data: Buffer.from('x'), caption: 'frist', filename: 'a.pdf' })
      await told(first.id)
      for (const isPlain of [false, true]) {
        const { id } = await ana.edit(number.jid, first.id, 'first', { isPlain })
        const event = await told(id)
        expect(event).toMatchObject({ type, text: 'first', edited_message_id: first.id })
        expect(event).not.toHaveProperty('media')
      }
    },
  )
})

describe('a channel of which the platform does not say who manages it', () => {
  test('its posts are told, and wait for an answer once', async () => {
    const channel = stack.simulator.channel({ name: 'News', owner: ana.digits, followers: [DIGITS] })
    stack.simulator.faults.silenceQueries(DIGITS)
    const beganMs = performance.now()
    for (const text of ['one', 'two', 'three']) {
      const post = await channel.post({ type: 'text', text })
      const event = await number.next('newsletter_message', each => each.message_id === post.id)
      expect(event).toMatchObject({ text })
    }
    expect(performance.now() - beganMs).toBeLessThan(8_000)
    stack.simulator.faults.silenceQueries(DIGITS, false)
  })
})

test('a number whose name is not known yet goes online, and its name stays what its phone says', async () => {
  const mine = stack.simulator.phone(DIGITS)
  await number.until(() => {
    ana.typing(number.jid, 'composing')
    return number.events.some(({ kind }) => kind === 'typing')
  })
  expect(mine.name).toBe('Number 0001')
})
