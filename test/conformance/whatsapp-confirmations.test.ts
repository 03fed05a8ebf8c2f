import { lidJid } from '@postern/simulator/jid'
import { userOf } from '@postern/simulator/people'
import type { Phone } from '@postern/simulator/phone/phone'
import { node } from '@postern/simulator/wire/node'
import { proto } from 'baileys'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePlatformId } from '../../src/domain/ids.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'
import { bytesField } from '../harness/wire-fuzz/proto-bytes.ts'
import { deviceOf, padded, say, sealed } from '../harness/wire-fuzz/wire.ts'

/** The server clears only stanzas that are confirmed in the exact shape, and ends the link over others. */

let rig: Rig
let number: Hosted
let ana: Phone
const NUMBER = '999540000001'
const CONFIRM_MS = 4_000

beforeAll(async () => {
  rig = await startRig({
    historySync: false,
    timing: { readDelayMs: Number.POSITIVE_INFINITY, confirmMs: CONFIRM_MS },
  })
  number = await rig.link(NUMBER)
  ana = rig.simulator.phone('5511960000001')
})
afterAll(() => rig.close())
beforeEach(() => {
  number.events.length = 0
  number.reasons.clear()
  number.links.length = 0
})
afterEach(() => {
  const { receiving } = rig.simulator.faults
  receiving.retagStatus(false)
  receiving.groupReceipts(false)
  receiving.takeOnlyAcks(NUMBER, false)
})

const waiting = () => deviceOf(rig.simulator.network, NUMBER).outbox.entries.size
const confirmed = () => rig.simulator.until(() => waiting() === 0)
const isPublished = (id: string) => number.events.some(event => event.kind === 'message' && event.message_id === id)

/** Everything is confirmed, and the link was not ended for it. */
async function expectConfirmed(): Promise<void> {
  await confirmed()
  expect(number.links).toEqual([])
}

describe('The gateway confirms', () => {
  test.each(['pn', 'lid'] as const)('a copy of what the number’s own phone wrote, by %s', async addressing => {
    const own = rig.simulator.phone(NUMBER)
    await own.sendTo(ana.jid, { type: 'text', text: 'from the phone' }, { addressing })
    await number.until(() => number.reasons.get('own_message') === 1)
    await expectConfirmed()
  })

  test.each(['s.whatsapp.net', 'lid'])('a message by another device of a person at %s to that device', async at => {
    const { network } = rig.simulator
    const sender = userOf(network, `55119600001${at.length}`)
    const wire = { network, device: deviceOf(network, NUMBER), sender, label: '' }
    const from = at === 'lid' ? lidJid(sender.lid, 7) : `${sender.digits}:7@${at}`
    const attrs = { from, id: `DEVICE7${at.length}`, t: String(Math.floor(Date.now() / 1000)), type: 'text' }
    say(wire, node('message', attrs, [sealed(wire, padded(bytesField(1, 'words')))]))
    await number.until(() => isPublished(attrs.id))
    await expectConfirmed()
  })

  test('a repeated message like the first', async () => {
    const own = rig.simulator.phone(NUMBER)
    const group = rig.simulator.group({ subject: 'G', owner: ana.digits, members: [NUMBER] })
    rig.simulator.faults.duplicate(number.jid, 2, 4)
    await ana.sendTo(number.jid, { type: 'text', text: 'twice' })
    await own.sendTo(ana.jid, { type: 'text', text: 'twice' })
    await ana.sendTo(group.jid, { type: 'text', text: 'twice' })
    await number.until(() => (number.reasons.get('redelivered') ?? 0) >= 2)
    await expectConfirmed()
  })

  test('a message that waited while the number was offline, which counts as delivered', async () => {
    // A phone that is on would confirm it itself.
    rig.simulator.phone(NUMBER).turnOff()
    rig.simulator.faults.cut(NUMBER, 60_000)
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'while away' })
    rig.simulator.faults.cut(NUMBER, 0)
    await number.until(() => isPublished(id))
    await rig.simulator.until(() => ana.tick(id, NUMBER) === 'delivered')
    await number.until(() => number.links.at(-1)?.state === 'open')
  })

  test('an unencrypted message of a person without believing it', async () => {
    const content = proto.Message.encode({ conversation: 'says the server' }).finish()
    const [id] = rig.simulator.faults.receiving.sendRareStanza(NUMBER, { kind: 'plaintext', from: ana.jid, content })
    await expectConfirmed()
    const next = await ana.sendTo(number.jid, { type: 'text', text: 'says Ana' })
    await number.until(() => isPublished(next.id))
    expect(isPublished(id!)).toBe(false)
  })
})

