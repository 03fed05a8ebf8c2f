import { createHash } from 'node:crypto'
import { proto } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Event } from '../../src/domain/event.ts'
import { makePlatformId } from '../../src/domain/ids.ts'
import type { Content } from '../../src/simulator/phone/content.ts'
import type { Phone, SendOptions } from '../../src/simulator/phone/phone.ts'
import type { ChannelHandle, GroupHandle } from '../../src/simulator/handles.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

const MB = 1024 * 1024

let rig: Rig
let number: Hosted
let ana: Phone
let group: GroupHandle
let hiddenGroup: GroupHandle
let channel: ChannelHandle

beforeAll(async () => {
  rig = await startRig()
  number = await rig.link('999300000001')
  ana = rig.simulator.phone('5511900000001')
  ana.name = 'Ana'
  rig.simulator.phone('5511900000002').name = 'Ben'
  group = rig.simulator.group({ subject: 'Plain', owner: ana.digits, members: ['999300000001'], addressing: 'pn' })
  hiddenGroup = rig.simulator.group({
    subject: 'Hidden',
    owner: ana.digits,
    members: ['999300000001', '5511900000002'],
    addressing: 'lid',
  })
  channel = rig.simulator.channel({ name: 'News', owner: ana.digits, followers: ['999300000001'] })
})
afterAll(() => rig.close())
beforeEach(() => {
  number.events.length = 0
  number.receipts.length = 0
  number.reasons.clear()
})

type Fields = Record<string, unknown>

const only = async (kind: Event['kind']): Promise<Fields> => {
  const found = await number.until(() => number.events.find(event => event.kind === kind))
  return found as unknown as Fields
}
const incoming = async (content: Content, options?: SendOptions, to = number.jid, from = ana): Promise<Fields> => {
  const { id } = await from.sendTo(to, content, options)
  return (await number.until(() =>
    number.events.find(event => event.kind === 'message' && event.message_id === id),
  )) as unknown as Fields
}

