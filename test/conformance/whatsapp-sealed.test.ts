import { randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { GroupHandle } from '@postern/simulator/handles'
import { type SecretUse, sealWithSecret, secretOf } from '@postern/simulator/phone/message-secret'
import type { Phone } from '@postern/simulator/phone/phone'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** Content that official apps encrypt under the secret of the message that it refers to. */

let stack: Stack
let number: StackNumber
let ana: Phone
let mallory: Phone
let group: GroupHandle
const NUMBER = '999530000002'
const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  number = await stack.link(NUMBER)
  ana = stack.simulator.phone('5511950000011')
  mallory = stack.simulator.phone('5511950000012')
  group = stack.simulator.group({ subject: 'G', owner: ana.digits, members: [NUMBER, mallory.digits] })
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

const written = async (who: Phone, chat: string): Promise<string> => {
  const { id } = await who.sendTo(chat, { type: 'text', text: 'first' })
  await number.next('message', event => event.message_id === id)
  return id
}
/** A message with a secret that the test knows. */
const withKnownSecret = async (who: Phone, chat: string): Promise<{ messageId: string; secret: Uint8Array }> => {
  const secret = randomBytes(32)
  const { id } = await raw(who, chat, { conversation: 'first', messageContextInfo: { messageSecret: secret } })
  await number.next('message', event => event.message_id === id)
  return { messageId: id, secret }
}

interface Sealing {
  secret: Uint8Array
  messageId: string
  author: string
  modifier: string
  use: SecretUse
}
const sealedEdit = (sealing: Sealing, editedId = sealing.messageId, fromMe = true): proto.IMessage => {
  const key = { id: editedId, fromMe, remoteJid: number.jid }
  const edit = { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage: { conversation: 'second' } } }
  const sealed = sealWithSecret(sealing, proto.Message.encode(edit).finish())
  const targetMessageKey = { id: sealing.messageId, fromMe, remoteJid: number.jid }
  return { secretEncryptedMessage: { targetMessageKey, secretEncType: 2, ...sealed } }
}
const raw = (who: Phone, chat: string, message: proto.IMessage) => who.sendTo(chat, { type: 'raw', message })

async function expectUnpublished(reason: string, send: () => Promise<{ id: string }>): Promise<void> {
  const before = await number.dropped(reason)
  const { id } = await send()
  await number.until(async () => (await number.dropped(reason)) === before + 1)
  expect(number.events.some(event => event.kind === 'message' && event.message_id === id)).toBe(false)
}

describe('An encrypted edit', () => {
  test.each([
    ['number', 'number', 'pn', 'pn'],
    ['hidden identifier', 'number', 'lid', 'pn'],
    ['number', 'hidden identifier', 'pn', 'lid'],
    ['hidden identifier', 'hidden identifier', 'lid', 'lid'],
  ] as const)(
    'by %s whose key names the author by %s is published',
    async (_stanza, _key, addressing, keyAddressing) => {
      const first = await written(ana, number.jid)
      const { id } = await ana.edit(number.jid, first, 'second', { addressing, keyAddressing })
      const event = await number.next('message', each => each.message_id === id)
      expect(event).toMatchObject({ type: 'text', text: 'second', edited_message_id: first, sender_jid: ana.jid })
    },
  )

  test('is published in a group, and so is an edit that an app did not encrypt', async () => {
    const first = await written(ana, group.jid)
    for (const isPlain of [false, true]) {
      const { id } = await ana.edit(group.jid, first, 'second', { isPlain })
      const event = await number.next('message', each => each.message_id === id)
      expect(event).toMatchObject({ text: 'second', edited_message_id: first, chat_jid: group.jid })
    }
  })

  test('of an event that has only the new event is published as an edit, too', async () => {
    const { secret, messageId } = await withKnownSecret(ana, number.jid)
    const sealing = { secret, messageId, author: ana.jid, modifier: ana.jid, use: 'Event Edit' } as const
    const event = { eventMessage: { name: 'Dinner', startTime: 1_900_000_000, isCanceled: true } }
    const sealed = sealWithSecret(sealing, proto.Message.encode(event).finish())
    const targetMessageKey = { id: messageId, fromMe: true, remoteJid: number.jid }
    const { id } = await raw(ana, number.jid, {
      secretEncryptedMessage: { targetMessageKey, secretEncType: 1, ...sealed },
    })
    expect(await number.next('message', each => each.message_id === id)).toMatchObject({
      type: 'other',
      text: 'Canceled\nDinner\n2030-03-17T17:46:40.000Z',
      edited_message_id: messageId,
    })
  })

  test('by another person is counted and not published, even if that person knows the secret', async () => {
    const sealing = { ...(await withKnownSecret(ana, group.jid)), use: 'Message Edit' } as const
    const asAna = { ...sealing, author: ana.jid, modifier: ana.jid }
    const asMallory = { ...sealing, author: ana.jid, modifier: mallory.jid }
    await expectUnpublished('sealed_unreadable', () => raw(mallory, group.jid, sealedEdit(asAna)))
    await expectUnpublished('edit_by_other', () => raw(mallory, group.jid, sealedEdit(asMallory)))
  })

  test('that names another message inside than outside, or an unknown one, is counted', async () => {
    const second = await written(ana, number.jid)
    const own = { author: ana.jid, modifier: ana.jid, use: 'Message Edit' } as const
    const sealing = { ...own, ...(await withKnownSecret(ana, number.jid)) }
    await expectUnpublished('sealed_about_other', () => raw(ana, number.jid, sealedEdit(sealing, second)))
    const unknown = { ...own, secret: randomBytes(32), messageId: 'UNKNOWN' }
    await expectUnpublished('sealed_about_unknown', () => raw(ana, number.jid, sealedEdit(unknown)))
  })

  test.each([
    ['nothing', {}],
    ['a short payload', { encPayload: randomBytes(3), encIv: randomBytes(12) }],
    ['a wrong nonce', { encPayload: randomBytes(40), encIv: Buffer.alloc(0) }],
    ['an unknown kind', { encPayload: randomBytes(40), encIv: randomBytes(12), secretEncType: 99 }],
  ])('with %s is counted, and the message behind it is published', async (_, parts) => {
    const first = await written(ana, number.jid)
    const targetMessageKey = { id: first, fromMe: true, remoteJid: number.jid }
    const secretEncryptedMessage = { targetMessageKey, secretEncType: 2, ...parts }
    await expectUnpublished('sealed_unreadable', () => raw(ana, number.jid, { secretEncryptedMessage }))
    await written(ana, number.jid)
  })
})