test('all waiting stanzas arrive, however many there are: the gateway requests batch after batch', async () => {
  const COUNT = 330
  rig.simulator.faults.cut(NUMBER, 60_000)
  const texts = Array.from({ length: COUNT }, (_, n) => ({ type: 'text', text: `${n}` }) as const)
  for (const text of texts) await ana.sendTo(number.jid, text)
  rig.simulator.faults.cut(NUMBER, 0)
  await number.until(() => number.events.length === COUNT)
  const published = number.events.map(event => (event.kind === 'message' ? event.text : ''))
  expect(published).toEqual(texts.map(({ text }) => text))
  await confirmed()
  const next = await ana.sendTo(number.jid, { type: 'text', text: 'and what follows' })
  await number.until(() => isPublished(next.id))
})

describe('An undocumented stanza', () => {
  test('such as the status of a channel is confirmed and counted', async () => {
    const channel = rig.simulator.channel({ name: 'C', owner: ana.digits, followers: [NUMBER] })
    await channel.postStatus({ type: 'text', text: 'today' })
    await number.until(() => number.reasons.get('unknown_status') === 1)
    await expectConfirmed()
  })

  test.each([
    ['appdata', 'unknown_appdata'],
    ['flurb', 'unknown_other'],
  ])('with the tag %s is confirmed and counted as %s', async (tag, reason) => {
    rig.simulator.faults.receiving.sendRareStanza(NUMBER, { kind: 'unknown_tag', tag, from: ana.jid })
    await number.until(() => number.reasons.get(reason) === 1)
    await expectConfirmed()
  })

  test('that brings data of the number’s own phone gets a receipt of its category', async () => {
    const before = number.reasons.get('unknown_appdata') ?? 0
    rig.simulator.faults.receiving.sendRareStanza(NUMBER, { kind: 'appdata' })
    await number.until(() => number.reasons.get('unknown_appdata') === before + 1)
    await expectConfirmed()
  })

  test('with a status post under another tag is published like any status post', async () => {
    rig.simulator.faults.receiving.retagStatus(true)
    const { id } = await ana.sendTo('status@broadcast', { type: 'text', text: 'my day' }, { audience: [NUMBER] })
    await number.until(() => isPublished(id))
    await expectConfirmed()
  })
})

describe('Combined receipts of a group', () => {
  test('are published for each person and message, and confirmed', async () => {
    const bob = rig.simulator.phone('5511960000002')
    const group = rig.simulator.group({ subject: 'G', owner: ana.digits, members: [NUMBER, bob.digits] })
    rig.simulator.faults.receiving.groupReceipts(true)
    const platformId = makePlatformId()
    await number.send(group.jid, text('to all'), { platformId })
    const held = await Promise.all([ana, bob].map(phone => rig.simulator.until(() => phone.message(platformId))))
    expect(held).toHaveLength(2)
    ana.read(platformId)
    const published = () =>
      number.receipts.flatMap(({ platformIds, recipientJid, type, chatNames }) =>
        platformIds.includes(platformId) && chatNames.includes(group.jid) ? [`${recipientJid} ${type}`] : [],
      )
    await number.until(() => published().length === 3)
    expect(published().sort()).toEqual([`${ana.jid} delivered`, `${ana.jid} read`, `${bob.jid} delivered`].sort())
    await expectConfirmed()
  })
})

describe('A link that the platform ends because of a stanza', () => {
  test('logs the stanza, and the gateway answers it in every way when it comes again', async () => {
    rig.simulator.faults.receiving.takeOnlyAcks(NUMBER, true)
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'owed' })
    await number.until(() => number.links.some(link => link.state === 'closed'))
    expect(number.links).toContainEqual(
      expect.objectContaining({ kind: 'lost', reason: `the platform lacks the confirmation of a message (${id})` }),
    )
    await number.until(() => number.links.at(-1)?.state === 'open')
    await confirmed()
    expect(number.events.filter(event => event.kind === 'message' && event.message_id === id)).toHaveLength(1)
  })
})
