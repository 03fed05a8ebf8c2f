import type { GroupHandle } from '@postern/simulator/handles'
import type { Phone } from '@postern/simulator/phone/phone'
import type { SendOptions } from '@postern/simulator/phone/writing'
import { proto } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Content } from '../../src/domain/message.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** Claims of people about messages of others, and the readers of the number's status posts. */

let stack: Stack
let number: StackNumber
let ana: Phone
let mallory: Phone
let group: GroupHandle
const NUMBER = '999530000001'
const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  number = await stack.link(NUMBER)
  ana = stack.simulator.phone('5511950000001')
  mallory = stack.simulator.phone('5511950000002')
  group = stack.simulator.group({ subject: 'G', owner: ana.digits, members: [NUMBER, mallory.digits] })
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

const poll: Content = { type: 'poll', name: 'Q?', options: ['a', 'b'], selectableCount: 1 }

/** Sends an edit or revoke of this message from a phone, for any author. */
const change = (who: Phone, chat: string, key: proto.IMessageKey, type: number, options: SendOptions = {}) => {
  const protocolMessage = { type, key, ...(type === MESSAGE_EDIT && { editedMessage: { conversation: 'forged' } }) }
  const edit = type === MESSAGE_EDIT ? '1' : '7'
  return who.sendTo(chat, { type: 'raw', message: { protocolMessage } }, { edit, ...options })
}
const isPublished = (id: string) => number.events.some(event => event.kind === 'message' && event.message_id === id)

/** Expects that the stanza is counted under this reason without an event, and that the next one has an event. */
async function expectUnpublished(reason: string, send: () => Promise<{ id: string }>): Promise<void> {
  const before = await number.dropped(reason)
  const { id } = await send()
  await number.until(async () => (await number.dropped(reason)) === before + 1)
  expect(isPublished(id)).toBe(false)
}

const received = async (who: Phone, chat: string) => {
  const { id } = await who.sendTo(chat, { type: 'text', text: 'original' })
  await number.next('message', event => event.message_id === id)
  return id
}

describe('An id that was used in another chat', () => {
  test('does not prevent a vote from finding its poll', async () => {
    const { platformId } = await number.sendAndSettle(ana.jid, poll)
    await stack.simulator.until(() => ana.message(platformId))
    for (const other of [mallory, stack.simulator.phone('15500000001')])
      await other.sendTo(number.jid, { type: 'text', text: 'mine' }, { id: platformId })
    await number.until(() => number.events.filter(event => event.kind === 'message').length === 2)
    await ana.vote(number.jid, platformId, ['a'])
    const vote = await number.next('poll_vote')
    expect(vote).toMatchObject({ poll_message_id: platformId, voter_jid: ana.jid })
    expect(vote.selected_hashes).toHaveLength(1)
  })

  test('does not redirect a reaction to one of our messages', async () => {
    const { platformId } = await number.sendAndSettle(ana.jid, 'ours')
    await stack.simulator.until(() => ana.message(platformId))
    await ana.sendTo(number.jid, { type: 'text', text: 'mine' }, { id: platformId })
    await number.next('message', event => event.message_id === platformId)
    const reaction = { type: 'reaction', emoji: 'x', reactedMessageId: platformId, reactedParticipant: null } as const
    const { platformId: id } = await number.sendAndSettle(ana.jid, reaction)
    const held = await stack.simulator.until(() => ana.message(id))
    expect(held.message.reactionMessage?.key).toMatchObject({ id: platformId, fromMe: true })
  })
})

describe('Edits and revokes', () => {
  for (const [type, name] of [
    [MESSAGE_EDIT, 'edit'],
    [REVOKE, 'revoke'],
  ] as const) {
    test(`${name} of another member’s message in a group is counted, not published`, async () => {
      const id = await received(ana, group.jid)
      const keys = [
        { id, fromMe: true },
        { id, fromMe: false, participant: ana.jid },
        { id, participant: mallory.jid },
      ]
      for (const key of keys)
        await expectUnpublished(`${name}_by_other`, () =>
          change(mallory, group.jid, { remoteJid: group.jid, ...key }, type),
        )
    })

    test(`${name} of one of our messages is counted, not published`, async () => {
      const { platformId: id } = await number.sendAndSettle(mallory.jid, 'ours')
      await expectUnpublished(`${name}_by_other`, () => change(mallory, number.jid, { id, fromMe: true }, type))
      await expectUnpublished(`${name}_by_other`, () => change(mallory, number.jid, { id, fromMe: false }, type))
    })

    test(`${name} of a message of another chat is counted, not published`, async () => {
      const id = await received(ana, number.jid)
      await expectUnpublished(`${name}_by_other`, () => change(mallory, number.jid, { id, fromMe: true }, type))
      await expectUnpublished(`${name}_by_other`, () => change(mallory, group.jid, { id, fromMe: true }, type))
    })

    test(`${name} of a message that was never seen is published if its key names the sender`, async () => {
      const unseen = (key: proto.IMessageKey, chat = number.jid) =>
        change(mallory, chat, { id: `UNSEEN${Math.random()}`, ...key }, type)
      for (const sent of [
        await unseen({ fromMe: true }),
        await unseen({ fromMe: true }, group.jid),
        await unseen({ participant: mallory.jid }, group.jid),
      ])
        await number.until(() => isPublished(sent.id))
      await expectUnpublished(`${name}_by_other`, () => unseen({ fromMe: false }))
      await expectUnpublished(`${name}_by_other`, () => unseen({ participant: ana.jid }, group.jid))
    })

    test(`${name} by the author is published, under each of the author’s names`, async () => {
      const first = await received(ana, number.jid)
      const { id } = await change(ana, number.jid, { id: first, fromMe: true }, type, { addressing: 'lid' })
      const event = await number.next('message', one => one.message_id === id)
      expect(event).toMatchObject(type === REVOKE ? { revoked_message_id: first } : { edited_message_id: first })
    })
  }

  test('revoke by a group admin of another member’s message is published; by a member who only claims to be admin it is not', async () => {
    const key = async (who: Phone) => ({ id: await received(who, group.jid), fromMe: false, participant: who.jid })
    const byAdmin = await change(ana, group.jid, await key(mallory), REVOKE, { edit: '8' })
    await number.next('message', event => event.message_id === byAdmin.id)
    const ofAna = await key(ana)
    await expectUnpublished('revoke_by_other', () => change(mallory, group.jid, ofAna, REVOKE, { edit: '8' }))
    const ours = await number.sendAndSettle(group.jid, 'ours')
    const ofOurs = { id: ours.platformId, fromMe: false, participant: number.jid }
    const { id } = await change(ana, group.jid, ofOurs, REVOKE, { edit: '8' })
    await number.next('message', event => event.message_id === id)
    await expectUnpublished('edit_by_other', () => change(ana, group.jid, ofOurs, MESSAGE_EDIT, { edit: '8' }))
  })
})

test('a contact who wrote to the number sees its status posts only after the number has replied', async () => {
  const stranger = stack.simulator.phone('5511950000003')
  const friend = stack.simulator.phone('5511950000004')
  await received(stranger, number.jid)
  await received(friend, number.jid)
  await number.sendAndSettle(friend.jid, 'hello')
  const first = await number.sendAndSettle('status@broadcast', 'my day')
  await stack.simulator.until(() => friend.message(first.platformId))
  expect(stranger.message(first.platformId)).toBeUndefined()
  await number.sendAndSettle(stranger.jid, 'hello')
  const second = await number.sendAndSettle('status@broadcast', 'my evening')
  await stack.simulator.until(() => stranger.message(second.platformId))
})