describe('kind message', () => {
  test('every field of a direct text', async () => {
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
    const event = await incoming({ type: 'text', text: 'x' }, {}, number.jid, rig.simulator.phone('5511900000077'))
    expect(event.sender_name).toBe('')
  })

  test('chat_jid equals sender_jid for direct chats, also where the platform names the sender by a hidden id', async () => {
    const event = await incoming({ type: 'text', text: 'x' }, { addressing: 'lid' })
    expect(event).toMatchObject({ sender_jid: ana.jid, chat_jid: ana.jid, sender_phone: ana.jid })
  })

  test('a group message: chat_jid differs from sender_jid, is_group is true', async () => {
    const event = await incoming({ type: 'text', text: 'to all' }, {}, group.jid)
    expect(event).toMatchObject({ chat_jid: group.jid, sender_jid: ana.jid, is_group: true, broadcast: false })
  })

  test('in groups the sender may be an @lid JID; the real phone is in sender_phone', async () => {
    const event = await incoming({ type: 'text', text: 'to all' }, {}, hiddenGroup.jid)
    expect(event).toMatchObject({ chat_jid: hiddenGroup.jid, sender_jid: ana.lid, sender_phone: ana.jid })
  })

  test('sender_phone is absent when the number is not available', async () => {
    const shy = rig.simulator.phone('5511900000066')
    const secret = rig.simulator.group({
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

  test('what was sent to a broadcast list is a direct message of its sender', async () => {
    const event = await incoming({ type: 'text', text: 'to many' }, { audience: [number.jid] }, '1700000001@broadcast')
    expect(event).toMatchObject({ broadcast: false, is_group: false, chat_jid: ana.jid, sender_jid: ana.jid })
  })

  test('a disappearing message is a message', async () => {
    const event = await incoming({ type: 'text', text: 'gone soon' }, { ephemeralSeconds: 86_400 })
    expect(event).toMatchObject({ type: 'text', text: 'gone soon' })
  })

  const file = Buffer.from('the bytes of a file')
  const media: Array<[string, Content, Fields, Fields]> = [
    [
      'image',
      { type: 'image', data: file, caption: 'look' },
      { text: 'look' },
      { mimetype: 'image/jpeg', extension: 'jpg' },
    ],
    [
      'video',
      { type: 'video', data: file, caption: 'see' },
      { text: 'see' },
      { mimetype: 'video/mp4', extension: 'mp4' },
    ],
    ['audio', { type: 'audio', data: file }, { text: '' }, { mimetype: 'audio/mpeg', extension: 'mp3' }],
    ['audio', { type: 'voice', data: file }, { text: '' }, { mimetype: 'audio/ogg; codecs=opus', extension: 'ogg' }],
    ['sticker', { type: 'sticker', data: file }, { text: '' }, { mimetype: 'image/webp', extension: 'webp' }],
    [
      'document',
      {
        type: 'document',
        data: file,
        filename: 'Report.final.xlsx',
        mimetype: 'application/octet-stream',
        caption: 'q3',
      },
      { text: 'q3' },
      { mimetype: 'application/octet-stream', extension: 'xlsx', filename: 'Report.final.xlsx' },
    ],
  ]
  test.each(media)('media of type %s is downloaded, with its real size', async (type, content, fields, part) => {
    const event = await incoming(content)
    expect(event).toMatchObject({ type, ...fields })
    expect(event.media).toEqual({
      ...part,
      file_length: file.length,
      data: file.toString('base64'),
      status: 'downloaded',
    })
  })

  test('media of exactly 4 MB is downloaded', async () => {
    const { media: part } = await incoming({ type: 'document', size: 4 * MB, filename: 'a.bin' })
    expect(part).toMatchObject({ status: 'downloaded', file_length: 4 * MB })
  })

  test('media above 4 MB is too_large: metadata only, with the claimed size', async () => {
    const { media: part } = await incoming({ type: 'video', size: 4 * MB + 1 })
    expect(part).toMatchObject({ status: 'too_large', data: '', file_length: 4 * MB + 1, extension: 'mp4' })
  })

  test('a claimed size that lies low is found out while streaming', async () => {
    const { media: part } = await incoming({ type: 'image', size: 6 * MB, claimedSize: 100 })
    expect(part).toMatchObject({ status: 'too_large', data: '', file_length: 100 })
  })

  test('a claimed size that lies high is believed before the download', async () => {
    const { media: part } = await incoming({ type: 'image', size: 10, claimedSize: 50 * MB })
    expect(part).toMatchObject({ status: 'too_large', data: '', file_length: 50 * MB })
  })

  test('a file_length that is wrong and small gives way to the real size', async () => {
    const { media: part } = await incoming({ type: 'image', size: 5_000, claimedSize: 100 })
    expect(part).toMatchObject({ status: 'downloaded', file_length: 5_000 })
  })

  test('a download that fails gives status error, and the event is still sent', async () => {
    rig.simulator.faults.media({ kind: 'status', status: 403 }, 1)
    const { media: part } = await incoming({ type: 'image', size: 20 })
    expect(part).toEqual({ mimetype: 'image/jpeg', extension: 'jpg', file_length: 20, data: '', status: 'error' })
  })

  test('bytes that are not the ones the sender meant give status error', async () => {
    rig.simulator.faults.media({ kind: 'corrupt' }, 1)
    const { media: part } = await incoming({ type: 'image', size: 2_000 })
    expect(part).toMatchObject({ data: '', status: 'error' })
  })

  test('a download that breaks off is tried again', async () => {
    rig.simulator.faults.media({ kind: 'cut', afterBytes: 100 }, 1)
    const { media: part } = await incoming({ type: 'image', size: 20_000 })
    expect(part).toMatchObject({ status: 'downloaded' })
  })

  test.each([404, 410])('a file that is gone (%i) is asked for again from the sender, once', async status => {
    number.paused = true
    const { id } = await ana.sendTo(number.jid, { type: 'image', data: file })
    const path = ana.sent().find(one => one.id === id)!.message.imageMessage!.directPath!
    rig.simulator.faults.withdrawMedia(path, status)
    await number.until(() => [...number.storage.inbox.keys()].some(key => key.endsWith(id)))
    number.paused = false
    await ana.sendTo(number.jid, { type: 'text', text: 'wake up' })
    const event = await number.until(() => number.events.find(one => one.kind === 'message' && one.message_id === id))
    expect((event as { media?: Fields }).media).toMatchObject({ status: 'downloaded', data: file.toString('base64') })
  })

  test('a file that is gone for good gives status error', async () => {
    number.paused = true
    const { id } = await ana.sendTo(number.jid, { type: 'image', data: file })
    const path = ana.sent().find(one => one.id === id)!.message.imageMessage!.directPath!
    rig.simulator.faults.withdrawMedia(path, 404, true)
    await number.until(() => [...number.storage.inbox.keys()].some(key => key.endsWith(id)))
    number.paused = false
    await ana.sendTo(number.jid, { type: 'text', text: 'wake up' })
    const event = await number.until(() => number.events.find(one => one.kind === 'message' && one.message_id === id))
    expect((event as { media?: Fields }).media).toMatchObject({ status: 'error', data: '' })
  })

  test('a view-once image is an image', async () => {
    expect(await incoming({ type: 'image', data: file }, { viewOnce: true })).toMatchObject({ type: 'image' })
  })

  test('location: latitude, longitude, name and address', async () => {
    const place = { latitude: -23.55, longitude: -46.63, name: 'Sé', address: 'Praça da Sé' }
    expect(await incoming({ type: 'location', ...place })).toMatchObject({
      type: 'location',
      text: '',
      location: place,
    })
  })

  test('location: name and address only if included', async () => {
    const { location } = await incoming({ type: 'location', latitude: 1.5, longitude: 2.5 })
    expect(location).toEqual({ latitude: 1.5, longitude: 2.5 })
  })

  test('a live location is a location', async () => {
    const event = await incoming({ type: 'live_location', latitude: 3, longitude: 4 })
    expect(event).toMatchObject({ type: 'location', location: { latitude: 3, longitude: 4 } })
  })

  test.each([1, 0, 2])('poll with selectable_count %i: question, options in plain', async selectableCount => {
    const event = await incoming({ type: 'poll', name: 'Lunch?', options: ['Pizza', 'Soup'], selectableCount })
    expect(event).toMatchObject({
      type: 'poll',
      text: 'Lunch?',
      poll: { name: 'Lunch?', options: ['Pizza', 'Soup'], selectable_count: selectableCount },
    })
  })

  test.each(['buttons', 'template', 'list'] as const)('button_response of style %s', async style => {
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

  test('contacts have no type of their own: other', async () => {
    const contacts = [{ name: 'Bob', phone: '5511900000003' }]
    expect(await incoming({ type: 'contacts', contacts })).toMatchObject({ type: 'other', text: '' })
  })

  test('a reply: quoted id, participant and text', async () => {
    const question = { id: '3EB0QUESTION', chat: number.jid, participant: number.jid, text: 'How many?' }
    expect(await incoming({ type: 'text', text: 'Two' }, { quoted: question })).toMatchObject({
      text: 'Two',
      quoted_message_id: '3EB0QUESTION',
      quoted_participant: number.jid,
      quoted_text: 'How many?',
    })
  })

  test('a reply to media: quoted_text is empty', async () => {
    const message = { imageMessage: { caption: 'a caption is not text', mimetype: 'image/jpeg' } }
    const quoted = { id: '3EB0PICTURE', chat: number.jid, participant: number.jid, message }
    expect(await incoming({ type: 'text', text: 'nice' }, { quoted })).toMatchObject({
      quoted_message_id: '3EB0PICTURE',
      quoted_text: '',
    })
  })

  test('a message that is no reply has no quoted fields', async () => {
    const event = await incoming({ type: 'text', text: 'alone' })
    expect(Object.keys(event).filter(name => name.startsWith('quoted'))).toEqual([])
  })

  test('a reaction: emoji, and the id of the message reacted to; empty means removed', async () => {
    const platformId = makePlatformId()
    await number.send(ana.jid, text('react to me'), { platformId })
    await rig.simulator.until(() => ana.message(platformId))
    await ana.react(number.jid, platformId, '👍')
    const added = await only('message')
    expect(added).toMatchObject({ type: 'reaction', text: '👍', reacted_message_id: platformId })
    number.events.length = 0
    await ana.react(number.jid, platformId, '')
    expect(await only('message')).toMatchObject({ type: 'reaction', text: '', reacted_message_id: platformId })
  })

  test('an edit is a message with its own id and edited_message_id', async () => {
    const first = await incoming({ type: 'text', text: 'tpyo' })
    const { id } = await ana.edit(number.jid, String(first.message_id), 'typo')
    const event = await number.until(() => number.events.find(one => one.kind === 'message' && one.message_id === id))
    expect(event).toMatchObject({ type: 'text', text: 'typo', edited_message_id: first.message_id })
  })

  test('a revoke is of type other with revoked_message_id', async () => {
    const first = await incoming({ type: 'text', text: 'oops' })
    const { id } = await ana.revoke(number.jid, String(first.message_id))
    const event = await number.until(() => number.events.find(one => one.kind === 'message' && one.message_id === id))
    expect(event).toMatchObject({ type: 'other', text: '', revoked_message_id: first.message_id })
  })
})

describe('what is not an event is counted', () => {
  test('messages sent from the number’s own phone', async () => {
    await rig.simulator.phone(number.jid).sendTo(ana.jid, { type: 'text', text: 'from my own phone' })
    await number.until(() => number.reasons.get('own_message'))
    expect(number.events).toEqual([])
  })

  test('protocol messages', async () => {
    const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type
    const message = { protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration: 86_400 } }
    await ana.sendTo(number.jid, { type: 'raw', message })
    await number.until(() => number.reasons.get('protocol_ephemeral_setting'))
    expect(number.events).toEqual([])
  })

  test('history sync', async () => {
    const fresh = await rig.link('999300000002')
    await fresh.until(() => fresh.reasons.get('history_sync'))
    expect(fresh.events).toEqual([])
  })
})

describe('kind poll_vote', () => {
  const hash = (option: string) => createHash('sha256').update(option).digest('hex')

  test.each([
    ['pn', 'pn'],
    ['lid', 'pn'],
    ['pn', 'lid'],
    ['lid', 'lid'],
  ] as const)(
    'hashes of the chosen options, creator named by %s and voter by %s',
    async (creatorAddressing, voterAddressing) => {
      const platformId = makePlatformId()
      const options = ['Pizza', 'Soup', 'Salad']
      await number.send(ana.jid, { type: 'poll', name: 'Lunch?', options, selectableCount: 2 }, { platformId })
      await rig.simulator.until(() => ana.message(platformId))
      await ana.vote(number.jid, platformId, ['Pizza', 'Salad'], { creatorAddressing, voterAddressing })
      const event = await only('poll_vote')
      expect(event).toEqual({
        kind: 'poll_vote',
        session_id: number.jid,
        voter_jid: ana.jid,
        chat_jid: ana.jid,
        poll_message_id: platformId,
        selected_hashes: expect.any(Array),
        timestamp_unix: expect.any(Number),
      })
      expect([...(event.selected_hashes as string[])].sort()).toEqual([hash('Pizza'), hash('Salad')].sort())
    },
  )

  test('an empty array means that the voter withdrew the vote', async () => {
    const platformId = makePlatformId()
    await number.send(ana.jid, { type: 'poll', name: '?', options: ['a', 'b'], selectableCount: 1 }, { platformId })
    await rig.simulator.until(() => ana.message(platformId))
    await ana.vote(number.jid, platformId, [])
    expect(await only('poll_vote')).toMatchObject({ selected_hashes: [] })
  })

  test('of a group member', async () => {
    const ben = rig.simulator.phone('5511900000002')
    const platformId = makePlatformId()
    const poll = { type: 'poll', name: 'When?', options: ['1', '2'], selectableCount: 1 } as const
    await number.send(hiddenGroup.jid, { ...poll, options: [...poll.options] }, { platformId })
    await rig.simulator.until(() => ben.message(platformId))
    await ben.vote(hiddenGroup.jid, platformId, ['2'])
    const event = await only('poll_vote')
    expect(event).toMatchObject({
      chat_jid: hiddenGroup.jid,
      poll_message_id: platformId,
      selected_hashes: [hash('2')],
    })
    expect(event.voter_jid).toBe(ben.lid)
  })

  test('on a poll that nobody knows is counted, not an event', async () => {
    const vote = { encPayload: Buffer.alloc(40), encIv: Buffer.alloc(12) }
    const pollCreationMessageKey = { id: '3EB0NOSUCHPOLL', remoteJid: number.jid, fromMe: false }
    await ana.sendTo(number.jid, { type: 'raw', message: { pollUpdateMessage: { pollCreationMessageKey, vote } } })
    await number.until(() => number.reasons.get('vote_on_unknown_poll'))
  })
})

describe('kind typing', () => {
  test.each([
    ['composing', true, 'text'],
    ['recording', true, 'audio'],
    ['paused', false, 'text'],
  ] as const)('%s', async (state, typing, media) => {
    ana.typing(number.jid, state)
    expect(await only('typing')).toEqual({
      kind: 'typing',
      session_id: number.jid,
      sender_jid: ana.jid,
      chat_jid: ana.jid,
      is_group: false,
      typing,
      media,
    })
  })

  test('in a group', async () => {
    ana.typing(group.jid, 'composing')
    expect(await only('typing')).toMatchObject({
      chat_jid: group.jid,
      sender_jid: ana.jid,
      is_group: true,
      typing: true,
    })
  })
})

describe('kind presence', () => {
  test('is sent only after a subscription, and survives a reconnect', async () => {
    const ben = rig.simulator.phone('5511900000002')
    await number.run({ kind: 'presence_subscribe', contactJid: ben.jid })
    ben.presence({ online: true })
    const fields = { kind: 'presence', session_id: number.jid, contact_jid: ben.jid }
    await number.until(() => number.events.some(event => event.kind === 'presence' && event.online))
    expect(number.events.at(-1)).toEqual({ ...fields, online: true, last_seen_unix: 0 })
    number.events.length = 0
    ben.presence({ online: false, lastSeen: 1_700_000_000 })
    expect(await only('presence')).toEqual({ ...fields, online: false, last_seen_unix: 1_700_000_000 })
    number.links.length = 0
    rig.simulator.faults.cut(number.jid)
    await number.until(() => number.links.at(-1)?.state === 'open')
    await number.until(() => {
      number.events.length = 0
      ben.presence({ online: true })
      return true
    })
    await number.until(
      () => number.events.some(event => event.kind === 'presence') || (ben.presence({ online: true }), false),
    )
  })

  test('last_seen_unix is 0 when the contact hides it', async () => {
    const ben = rig.simulator.phone('5511900000002')
    await number.run({ kind: 'presence_subscribe', contactJid: ben.jid })
    number.events.length = 0
    ben.presence({ online: false, lastSeen: 'hidden' })
    await number.until(() =>
      number.events.some(event => event.kind === 'presence' && !event.online && event.last_seen_unix === 0),
    )
  })
})

describe('kind call', () => {
  test.each([
    [false, 'pn'],
    [true, 'lid'],
  ] as const)('offer and terminate, video %s, caller named by %s', async (video, addressing) => {
    const { id } = await ana.call(number.jid, { video, addressing })
    const offer = await only('call')
    expect(offer).toEqual({
      kind: 'call',
      session_id: number.jid,
      call_id: id,
      from_jid: ana.jid,
      event: 'offer',
      video,
      rejected: false,
      timestamp_unix: expect.any(Number),
    })
    number.events.length = 0
    await ana.hangUp(id, { reason: 'timeout', addressing })
    expect(await only('call')).toMatchObject({
      call_id: id,
      event: 'terminate',
      reason: 'timeout',
      video,
      from_jid: ana.jid,
    })
  })

  test('rejected is true when the gateway auto-rejected; the caller gets the message', async () => {
    number.autoReject = { message: 'Please write instead' }
    const call = await ana.call(number.jid)
    expect(await only('call')).toMatchObject({ call_id: call.id, event: 'offer', rejected: true })
    await rig.simulator.until(() => ana.calls().find(({ id }) => id === call.id)?.state === 'rejected')
    await rig.simulator.until(() =>
      ana.inbox().some(({ message }) => message.extendedTextMessage?.text === 'Please write instead'),
    )
    number.autoReject = null
  })
})

describe('kind newsletter_message', () => {
  test.each(['message', 'live_updates'] as const)('a post of a followed channel as %s, with both ids', async form => {
    await rig.simulator.until(() => channel.watchers().length === 1)
    const post = await channel.post({ type: 'text', text: 'breaking' }, form)
    expect(await only('newsletter_message')).toEqual({
      kind: 'newsletter_message',
      session_id: number.jid,
      newsletter_jid: channel.jid,
      server_id: post.serverId,
      message_id: post.id,
      type: 'text',
      text: 'breaking',
      timestamp_unix: expect.any(Number),
    })
  })

  test('a post of a channel that the number manages gives none', async () => {
    const own = rig.simulator.channel({ name: 'Ours', owner: '999300000001', followers: ['999300000001'] })
    await own.post({ type: 'text', text: 'from us' })
    await number.until(() => number.reasons.get('channel_managed'))
    expect(number.events).toEqual([])
  })
})

describe('receipts', () => {
  test('delivered, read and played arrive each for itself, in order', async () => {
    const platformId = makePlatformId()
    await number.send(ana.jid, text('ticks'), { platformId })
    await number.until(() => number.receipts.length === 1)
    ana.read(platformId)
    ana.play(platformId)
    await number.until(() => number.receipts.length === 3)
    expect(number.receipts.map(({ type }) => type)).toEqual(['delivered', 'read', 'played'])
    for (const receipt of number.receipts)
      expect(receipt).toEqual({
        platformIds: [platformId],
        chatJid: ana.jid,
        recipientJid: ana.jid,
        type: receipt.type,
        atMs: expect.any(Number),
      })
  })

  test('per recipient in groups, by phone number', async () => {
    const platformId = makePlatformId()
    await number.send(hiddenGroup.jid, text('hello all'), { platformId })
    await number.until(() => number.receipts.length >= 2)
    const delivered = number.receipts.filter(({ type }) => type === 'delivered')
    expect(
      delivered.every(({ chatJid, platformIds }) => chatJid === hiddenGroup.jid && platformIds[0] === platformId),
    ).toBe(true)
    expect(delivered.map(({ recipientJid }) => recipientJid).sort()).toEqual([ana.jid, '5511900000002@s.whatsapp.net'])
  })
})
