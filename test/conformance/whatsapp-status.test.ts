import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { followUp } from '../../src/actions/follow-up.ts'
import type { Content } from '../../src/domain/message.ts'
import type { SentHandle } from '../harness/hosting.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** Status posts, which name people only by hidden identifier. */

let stack: Stack
let number: StackNumber
let ana: Phone
let bob: Phone
const DIGITS = '999570000001'
const COMPUTER = 12
const STATUS = 'status@broadcast'

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  number = await stack.link(DIGITS)
  ana = stack.simulator.phone('5511947000001')
  bob = stack.simulator.phone('5511947000002')
  await number.sendAndSettle(ana.jid, 'hello')
  await number.sendAndSettle(bob.jid, 'hello')
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

/** Acknowledged; the first reader may have confirmed it meanwhile. */
const taken = async (handle: SentHandle) =>
  expect(['sent', 'delivered']).toContain((await number.message(handle)).state)
const posted = async (text: string): Promise<string> => {
  const handle = await number.sendAndSettle(STATUS, text)
  await taken(handle)
  return handle.platformId
}
const reads = (phone: Phone, id: string) => stack.simulator.until(() => phone.message(id))

test('a post is accepted, and every contact whom the number has written to reads it', async () => {
  for (const text of ['my day', 'my evening']) {
    const id = await posted(text)
    for (const phone of [ana, bob]) expect(await reads(phone, id)).toMatchObject({ chat: STATUS, copies: 1 })
  }
})

test('a contact who is written to later reads the next post', async () => {
  const carl = stack.simulator.phone('5511947000003')
  await number.sendAndSettle(carl.jid, 'hello')
  const id = await posted('my night')
  for (const phone of [ana, bob, carl]) await reads(phone, id)
})

test('a contact’s other devices and the number’s own phone read the post, and a dead device delays no other', async () => {
  bob.loseDevice(COMPUTER)
  const id = await posted('my morning')
  await stack.simulator.until(() => ana.hasRead(id, 0) && ana.hasRead(id, COMPUTER) && bob.hasRead(id, 0))
  await reads(stack.simulator.phone(DIGITS), id)
  bob.findDevice(COMPUTER)
})

test('a contact with another phone reads the next post', async () => {
  await reads(ana, await posted('on the old phone'))
  ana.change()
  for (const text of ['on the new phone', 'and again']) await reads(ana, await posted(text))
})

test('a contact without a known number reads a post; a contact without a hidden identifier is left out and counted', async () => {
  const [hidden, unhidden] = [stack.simulator.phone('5511947000461'), stack.simulator.phone('5511947000462')]
  await number.sendAndSettle(hidden.lid, 'hello')
  await number.sendAndSettle(unhidden.jid, 'hello')
  const id = await posted('for those who can be named')
  await reads(hidden, id)
  expect(unhidden.message(id)).toBeUndefined()
  expect(await number.dropped('status_reader_without_lid')).toBe(1)
})

test('a phone that cannot read a post gets it once more, alone', async () => {
  stack.simulator.faults.makeUnreadable(ana.digits)
  const id = await posted('hard to read')
  expect(await reads(ana, id)).toMatchObject({ copies: 1 })
  expect(await reads(bob, id)).toMatchObject({ copies: 1 })
})

test('a revoke of a post is accepted, and reaches every contact who has it', async () => {
  const sent = await number.sendAndSettle(STATUS, 'a slip')
  for (const phone of [ana, bob]) await reads(phone, sent.platformId)
  await followUp(stack.bed.context, await number.message(sent), { kind: 'revoke' })
  const revoked = (phone: Phone) =>
    phone.inbox(STATUS).find(({ message }) => message.protocolMessage?.key?.id === sent.platformId)
  for (const phone of [ana, bob]) await stack.simulator.until(() => revoked(phone))
})

test('a reaction to a contact’s post is accepted, and reaches only that contact', async () => {
  const { id } = await ana.sendTo(STATUS, { type: 'text', text: 'her day' }, { audience: [DIGITS] })
  await number.next('message', event => event.message_id === id)
  const reaction: Content = { type: 'reaction', reactedMessageId: id, reactedParticipant: null, emoji: '🎉' }
  const sent = await number.sendAndSettle(STATUS, reaction)
  await taken(sent)
  expect((await reads(ana, sent.platformId)).message.reactionMessage).toMatchObject({ text: '🎉', key: { id } })
  expect(bob.message(sent.platformId)).toBeUndefined()
})

test('a post is accepted also if the platform acknowledges it as a status instead of a message', async () => {
  const { receiving } = stack.simulator.faults
  // A receipt would prove the same.
  for (const { digits } of stack.simulator.phones()) receiving.loseReceipts(digits, true)
  receiving.retagStatus(true)
  const handle = await number.sendAndSettle(STATUS, 'my tomorrow')
  expect((await number.message(handle)).state).toBe('sent')
  receiving.retagStatus(false)
})
