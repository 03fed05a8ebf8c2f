import type { Phone } from '@postern/simulator/phone/phone'
import { proto } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { giveToken, type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'

/** Contents that a contact can send, and that must not harm the number. */

let rig: Rig
let number: Hosted
let mallory: Phone
let ana: Phone
const NUMBER = '999510000001'

beforeAll(async () => {
  rig = await startRig({ historySync: false })
  number = await rig.link(NUMBER)
  mallory = rig.simulator.phone('5511930000001')
  ana = rig.simulator.phone('5511930000002')
  for (const phone of [mallory, ana]) giveToken(rig, phone, number)
})
afterAll(() => rig.close())
beforeEach(() => {
  number.events.length = 0
  number.reasons.clear()
})

const unacknowledged = () => rig.simulator.numbers().find(({ jid }) => jid === number.jid)!.devices[0]!.unacknowledged

/** The innocent message behind it is published, everything is confirmed, and the link stayed open. */
async function expectUnharmed(): Promise<void> {
  const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'innocent' })
  await number.until(() => number.events.some(event => event.kind === 'message' && event.message_id === id))
  await number.until(() => unacknowledged() === 0)
  expect(number.links.map(({ state }) => state)).toEqual(['open'])
}

type Odd = [name: string, content: proto.IMessage, reason: string]
const ODD: Odd[] = [
  ['a reaction without key', { reactionMessage: { text: 'x' } }, 'reaction_to_nothing'],
  ['a reaction to a message without id', { reactionMessage: { key: {}, text: 'x' } }, 'reaction_to_nothing'],
  ['an empty vote', { pollUpdateMessage: {} }, 'vote_on_nothing'],
  ['a vote without poll', { pollUpdateMessage: { vote: { encPayload: Buffer.alloc(3) } } }, 'vote_on_nothing'],
  ['a revoke without key', { protocolMessage: { type: 0 } }, 'revoke_of_nothing'],
  ['an edit without key', { protocolMessage: { type: 14, editedMessage: { conversation: 'x' } } }, 'edit_of_nothing'],
  ['an event response without key', { encEventResponseMessage: {} }, 'not_shown_encEventResponseMessage'],
  ['a share of keys without keys', { protocolMessage: { type: 6 } }, 'protocol_app_state_sync_key_share'],
  ['a history without history', { protocolMessage: { type: 5 } }, 'history_sync'],
  ['hidden identifiers without any', { protocolMessage: { type: 22 } }, 'protocol_lid_migration_mapping_sync'],
]
const WRAPPED: Array<[string, (message: proto.IMessage) => proto.IMessage]> = [
  ['bare', message => message],
  ['ephemeral', message => ({ ephemeralMessage: { message } })],
  ['view once', message => ({ viewOnceMessage: { message } })],
  ['view once v2', message => ({ viewOnceMessageV2: { message } })],
  ['view once v2 extension', message => ({ viewOnceMessageV2Extension: { message } })],
  ['document with caption', message => ({ documentWithCaptionMessage: { message } })],
  ['edited', message => ({ editedMessage: { message } })],
  ['associated child', message => ({ associatedChildMessage: { message } })],
  ['group status', message => ({ groupStatusMessage: { message } })],
  ['group status v2', message => ({ groupStatusMessageV2: { message } })],
  ['device sent', message => ({ deviceSentMessage: { destinationJid: mallory.jid, message } })],
  ['twice', message => ({ ephemeralMessage: { message: { viewOnceMessage: { message } } } })],
]

describe('Content that refers to nothing', () => {
  for (const [name, content, reason] of ODD)
    test(`such as ${name} is counted in every envelope, and the link stays`, async () => {
      for (const [, wrap] of WRAPPED) await mallory.sendTo(number.jid, { type: 'raw', message: wrap(content) })
      await number.until(() => number.reasons.get(reason) === WRAPPED.length).catch(() => {})
      // The first message of a person also shows the names of that person.
      number.reasons.delete('person_learned')
      expect(Object.fromEntries(number.reasons)).toEqual({ [reason]: WRAPPED.length })
      await expectUnharmed()
    })

  test('is counted in a group as well', async () => {
    const group = rig.simulator.group({ subject: 'G', owner: mallory.digits, members: [NUMBER, ana.digits] })
    for (const [, content] of ODD) await mallory.sendTo(group.jid, { type: 'raw', message: content })
    const { id } = await ana.sendTo(group.jid, { type: 'text', text: 'in the group' })
    await number.until(() => number.events.some(event => event.kind === 'message' && event.message_id === id))
    number.reasons.delete('notification_w:gp2')
    expect([...number.reasons.values()].reduce((sum, n) => sum + n, 0)).toBe(ODD.length)
    await expectUnharmed()
  })
})

test('content that is not a message is stored as poison and confirmed', async () => {
  const broken: proto.IMessage = { conversation: 'broken on the wire' }
  const encode = proto.Message.encode
  proto.Message.encode = (message, writer) => {
    const written = encode(message, writer)
    return message === broken ? Object.assign(written, { finish: () => Buffer.from('0aff', 'hex') }) : written
  }
  const { id } = await mallory
    .sendTo(number.jid, { type: 'raw', message: broken })
    .finally(() => void (proto.Message.encode = encode))
  await number.until(() => number.reasons.get('poison') === 1)
  expect([...number.storage.inbox.values()].filter(({ poison }) => poison).map(({ key }) => key)).toEqual([
    expect.stringContaining(id),
  ])
  await expectUnharmed()
})

test('a group key that arrives in another chat is ignored', async () => {
  const forged = { groupId: '120363000000000001@g.us', axolotlSenderKeyDistributionMessage: Buffer.alloc(80, 3) }
  const before = number.storage.commits.length
  await mallory.sendTo(number.jid, { type: 'raw', message: { senderKeyDistributionMessage: forged } })
  await number.until(() => number.reasons.get('sender_key') === 1)
  const keys = number.storage.commits.slice(before).flatMap(({ keys: changes }) => changes ?? [])
  expect(keys.filter(({ category }) => category === 'sender-key')).toEqual([])
  await expectUnharmed()
})

test('a status that cannot be decrypted is not rejected, and is requested again', async () => {
  rig.simulator.faults.tamper(number.jid, 1)
  const { id } = await mallory.sendTo('status@broadcast', { type: 'text', text: 'my day' }, { audience: [number.jid] })
  await number.until(() => number.reasons.get('undecryptable') === 1)
  await number.until(() => number.events.some(event => event.kind === 'message' && event.message_id === id))
  await expectUnharmed()
})

test('a status that can never be decrypted does not block the stanzas behind it', async () => {
  rig.simulator.faults.tamper(number.jid, 100)
  await mallory.sendTo('status@broadcast', { type: 'text', text: 'my day' }, { audience: [number.jid] })
  await number.until(() => (number.reasons.get('undecryptable') ?? 0) >= 2)
  await number.until(() => unacknowledged() === 0)
})
