import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChannelHandle, GroupHandle } from '@postern/simulator/handles'
import type { Phone } from '@postern/simulator/phone/phone'
import { normalizeMessageContent, type proto } from 'baileys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { composeSend } from '../../src/actions/send-message.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { makeId, makePlatformId } from '../../src/domain/ids.ts'
import type { Content, MediaType } from '../../src/domain/message.ts'
import { createTargetPolicy, parseRanges } from '../../src/net/address-guard.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

const DIGITS = '999410000001'
const HEADS: Record<string, [type: string, head: string, at: number]> = {
  '/picture.jpg': ['image/jpeg', 'ffd8ffe0', 0],
  '/film.mp4': ['video/mp4', '6674797069736f6d', 4],
  '/song.mp3': ['audio/mpeg', '494433', 0],
  '/voice.ogg': ['audio/ogg', `4f676753${'00'.repeat(24)}4f707573486561640101`, 0],
  '/report.pdf': ['application/pdf', '25504446', 0],
  '/sticker.webp': ['image/webp', '57454250', 8],
}

let rig: Rig
let number: Hosted
let ana: Phone
let group: GroupHandle
let channel: ChannelHandle
let files: Server

beforeAll(async () => {
  files = createServer((request, response) => {
    const [type, head, at] = HEADS[request.url ?? '']!
    const body = Buffer.concat([Buffer.alloc(at), Buffer.from(head, 'hex'), Buffer.alloc(300, 7)])
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
  rig = await startRig()
  number = await rig.link(DIGITS)
  ana = rig.simulator.phone('5511911000001')
  group = rig.simulator.group({ subject: 'Team', owner: ana.digits, members: [DIGITS] })
  channel = rig.simulator.channel({ name: 'Ours', owner: DIGITS })
  // Status posts go to the people with whom the number has exchanged messages.
  await number.send(ana.jid, text('hello'))
})
afterAll(async () => {
  await rig.close()
  await new Promise(resolve => files.close(resolve))
})

const media = (mediaType: MediaType, path: string) => (): Content => {
  const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}${path}`
  return { type: 'media', mediaType, url, caption: '', mentions: [], filename: null, viewOnce: false }
}
const contents: Array<[name: string, part: keyof proto.IMessage, make: () => Content]> = [
  ['text', 'extendedTextMessage', () => text('words')],
  ['image', 'imageMessage', media('image', '/picture.jpg')],
  ['video', 'videoMessage', media('video', '/film.mp4')],
  ['audio', 'audioMessage', media('audio', '/song.mp3')],
  ['voice', 'audioMessage', media('voice', '/voice.ogg')],
  ['document', 'documentMessage', media('document', '/report.pdf')],
  ['sticker', 'stickerMessage', media('sticker', '/sticker.webp')],
  ['location', 'locationMessage', () => ({ type: 'location', latitude: 1, longitude: 2, name: '', address: '' })],
  ['contacts', 'contactMessage', () => ({ type: 'contacts', contacts: [{ name: 'Bob', phone: '5511900000003' }] })],
  ['poll', 'pollCreationMessage', () => ({ type: 'poll', name: 'Q?', options: ['a', 'b'], selectableCount: 0 })],
  [
    'buttons',
    'interactiveMessage',
    () => ({ type: 'buttons', text: 'Sure?', footer: '', buttons: [{ id: 'y', text: 'Yes' }] }),
  ],
  [
    'list',
    'interactiveMessage',
    () => ({
      type: 'list',
      text: 'Menu',
      footer: '',
      title: '',
      buttonText: 'Open',
      sections: [{ title: 'Soups', rows: [{ id: 's', title: 'Tomato', description: '' }] }],
    }),
  ],
]

async function arrives(to: string, content: Content): Promise<proto.IMessage> {
  const platformId = makePlatformId()
  await expect(number.send(to, content, { platformId })).resolves.toMatchObject({ kind: 'sent' })
  if (to === channel.jid) return channel.posts().find(({ id }) => id === platformId)!.message
  const held = await rig.simulator.until(() => ana.message(platformId))
  return normalizeMessageContent(held.message)!
}

const changeOf = (targetPlatformId: string) => ({
  messageId: makeId('msg'),
  platformId: makePlatformId(),
  targetPlatformId,
  to: channel.jid,
})

describe('Every content reaches every kind of destination', () => {
  test.each(contents)('%s reaches a contact', async (_, part, make) => {
    expect(await arrives(ana.jid, make())).toHaveProperty(part)
  })

  test.each(contents)('%s reaches a group', async (_, part, make) => {
    expect(await arrives(group.jid, make())).toHaveProperty(part)
  })

  test.each(contents)('%s reaches a channel', async (_, part, make) => {
    expect(await arrives(channel.jid, make())).toHaveProperty(part)
  })

  test.each(contents)('%s reaches status', async (_, part, make) => {
    expect(await arrives('status@broadcast', make())).toHaveProperty(part)
  })

  test('a reaction to a contact’s status goes only to that contact', async () => {
    const other = rig.simulator.phone('5511911000002')
    await number.send(other.jid, text('hello'))
    const { id } = await ana.sendTo('status@broadcast', { type: 'text', text: 'my day' })
    await number.until(() => number.storage.seen.has(id))
    const platformId = makePlatformId()
    const reaction = { type: 'reaction', emoji: '👏', reactedMessageId: id, reactedParticipant: null } as const
    await number.send('status@broadcast', reaction, { platformId })
    const held = await rig.simulator.until(() => ana.message(platformId))
    expect(normalizeMessageContent(held.message)?.reactionMessage?.key).toMatchObject({ id, participant: ana.jid })
    await number.send(other.jid, text('after'))
    await rig.simulator.until(() => other.inbox().some(({ message }) => message.extendedTextMessage?.text === 'after'))
    expect(other.message(platformId)).toBeUndefined()
  })

  test('an edit of a channel’s post replaces its text, under its id', async () => {
    const platformId = makePlatformId()
    await number.send(channel.jid, text('tpyo'), { platformId })
    const before = channel.posts().length
    await number.run({ kind: 'edit', ...changeOf(platformId), text: 'typo' })
    expect(channel.posts()).toHaveLength(before)
    expect(channel.posts().find(({ id }) => id === platformId)?.text).toBe('typo')
  })

  test('an edit of a channel’s post with a file replaces its caption, and keeps the file', async () => {
    const platformId = makePlatformId()
    await number.send(channel.jid, media('image', '/picture.jpg')(), { platformId })
    const file = channel.posts().at(-1)?.message.imageMessage?.directPath
    await number.run({ kind: 'edit', ...changeOf(platformId), text: 'caption' })
    expect(channel.posts().at(-1)?.message.imageMessage).toMatchObject({ directPath: file, caption: 'caption' })
  })

  test('a revoke of a channel’s post removes it', async () => {
    const platformId = makePlatformId()
    await number.send(channel.jid, text('oops'), { platformId })
    const before = channel.posts().length
    await number.run({ kind: 'revoke', ...changeOf(platformId) })
    expect(channel.posts()).toHaveLength(before - 1)
    expect(channel.posts().some(({ id }) => id === platformId)).toBe(false)
  })

  test('a reaction to a channel is rejected with 400 that names the right route', () => {
    const targets = createTargetPolicy({
      clock: systemClock,
      requireHttps: false,
      allowedRanges: parseRanges(['127.0.0.0/8']),
    })
    const body = { session_id: number.jid, to: channel.jid, reacted_message_id: 'X', text: '👍' }
    expect(() => composeSend({ targets, clock: systemClock }, body)).toThrow('newsletters')
  })
})