test('a message that is scheduled for later is published as other', async () => {
  const sealed = { encPayload: randomBytes(40), encIv: randomBytes(12) }
  const secretEncryptedMessage = {
    targetMessageKey: { id: 'LATER', remoteJid: number.jid },
    secretEncType: 3,
    ...sealed,
  }
  const { id } = await raw(ana, number.jid, { secretEncryptedMessage })
  expect(await number.next('message', event => event.message_id === id)).toMatchObject({ type: 'other', text: '' })
})

test('an edit of a message whose secret is inside its envelope is published', async () => {
  const secret = randomBytes(32)
  const message = { conversation: 'first', messageContextInfo: { messageSecret: secret } }
  const { id: messageId } = await raw(ana, number.jid, { ephemeralMessage: { message } })
  await number.next('message', event => event.message_id === messageId)
  const names = { author: ana.jid, modifier: ana.jid, use: 'Message Edit' } as const
  const { id } = await raw(ana, number.jid, sealedEdit({ ...names, secret, messageId }))
  const event = await number.next('message', each => each.message_id === id)
  expect(event).toMatchObject({ text: 'second', edited_message_id: messageId })
})

describe('Encrypted reactions and comments', () => {
  test('on one of our messages are published as such', async () => {
    const { platformId } = await number.sendAndSettle(group.jid, 'ours')
    const held = await stack.simulator.until(() => ana.message(platformId))
    const secret = secretOf(held.message)
    expect(secret).toHaveLength(32)
    const targetMessageKey = { id: platformId, fromMe: false, remoteJid: group.jid, participant: number.jid }
    const names = { secret: secret!, messageId: platformId, author: number.jid, modifier: ana.jid }
    const reaction = proto.Message.ReactionMessage.encode({ text: '🎉', senderTimestampMs: 1 }).finish()
    const encReactionMessage = { targetMessageKey, ...sealWithSecret({ ...names, use: 'Enc Reaction' }, reaction) }
    const reacted = await raw(ana, group.jid, { encReactionMessage })
    expect(await number.next('message', event => event.message_id === reacted.id)).toMatchObject({
      type: 'reaction',
      text: '🎉',
      reacted_message_id: platformId,
    })
    const comment = proto.Message.encode({ conversation: 'well said' }).finish()
    const encCommentMessage = { targetMessageKey, ...sealWithSecret({ ...names, use: 'Enc Comment' }, comment) }
    const commented = await raw(ana, group.jid, { encCommentMessage })
    expect(await number.next('message', event => event.message_id === commented.id)).toMatchObject({
      type: 'text',
      text: 'well said',
      quoted_message_id: platformId,
    })
  })
})
