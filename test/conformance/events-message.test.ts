import type { GroupHandle } from '@postern/simulator/handles'
import type { Content } from '@postern/simulator/phone/content'
import type { Phone } from '@postern/simulator/phone/phone'
import type { SendOptions } from '@postern/simulator/phone/writing'
import { proto } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

let stack: Stack
let number: StackNumber
let ana: Phone
let group: GroupHandle
let hiddenGroup: GroupHandle

beforeAll(async () => {
  stack = await startStack()
  number = await stack.link('999300000001')
  ana = stack.simulator.phone('5511900000001')
  ana.name = 'Ana'
  group = stack.simulator.group({ subject: 'Plain', owner: ana.digits, members: ['999300000001'], addressing: 'pn' })
  hiddenGroup = stack.simulator.group({
    subject: 'Hidden',
    owner: ana.digits,
    members: ['999300000001', '5511900000002'],
    addressing: 'lid',
  })
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

const incoming = async (content: Content, options?: SendOptions, to = number.jid, from = ana) => {
  const { id } = await from.sendTo(to, content, options)
  return await number.next('message', event => event.message_id === id)
}

describe('Kind message', () => {
  test('a direct text has every field', async () => {
    const sentAt = Math.floor(Date.now() / 1000)
    const event = await incoming({ type: 'text', text: 'Olá' }, { timestamp: sentAt, id: '3EB0DIRECT01' })
    expect(event).toEqual({
      kind: 'message',
      message_id: '3EB0DIRECT01',
      session_id: '999300000001@s.whatsapp.net',
      sender_jid: '5511900000001@s.whatsapp.net',
      sender_phone: '5511900000001@s.whatsapp.net',
      sender_name: 'Ana',
      chat_jid: '5511900000001@s.whatsapp.net',
      is_group: false,
      broadcast: false,
      type: 'text',
      text: 'Olá',
      timestamp_unix: sentAt,
    })
  })

  test('sender_name is empty when not supplied', async () => {
    const event = await incoming({ type: 'text', text: 'x' }, {}, number.jid, stack.simulator.phone('5511900000077'))
    expect(event.sender_name).toBe('')
  })

  test('chat_jid equals sender_jid for direct chats, even if the platform names the sender by a hidden identifier', async () => {
    const event = await incoming({ type: 'text', text: 'x' }, { addressing: 'lid' })
    expect(event).toMatchObject({ sender_jid: ana.jid, chat_jid: ana.jid, sender_phone: ana.jid })
  })

  test('in a group message chat_jid differs from sender_jid, and is_group is true', async () => {
    const event = await incoming({ type: 'text', text: 'to all' }, {}, group.jid)
    expect(event).toMatchObject({ chat_jid: group.jid, sender_jid: ana.jid, is_group: true, broadcast: false })
  })

  test('in groups the sender may be an @lid JID; the real phone is in sender_phone', async () => {
    const event = await incoming({ type: 'text', text: 'to all' }, {}, hiddenGroup.jid)
    expect(event).toMatchObject({ chat_jid: hiddenGroup.jid, sender_jid: ana.lid, sender_phone: ana.jid })
  })

  test('sender_phone is absent when the number is not available', async () => {
    const shy = stack.simulator.phone('5511900000066')
    const secret = stack.simulator.group({
      subject: 'Secret',
      owner: ana.digits,
      members: ['999300000001', shy.digits],
      hidden: [shy.digits],
      addressing: 'lid',
    })
    const event = await incoming({ type: 'text', text: 'who am I' }, {}, secret.jid, shy)
    expect(event).toMatchObject({ sender_jid: shy.lid })
    expect('sender_phone' in event).toBe(false)
  })

  test('broadcast is true for a Status post', async () => {
    const event = await incoming({ type: 'text', text: 'my day' }, {}, 'status@broadcast')
    expect(event).toMatchObject({
      broadcast: true,
      is_group: false,
      chat_jid: 'status@broadcast',
      sender_jid: ana.jid,
      sender_phone: ana.jid,
    })
  })

  test('a message sent to a broadcast list is a direct message of its sender', async () => {
    const event = await incoming({ type: 'text', text: 'to many' }, { audience: [number.jid] }, '1700000001@broadcast')
    expect(event).toMatchObject({ broadcast: false, is_group: false, chat_jid: ana.jid, sender_jid: ana.jid })
  })

  test('a disappearing message is a message', async () => {
    const event = await incoming({ type: 'text', text: 'gone soon' }, { ephemeralSeconds: 86_400 })
    expect(event).toMatchObject({ type: 'text', text: 'gone soon' })
  })

  test('a location has latitude, longitude, name and address', async () => {
    const place = { latitude: -23.55, longitude: -46.63, name: 'Sé', address: 'Praça da Sé' }
    expect(await incoming({ type: 'location', ...place })).toMatchObject({
      type: 'location',
      text: '',
      location: place,
    })
  })

  test('a location has name and address only if included', async () => {
    const { location } = await incoming({ type: 'location', latitude: 1.5, longitude: 2.5 })
    expect(location).toEqual({ latitude: 1.5, longitude: 2.5 })
  })

  test('a live location is a location', async () => {
    const event = await incoming({ type: 'live_location', latitude: 3, longitude: 4 })
    expect(event).toMatchObject({ type: 'location', location: { latitude: 3, longitude: 4 } })
  })

  test.each([1, 0, 2])(
    'a poll with selectable_count %i has its question and its options in plain text',
    async selectableCount => {
      const event = await incoming({ type: 'poll', name: 'Lunch?', options: ['Pizza', 'Soup'], selectableCount })
      expect(event).toMatchObject({
        type: 'poll',
        text: 'Lunch?',
        poll: { name: 'Lunch?', options: ['Pizza', 'Soup'], selectable_count: selectableCount },
      })
    },
  )

  test.each(['buttons', 'template', 'list'] as const)('an answer of style %s is a button_response', async style => {
    const event = await incoming({ type: 'button_response', style, id: 'yes-1', text: 'Yes' })
    expect(event).toMatchObject({ type: 'button_response', text: 'Yes' })
    expect(event.button_response).toEqual({ selected_id: 'yes-1', selected_text: 'Yes' })
  })

  test('button_response of a native flow carries its raw payload', async () => {
    const paramsJson = '{"id":"row-7","description":"Big"}'
    const event = await incoming({
      type: 'button_response',
      style: 'native_flow',
      id: 'row-7',
      text: 'Seven',
      paramsJson,
    })
    expect(event).toMatchObject({ type: 'button_response', text: 'Seven' })
    expect(event.button_response).toEqual({ selected_id: 'row-7', selected_text: 'Seven', params_json: paramsJson })
  })

  test('contacts have no type of their own and are other, with names and numbers as text', async () => {
    const contacts = [{ name: 'Bob', phone: '5511900000003' }]
    expect(await incoming({ type: 'contacts', contacts })).toMatchObject({ type: 'other', text: 'Bob\n+5511900000003' })
  })

  test('a reply has quoted id, participant and text', async () => {
    const question = { id: '3EB0QUESTION', chat: number.jid, participant: number.jid, text: 'How many?' }
    expect(await incoming({ type: 'text', text: 'Two' }, { quoted: question })).toMatchObject({
      text: 'Two',
      quoted_message_id: '3EB0QUESTION',
      quoted_participant: number.jid,
      quoted_text: 'How many?',
    })
  })

  test('a reply to media has an empty quoted_text', async () => {
    const message = { imageMessage: { caption: 'a caption is not text', mimetype: 'image/jpeg' } }
    const quoted = { id: '3EB0PICTURE', chat: number.jid, participant: number.jid, message }
    expect(await incoming({ type: 'text', text: 'nice' }, { quoted })).toMatchObject({
      quoted_message_id: '3EB0PICTURE',
      quoted_text: '',
    })
  })

  test('a message that is not a reply has no quoted fields', async () => {
    const event = await incoming({ type: 'text', text: 'alone' })
    expect(Object.keys(event).filter(name => name.startsWith('quoted'))).toEqual([])
  })

  test('a reaction has an emoji and the id of its message; an empty emoji means removed', async () => {
    const { platformId } = await number.sendAndSettle(ana.jid, 'react to me')
    await stack.simulator.until(() => ana.message(platformId))
    await ana.react(number.jid, platformId, '👍')
    const added = await number.next('message')
    expect(added).toMatchObject({ type: 'reaction', text: '👍', reacted_message_id: platformId })
    number.forget()
    await ana.react(number.jid, platformId, '')
    expect(await number.next('message')).toMatchObject({ type: 'reaction', text: '', reacted_message_id: platformId })
  })

  test('an edit is a message with its own id and edited_message_id', async () => {
    const first = await incoming({ type: 'text', text: 'tpyo' })
    const { id } = await ana.edit(number.jid, first.message_id, 'typo')
    const event = await number.next('message', one => one.message_id === id)
    expect(event).toMatchObject({ type: 'text', text: 'typo', edited_message_id: first.message_id })
  })

  test('a revoke is of type other with revoked_message_id', async () => {
    const first = await incoming({ type: 'text', text: 'oops' })
    const { id } = await ana.revoke(number.jid, first.message_id)
    const event = await number.next('message', one => one.message_id === id)
    expect(event).toMatchObject({ type: 'other', text: '', revoked_message_id: first.message_id })
  })

  test('a video note is a video, and an animated sticker is a sticker', async () => {
    const part = { mimetype: 'video/mp4', fileLength: 10 }
    const note = await incoming({ type: 'raw', message: { ptvMessage: part } })
    expect(note).toMatchObject({ type: 'video', text: '' })
    const sticker = { stickerMessage: { mimetype: 'application/was', fileLength: 10 } }
    const moving = await incoming({ type: 'raw', message: { lottieStickerMessage: { message: sticker } } })
    expect(moving).toMatchObject({ type: 'sticker', text: '' })
  })

  test('a poll that hides its voters is a poll', async () => {
    const options = [{ optionName: 'a' }, { optionName: 'b' }]
    const pollCreationMessage = { name: 'Who?', options, selectableOptionsCount: 1 }
    const message = { pollCreationMessageV4: { message: { pollCreationMessage } } }
    expect(await incoming({ type: 'raw', message })).toMatchObject({
      type: 'poll',
      text: 'Who?',
      poll: { name: 'Who?', options: ['a', 'b'], selectable_count: 1 },
    })
  })

  test('an empty text is published as an empty text', async () => {
    expect(await incoming({ type: 'text', text: '' })).toMatchObject({ type: 'text', text: '' })
  })

  test('a text of any script and length arrives unchanged', async () => {
    const words = `${'é 世界 👩‍👩‍👧 \u200f '.repeat(2_000)}end`
    expect(await incoming({ type: 'text', text: words })).toMatchObject({ type: 'text', text: words })
  })

  test('a reply in a group names the quoted member', async () => {
    const ben = stack.simulator.phone('5511900000002')
    const quoted = { id: '3EB0GROUPQ', chat: hiddenGroup.jid, participant: ben.lid, text: 'who comes?' }
    const event = await incoming({ type: 'text', text: 'me' }, { quoted }, hiddenGroup.jid)
    expect(event).toMatchObject({ quoted_message_id: '3EB0GROUPQ', quoted_text: 'who comes?' })
    expect([ben.jid, ben.lid]).toContain(event.quoted_participant)
  })

  test('the same message id in two chats is two events', async () => {
    const id = '3EB0SAMEID01'
    await incoming({ type: 'text', text: 'direct' }, { id })
    await ana.sendTo(group.jid, { type: 'text', text: 'in the group' }, { id })
    await number.until(() => number.events.filter(event => event.kind === 'message' && event.message_id === id)[1])
  })
})

describe('Not published as an event, but counted,', () => {
  const counted = async (reason: string, cause: () => Promise<unknown>) => {
    const before = await number.dropped(reason)
    await cause()
    await number.until(async () => (await number.dropped(reason)) > before)
    expect(number.events).toEqual([])
  }

  test('are messages sent from the number’s own phone', async () => {
    const own = stack.simulator.phone(number.jid)
    await counted('own_message', () => own.sendTo(ana.jid, { type: 'text', text: 'from my own phone' }))
  })

  test('are protocol messages', async () => {
    const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type
    const message = { protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration: 86_400 } }
    await counted('protocol_ephemeral_setting', () => ana.sendTo(number.jid, { type: 'raw', message }))
  })

  test('is history sync', async () => {
    await counted('history_sync', () => stack.link('999300000002'))
  })

  test('is a pin or keep of a message by a phone', async () => {
    const key = { remoteJid: number.jid, id: '3EB0PINNED', fromMe: true }
    const message = { pinInChatMessage: { key, type: 1, senderTimestampMs: 1 } }
    await counted('not_shown_pinInChatMessage', () => ana.sendTo(number.jid, { type: 'raw', message }))
  })
})
