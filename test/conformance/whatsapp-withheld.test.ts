import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'
import { deviceOf } from '../harness/wire-fuzz/wire.ts'

/** Messages that the platform replaces by a stub. */

let rig: Rig
let number: Hosted
let ana: Phone
const NUMBER = '999550000001'
const DAY_S = 86_400

beforeAll(async () => {
  rig = await startRig({ historySync: false })
  number = await rig.link(NUMBER)
  ana = rig.simulator.phone('5511970000001')
})
afterAll(() => rig.close())
beforeEach(() => {
  number.events.length = 0
  number.reasons.clear()
})

const confirmed = () => rig.simulator.until(() => deviceOf(rig.simulator.network, NUMBER).outbox.entries.size === 0)
const asked = () => rig.simulator.phone(NUMBER).askedFor()
const published = (id: string) =>
  number.until(() => number.events.find(event => event.kind === 'message' && event.message_id === id))

test('a view-once message that only the phone may open is published as other, without content, and not requested again', async () => {
  const group = rig.simulator.group({ subject: 'G', owner: ana.digits, members: [NUMBER] })
  const once = { type: 'text', text: 'only once' } as const
  const direct = await ana.sendTo(number.jid, once, { withheld: 'view_once' })
  const inGroup = await ana.sendTo(group.jid, once, { withheld: 'view_once' })
  expect(await published(direct.id)).toMatchObject({ type: 'other', text: '', sender_jid: ana.jid, is_group: false })
  expect(await published(inGroup.id)).toMatchObject({ type: 'other', text: '', chat_jid: group.jid, is_group: true })
  await confirmed()
  expect(asked()).not.toContain(direct.id)
})

test('a message that the platform withholds for now is requested from the phone, and published when it arrives', async () => {
  const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'from an advertisement' }, { withheld: 'plain' })
  await confirmed()
  expect(await published(id)).toMatchObject({ type: 'text', text: 'from an advertisement', sender_jid: ana.jid })
  expect(asked()).toContain(id)
})

test('a message of a hosted device or a bot, and one older than 14 days, is confirmed and counted, not requested', async () => {
  const text = { type: 'text', text: 'not for devices' } as const
  const timestamp = Math.floor(Date.now() / 1000) - 15 * DAY_S
  const sent = [
    await ana.sendTo(number.jid, text, { withheld: 'hosted' }),
    await ana.sendTo(number.jid, text, { withheld: 'bot' }),
    await ana.sendTo(number.jid, text, { withheld: 'plain', timestamp }),
  ]
  await confirmed()
  await number.until(() => number.reasons.get('withheld_hosted') === 1 && number.reasons.get('withheld_bot') === 1)
  const later = await ana.sendTo(number.jid, text, { withheld: 'plain' })
  await published(later.id)
  expect(asked()).toContain(later.id)
  for (const { id } of sent) expect(asked()).not.toContain(id)
  expect(number.events).toEqual([expect.objectContaining({ message_id: later.id })])
})

test('a message that cannot be decrypted and is not sent again is requested from the phone, and published once', async () => {
  rig.simulator.faults.receiving.ignoreRetries(ana.digits, true)
  rig.simulator.faults.tamper(NUMBER)
  const words = { type: 'text', text: 'never readable' } as const
  const { id } = await ana.sendTo(number.jid, words, { addressing: 'lid' })
  expect(await published(id)).toMatchObject({ type: 'text', text: 'never readable', sender_jid: ana.jid })
  await ana.sendTo(number.jid, words, { addressing: 'lid', id })
  await number.until(() => number.reasons.get('redelivered') === 1)
  expect(number.events).toHaveLength(1)
})
