import { userOf } from '@postern/simulator/people'
import type { Phone } from '@postern/simulator/phone/phone'
import { node } from '@postern/simulator/wire/node'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'
import { deviceOf, say, type Wire } from '../harness/wire-fuzz/wire.ts'

/** Forms of receipts that the platform uses and the library does not know. */

const DIGITS = '999591000001'

let stack: Stack
let number: StackNumber
let made = 0

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  number = await stack.link(DIGITS)
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

const person = (): Phone => stack.simulator.phone(`55119591${String(10_000 + ++made)}`)
const wireOf = (sender: Phone): Wire => {
  const { network } = stack.simulator
  return { network, device: deviceOf(network, DIGITS), sender: userOf(network, sender.digits), label: 'a receipt' }
}
const t = (): string => String(Math.floor(Date.now() / 1000))
const receiptsOf = (platformId: string): string[] =>
  number.events.flatMap(event =>
    event.kind === 'receipt' && event.messenger_message_id === platformId
      ? [`${event.recipient_jid} ${event.receipt_type}`]
      : [],
  )
const unacknowledged = () => stack.simulator.numbers().find(({ jid }) => jid === number.jid)?.devices[0]?.unacknowledged

describe('A receipt', () => {
  test.each(['inactive', 'delivery'])('of type %s means that the message was delivered', async type => {
    const ana = person()
    stack.simulator.faults.receiving.loseReceipts(ana.digits, true)
    const { platformId } = await number.sendAndSettle(ana.jid, 'hello')
    say(wireOf(ana), node('receipt', { from: ana.lid, id: platformId, type, t: t() }))
    await number.until(() => receiptsOf(platformId).length === 1)
    expect(receiptsOf(platformId)).toEqual([`${ana.jid} delivered`])
  })

  test('with the error feature-incapable is counted, and the message is not delivered', async () => {
    const ana = person()
    stack.simulator.faults.receiving.loseReceipts(ana.digits, true)
    const sent = await number.sendAndSettle(ana.jid, 'hello')
    const before = await number.dropped('receipt_of_failure')
    const error = node('error', { type: 'feature-incapable', reason: 'lid' })
    say(wireOf(ana), node('receipt', { from: ana.lid, id: sent.platformId, t: t() }, [error]))
    await number.until(async () => (await number.dropped('receipt_of_failure')) > before)
    expect((await number.message(sent)).state).toBe('sent')
    expect(receiptsOf(sent.platformId)).toEqual([])
  })

  test('under a hidden identifier that the number has not seen yet counts if the platform adds its number', async () => {
    const ana = person()
    stack.simulator.faults.receiving.loseReceipts(ana.digits, true)
    const { platformId } = await number.sendAndSettle(ana.jid, 'hello')
    const from = '299999999999999@lid'
    const before = await number.dropped('receipt_of_other')
    say(wireOf(ana), node('receipt', { from, id: platformId, type: 'read', t: t() }))
    await number.until(async () => (await number.dropped('receipt_of_other')) > before)
    say(wireOf(ana), node('receipt', { from, sender_pn: ana.jid, id: platformId, type: 'played', t: t() }))
    await number.until(() => receiptsOf(platformId).length === 2)
    expect(receiptsOf(platformId)).toEqual([`${ana.jid} delivered`, `${ana.jid} played`])
  })
})

describe('Receipts of a status post', () => {
  test('in the form of the platform are published for each person, and confirmed', async () => {
    const [ana, ben] = [person(), person()]
    for (const { jid } of [ana, ben]) await number.sendAndSettle(jid, 'hello')
    const { platformId } = await number.sendAndSettle('status@broadcast', 'my day')
    await number.until(() => receiptsOf(platformId).length === 2)
    ana.read(platformId)
    await number.until(() => receiptsOf(platformId).length === 3)
    expect(receiptsOf(platformId).sort()).toEqual(
      [`${ana.jid} delivered`, `${ana.jid} read`, `${ben.jid} delivered`].sort(),
    )
    await stack.simulator.until(() => unacknowledged() === 0)
  })
})
