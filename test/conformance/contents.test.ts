import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChannelHandle, GroupHandle } from '@postern/simulator/handles'
import type { Phone } from '@postern/simulator/phone/phone'
import { normalizeMessageContent, type proto } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Failure } from '../../src/domain/failure.ts'
import { makePlatformId } from '../../src/domain/ids.ts'
import type { Content, MediaType } from '../../src/domain/message.ts'
import { PlatformError } from '../../src/platform/platform.ts'
import { pictureSize } from '../../src/platform/whatsapp/to-message/picture-size.ts'
import { blackPng } from '../harness/pictures.ts'
import { until } from '../harness/until.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

const DIGITS = '999400000001'
const MB = 1024 * 1024
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const withHead = (head: string, at = 0): Buffer =>
  Buffer.concat([Buffer.alloc(at), Buffer.from(head, 'hex'), Buffer.alloc(500, 7)])
/** This many seconds of silence. */
const wav = (seconds: number): Buffer => {
  const head = Buffer.alloc(44)
  head.write('RIFF    WAVEfmt ', 'latin1')
  head.writeUInt32LE(36 + seconds * 8_000, 4)
  head.set(Buffer.from('1000000001000100401f0000401f000001000800', 'hex'), 16)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(seconds * 8_000, 40)
  return Buffer.concat([head, Buffer.alloc(seconds * 8_000, 128)])
}
const FILES: Record<string, { type: string; body: Buffer }> = {
  '/picture.png': { type: 'image/png', body: PNG },
  '/film.mp4': { type: 'video/mp4', body: withHead('6674797069736f6d', 4) },
  '/song.mp3': { type: 'audio/mpeg', body: withHead('494433') },
  // The first page of Opus in Ogg.
  '/voice.ogg': { type: 'audio/ogg', body: withHead(`4f676753${'00'.repeat(24)}4f707573486561640101`) },
  '/sticker.webp': { type: 'image/webp', body: withHead('57454250', 8) },
  '/report.pdf': { type: 'application/pdf', body: withHead('25504446') },
  '/page.html': { type: 'text/html', body: Buffer.from('<html><title>A &amp; B</title></html>') },
  '/wide.png': { type: 'image/png', body: blackPng({ width: 4_000, height: 2_000 }) },
  '/second.wav': { type: 'audio/wav', body: wav(3) },
  '/drawing.png': { type: 'image/png', body: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
  '/broken.gif': { type: 'image/gif', body: withHead('47494638') },
  '/unknown': { type: '', body: Buffer.from('??') },
  '/empty.png': { type: 'image/png', body: Buffer.alloc(0) },
}

let rig: Rig
let number: Hosted
let ana: Phone
let files: Server
let base: string
let fetched = 0

beforeAll(async () => {
  files = createServer((request, response) => {
    fetched += 1
    const path = request.url ?? ''
    const status = /^\/status\/(\d+)$/.exec(path)?.[1]
    if (status) return void response.writeHead(Number(status), { location: '/picture.png' }).end()
    if (path === '/never') return
    if (path === '/huge.mp4')
      return response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 65 * MB }).flushHeaders()
    if (path === '/endless.mp4') {
      response.writeHead(200, { 'content-type': 'video/mp4' })
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(MB)));
      }
      response.on('drain', pour)
      return pour()
    }
    const file = FILES[path]
    if (!file) return void response.writeHead(404).end()
    response.writeHead(200, file.type ? { 'content-type': file.type } : {}).end(file.body)
  })
  await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  rig = await startRig({ platform: { ackTimeoutMs: 5_000 } })
  number = await rig.link(DIGITS)
  ana = rig.simulator.phone('5511910000001')
})
afterAll(async () => {
  await rig.close()
  files.closeAllConnections()
  await new Promise(resolve => files.close(resolve))
})
beforeEach(() => {
  fetched = 0
})

async function arrives(content: Content, options: Parameters<Hosted['send']>[2] = {}, to = ana.jid, phone = ana) {
  const platformId = options.platformId ?? makePlatformId()
  const result = await number.send(to, content, { ...options, platformId })
  expect(result).toMatchObject({ kind: 'sent', atMs: expect.any(Number) })
  const held = await rig.simulator.until(() => phone.message(platformId))
  return { held, platformId, content: normalizeMessageContent(held.message) as proto.IMessage }
}

const failureOf = async (sending: Promise<unknown>): Promise<Failure> => {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(PlatformError)
  return (error as PlatformError).failure
}

const media = (
  mediaType: MediaType,
  path: string,
  more: Partial<Extract<Content, { type: 'media' }>> = {},
): Content => ({
  type: 'media',
  mediaType,
  url: path.startsWith('http') ? path : `${base}${path}`,
  caption: '',
  mentions: [],
  filename: null,
  viewOnce: false,
  ...more,
})

describe('Content text', () => {
  test('a text arrives as written', async () => {
    const { content } = await arrives(text('Olá, 世界 \u0000 👋'))
    expect(content.extendedTextMessage?.text).toBe('Olá, 世界 \u0000 👋')
  })

  test('a text arrives with the people that it mentions', async () => {
    const { content } = await arrives({ ...text('@1 hi'), mentions: ['5511910000009@s.whatsapp.net'] } as Content)
    expect(content.extendedTextMessage?.contextInfo?.mentionedJid).toEqual(['5511910000009@s.whatsapp.net'])
  })

  test('a link is fetched only if a preview is requested', async () => {
    const words = `see ${base}/page.html`
    const plain = await arrives(text(words))
    expect(plain.content.extendedTextMessage?.title ?? '').toBe('')
    expect(fetched).toBe(0)
    const { content } = await arrives({ type: 'text', text: words, mentions: [], linkPreview: true })
    expect(content.extendedTextMessage).toMatchObject({ title: 'A & B', matchedText: `${base}/page.html` })
    expect(fetched).toBe(1)
  })

  test('a preview arrives with the large picture that the request names', async () => {
    const preview = (words: string, picture: string): Content => ({
      type: 'text',
      text: words,
      mentions: [],
      linkPreview: true,
      previewImage: picture,
    })
    const of = async (sent: Content) => {
      const { content, platformId } = await arrives(sent)
      return { shown: content.extendedTextMessage!, picture: pictureSize(ana.openPreview(platformId)) }
    }
    const { shown, picture } = await of(preview(`see ${base}/page.html`, `${base}/wide.png`))
    expect(shown).toMatchObject({ title: 'A & B', thumbnailWidth: 1_200, thumbnailHeight: 600 })
    expect(picture).toEqual({ width: 1_200, height: 600 })
    expect(pictureSize(shown.jpegThumbnail!)).toEqual({ width: 192, height: 96 })
    const withoutPage = await of(preview(`see ${base}/status/404`, `${base}/wide.png`))
    expect(withoutPage.shown).toMatchObject({ title: '127.0.0.1', matchedText: `${base}/status/404` })
    const failure = await failureOf(number.send(ana.jid, preview(`see ${base}/page.html`, `${base}/report.pdf`)))
    const detail = 'link_preview.image_url: the content is application/pdf, not an image'
    expect(failure).toMatchObject({ kind: 'permanent', reason: 'MEDIA_FAILED', detail })
  })

  test('a reply names the message of the contact and its sender', async () => {
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'how many?' })
    await number.until(() => number.storage.seen.has(id))
    const { content } = await arrives(text('two'), { quote: { messageId: id, participant: null, text: 'how many?' } })
    expect(content.extendedTextMessage?.contextInfo).toMatchObject({
      stanzaId: id,
      participant: ana.lid,
      quotedMessage: { conversation: 'how many?' },
    })
  })

  test('a reply names the participant that the request names', async () => {
    const quote = { messageId: '3EB0OLD', participant: '5511910000005@s.whatsapp.net', text: 'old' }
    const { content } = await arrives(text('new'), { quote })
    expect(content.extendedTextMessage?.contextInfo).toMatchObject({
      stanzaId: '3EB0OLD',
      participant: quote.participant,
    })
  })
})

describe('Content media', () => {
  const cases: Array<[MediaType, string, keyof proto.IMessage, string]> = [
    ['image', '/picture.png', 'imageMessage', 'image/png'],
    ['video', '/film.mp4', 'videoMessage', 'video/mp4'],
    ['audio', '/song.mp3', 'audioMessage', 'audio/mpeg'],
    ['voice', '/voice.ogg', 'audioMessage', 'audio/ogg; codecs=opus'],
    ['document', '/report.pdf', 'documentMessage', 'application/pdf'],
    ['sticker', '/sticker.webp', 'stickerMessage', 'image/webp'],
  ]
  test.each(cases)('the phone opens exactly the file that was sent as %s', async (mediaType, path, part, mimetype) => {
    const { content, platformId } = await arrives(media(mediaType, path))
    expect(content[part]).toMatchObject({ mimetype })
    expect(ana.openMedia(platformId).equals(FILES[path]!.body)).toBe(true)
    if (mediaType === 'voice') expect(content.audioMessage?.ptt).toBe(true)
    if (mediaType === 'document') expect(content.documentMessage?.fileName).toBe('report.pdf')
    expect(fetched).toBe(1)
  })

  test('an image arrives with its caption', async () => {
    const { content } = await arrives(media('image', '/picture.png', { caption: 'look' }))
    expect(content.imageMessage?.caption).toBe('look')
  })

  test.each([
    ['image', '/picture.png', 'imageMessage'],
    ['document', '/report.pdf', 'documentMessage'],
  ] as const)('media of type %s arrives with the people that its caption mentions', async (mediaType, path, part) => {
    const mentions = ['5511910000009@s.whatsapp.net']
    const { content } = await arrives(media(mediaType, path, { caption: 'look, @5511910000009', mentions }))
    expect(content[part]?.contextInfo?.mentionedJid).toEqual(mentions)
  })

  test('a document arrives with its caption and its name', async () => {
    const { content } = await arrives(media('document', '/report.pdf', { caption: 'q3', filename: 'Q3.pdf' }))
    expect(content.documentMessage).toMatchObject({ caption: 'q3', fileName: 'Q3.pdf' })
  })

  test('a picture arrives with its size and a thumbnail', async () => {
    const { content } = await arrives(media('image', '/wide.png'))
    const { width, height, jpegThumbnail } = content.imageMessage!
    expect({ width, height }).toEqual({ width: 4_000, height: 2_000 })
    expect(pictureSize(jpegThumbnail!)).toEqual({ width: 32, height: 16 })
  })

  test('audio arrives with its length', async () => {
    const { content } = await arrives(media('audio', '/second.wav'))
    expect(content.audioMessage?.seconds).toBe(3)
  })

  test('a sticker from any picture arrives as a square WebP of 512 pixels', async () => {
    const { content, platformId } = await arrives(media('sticker', '/wide.png'))
    expect(content.stickerMessage?.mimetype).toBe('image/webp')
    expect(pictureSize(ana.openMedia(platformId))).toEqual({ width: 512, height: 512 })
  })

  test('a view-once image arrives as one', async () => {
    const { held, content } = await arrives(media('image', '/picture.png', { viewOnce: true }))
    expect(held.message.viewOnceMessageV2).toBeTruthy()
    expect(content.imageMessage?.viewOnce).toBe(true)
  })

  test('a retry under the same id sends the same file without fetching it again', async () => {
    const platformId = makePlatformId()
    rig.simulator.faults.withholdAcks(number.jid, 1)
    const first = await failureOf(number.send(ana.jid, media('image', '/picture.png'), { platformId }))
    expect(first).toMatchObject({ kind: 'transient' })
    const { content } = await arrives(media('image', '/picture.png'), { platformId })
    expect(content.imageMessage).toBeTruthy()
    expect(fetched).toBe(1)
  })

  const troubles: Array<[string, MediaType, string, RegExp]> = [
    ['403', 'image', '/status/403', /403/],
    ['404', 'image', '/status/404', /404/],
    ['500', 'image', '/status/500', /500/],
    ['a redirect', 'image', '/status/302', /redirect/],
    ['larger than 64 MB by its own word', 'video', '/huge.mp4', /64 MB/],
    ['larger than 64 MB in the end', 'video', '/endless.mp4', /64 MB/],
    ['an unknown type', 'image', '/unknown', /unknown type/],
    ['another type', 'image', '/report.pdf', /not an image/],
    ['a drawing that is declared as a picture', 'image', '/drawing.png', /not an image, although it is declared as/],
    ['a page instead of a film', 'video', '/page.html', /text\/html, not a video/],
    ['a sticker that is no picture', 'sticker', '/report.pdf', /not an image/],
    ['a sticker that no program opens', 'sticker', '/broken.gif', /send a WebP, JPEG, PNG or GIF image/],
    [
      'a voice message of another format, without ffmpeg',
      'voice',
      '/second.wav',
      /audio\/wav, not Opus in Ogg: .* install ffmpeg/,
    ],
    ['nothing', 'image', '/empty.png', /empty/],
    ['a private address', 'image', 'http://10.0.0.1/x.png', /not allowed/],
    ['no server at the address', 'image', 'http://127.0.0.1:45679/x.png', /connection/],
  ]
  test.each(troubles)(
    'a file that cannot be sent is MEDIA_FAILED with a readable detail: %s',
    async (_, mediaType, path, detail) => {
      const failure = await failureOf(number.send(ana.jid, media(mediaType, path)))
      expect(failure).toMatchObject({ kind: 'permanent', reason: 'MEDIA_FAILED' })
      expect(failure.detail).toMatch(detail)
      expect(failure.detail).not.toContain('127.0.0.1')
    },
  )
})

describe('Other contents', () => {
  test('a reaction to a message of the contact arrives, and so does its removal', async () => {
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'like me' })
    await number.until(() => number.storage.seen.has(id))
    const added = await arrives({ type: 'reaction', emoji: '❤️', reactedMessageId: id, reactedParticipant: null })
    expect(added.content.reactionMessage).toMatchObject({ text: '❤️', key: { id, fromMe: false } })
    const removed = await arrives({ type: 'reaction', emoji: '', reactedMessageId: id, reactedParticipant: null })
    expect(removed.content.reactionMessage?.text ?? '').toBe('')
  })

  test('a reaction to one of our own messages names it as ours', async () => {
    const { platformId } = await arrives(text('mine'))
    const { content } = await arrives({
      type: 'reaction',
      emoji: '✅',
      reactedMessageId: platformId,
      reactedParticipant: null,
    })
    expect(content.reactionMessage?.key).toMatchObject({ id: platformId, fromMe: true })
  })

  test('a location arrives with its name and address', async () => {
    const { content } = await arrives({
      type: 'location',
      latitude: 1.25,
      longitude: -2.5,
      name: 'Here',
      address: 'Road 1',
    })
    expect(content.locationMessage).toMatchObject({
      degreesLatitude: 1.25,
      degreesLongitude: -2.5,
      name: 'Here',
      address: 'Road 1',
    })
  })

  test('one contact arrives as a card, and several arrive as several cards', async () => {
    const one = await arrives({ type: 'contacts', contacts: [{ name: 'Bob; Ltd', phone: '5511910000002' }] })
    expect(one.content.contactMessage?.vcard).toContain('waid=5511910000002:+5511910000002')
    expect(one.content.contactMessage?.vcard).toContain('FN:Bob\\; Ltd')
    const contacts = [
      { name: 'A', phone: '1234567' },
      { name: 'B', phone: '7654321' },
    ]
    const two = await arrives({ type: 'contacts', contacts })
    const cards = two.content.contactsArrayMessage?.contacts ?? []
    expect(cards.map(({ vcard }) => /waid=(\d+)/.exec(vcard ?? '')?.[1])).toEqual(['1234567', '7654321'])
  })

  test.each([0, 1, 2])('a poll with selectable_count %i arrives, and its secret is stored', async selectableCount => {
    const { content, platformId } = await arrives({ type: 'poll', name: 'Q?', options: ['x', 'y'], selectableCount })
    const poll = content.pollCreationMessage ?? content.pollCreationMessageV3
    expect(poll).toMatchObject({ name: 'Q?', options: [{ optionName: 'x' }, { optionName: 'y' }] })
    expect(poll?.selectableOptionsCount ?? 0).toBe(selectableCount)
    expect(number.storage.seen.get(platformId)?.secret?.length).toBe(32)
  })

  test('buttons arrive with their texts and ids', async () => {
    const buttons = [
      { id: 'y', text: 'Yes' },
      { id: 'n', text: 'No' },
    ]
    const { content } = await arrives({ type: 'buttons', text: 'Sure?', footer: 'think', buttons })
    const { interactiveMessage } = content
    expect(interactiveMessage).toMatchObject({ body: { text: 'Sure?' }, footer: { text: 'think' } })
    const flow = interactiveMessage?.nativeFlowMessage?.buttons ?? []
    expect(flow.map(({ name }) => name)).toEqual(['quick_reply', 'quick_reply'])
    expect(flow.map(({ buttonParamsJson }) => JSON.parse(buttonParamsJson ?? ''))).toEqual([
      { display_text: 'Yes', id: 'y' },
      { display_text: 'No', id: 'n' },
    ])
  })

  test('a list arrives with its sections and rows', async () => {
    const sections = [{ title: 'Soups', rows: [{ id: 's1', title: 'Tomato', description: 'hot' }] }]
    const { content } = await arrives({
      type: 'list',
      text: 'Menu',
      footer: '',
      title: 'Today',
      buttonText: 'Open',
      sections,
    })
    const [button] = content.interactiveMessage?.nativeFlowMessage?.buttons ?? []
    expect(button?.name).toBe('single_select')
    expect(JSON.parse(button?.buttonParamsJson ?? '')).toEqual({ title: 'Open', sections })
  })

  test('an edit and a revoke name the message that they change', async () => {
    const { platformId } = await arrives(text('tpyo'))
    const editId = makePlatformId()
    const about = { messageId: 'msg_1', targetPlatformId: platformId, to: ana.jid }
    await expect(number.run({ kind: 'edit', platformId: editId, text: 'typo', ...about })).resolves.toMatchObject({
      kind: 'sent',
    })
    const edited = await rig.simulator.until(() => ana.message(editId))
    expect(normalizeMessageContent(edited.message)?.protocolMessage).toMatchObject({
      key: { id: platformId },
      editedMessage: { conversation: 'typo' },
    })
    const revokeId = makePlatformId()
    await expect(number.run({ kind: 'revoke', platformId: revokeId, ...about })).resolves.toMatchObject({
      kind: 'sent',
    })
    const revoked = await rig.simulator.until(() => ana.message(revokeId))
    expect(normalizeMessageContent(revoked.message)?.protocolMessage).toMatchObject({
      key: { id: platformId },
      type: 0,
    })
  })
})

describe('Destinations', () => {
  let group: GroupHandle
  let channel: ChannelHandle
  beforeAll(() => {
    group = rig.simulator.group({
      subject: 'Team',
      owner: ana.digits,
      members: [DIGITS, '5511910000002', '5511910000003'],
    })
    channel = rig.simulator.channel({ name: 'Ours', owner: DIGITS })
  })

  test('a message to a hidden identifier reaches the person behind it', async () => {
    const { content } = await arrives(text('to lid'), {}, ana.lid)
    expect(content.extendedTextMessage?.text).toBe('to lid')
  })

  test('a message to a group reaches every member', async () => {
    const { platformId } = await arrives(text('all'), {}, group.jid)
    const others = group.members().filter(digits => digits !== DIGITS)
    expect(others).toHaveLength(3)
    for (const digits of others) {
      const held = await rig.simulator.until(() => rig.simulator.phone(digits).message(platformId))
      expect(normalizeMessageContent(held.message)?.extendedTextMessage?.text).toBe('all')
    }
  })

  test('a reaction in a group names the sender', async () => {
    const { id } = await ana.sendTo(group.jid, { type: 'text', text: 'hi all' })
    await number.until(() => number.storage.seen.has(id))
    const { content } = await arrives(
      { type: 'reaction', emoji: '👋', reactedMessageId: id, reactedParticipant: null },
      {},
      group.jid,
    )
    expect(content.reactionMessage?.key).toMatchObject({ id, fromMe: false, participant: expect.stringMatching(/@/) })
  })

  test('the ack of a channel that the number manages carries server_id', async () => {
    const result = await number.send(channel.jid, text('news'))
    const post = channel.posts().at(-1)
    expect(post?.text).toBe('news')
    expect(result).toMatchObject({ kind: 'sent', serverId: post?.serverId })
  })

  test('media reaches a channel with its caption', async () => {
    await number.send(channel.jid, media('image', '/picture.png', { caption: 'pic' }))
    expect(channel.posts().at(-1)?.message.imageMessage).toMatchObject({ caption: 'pic' })
  })

  test('status reaches the people whom the number has exchanged messages with', async () => {
    const { content } = await arrives(text('my day'), {}, 'status@broadcast')
    expect(content.extendedTextMessage?.text).toBe('my day')
  })
})

describe('Failures', () => {
  test('a number that is not on the platform is INVALID_RECIPIENT', async () => {
    const failure = await failureOf(number.send('5511910000404@s.whatsapp.net', text('?')))
    expect(failure).toMatchObject({ kind: 'permanent', reason: 'INVALID_RECIPIENT' })
  })

  test('a group that does not exist is INVALID_RECIPIENT', async () => {
    const failure = await failureOf(number.send('120363000000000000@g.us', text('?')))
    expect(failure).toMatchObject({ kind: 'permanent', reason: 'INVALID_RECIPIENT' })
  })

  test.each([429, 503])('a refusal to name the media servers, %i, is temporary: the next file is sent', async code => {
    // A new connection knows no media server.
    const links = number.links.length
    rig.simulator.faults.cut(number.jid)
    await number.until(() => number.links.slice(links).some(({ state }) => state === 'open'))
    rig.simulator.faults.receiving.refuseQueries(number.jid, 'w:m', code)
    const failure = await failureOf(number.send(ana.jid, media('image', '/picture.png')))
    expect(failure.kind).toBe('transient')
    rig.simulator.faults.receiving.refuseQueries(number.jid, 'w:m')
    await arrives(media('image', '/picture.png'))
  })

  test('a refusal with 463 is SEND_FAILED, and the number is restricted', async () => {
    const before = Date.now()
    const failure = await failureOf(number.send('5511910000463@s.whatsapp.net', text('?')))
    expect(failure).toMatchObject({ kind: 'permanent', reason: 'SEND_FAILED' })
    expect(number.restrictions.at(-1)).toBeGreaterThan(before)
  })

  test('a refusal with 463 is only SEND_FAILED if the platform says that the number is not restricted', async () => {
    const known = number.restrictions.length
    const since = Date.now()
    await until(() => Date.now() > Math.max(since, number.restrictions.at(-1) ?? 0) + 1_000)
    rig.simulator.faults.rejectMessages(number.jid, 463, 1)
    const failure = await failureOf(number.send(ana.jid, text('?')))
    expect(failure).toMatchObject({ kind: 'permanent', reason: 'SEND_FAILED' })
    expect(number.restrictions).toHaveLength(known)
  })

  test('a refusal with 479 is SEND_FAILED', async () => {
    rig.simulator.faults.rejectMessages(number.jid, 479, 1)
    const failure = await failureOf(number.send(ana.jid, text('?')))
    expect(failure).toMatchObject({ kind: 'permanent', reason: 'SEND_FAILED' })
  })

  test('a message that the platform never acknowledges is a transient failure', async () => {
    const failure = await failureOf(number.send('5511910000503@s.whatsapp.net', text('?')))
    expect(failure).toMatchObject({ kind: 'transient' })
  })

  test('a message on a link that has died unnoticed waits for the link, because no platform refused it', async () => {
    rig.simulator.faults.silence(number.jid)
    expect(await failureOf(number.send(ana.jid, text('?')))).toMatchObject({ kind: 'link_down' })
    await number.open()
    await arrives(text('on a new link'))
  })

  test('a late ack ends no link while nothing can be written: neither the message nor a probe leaves then', async () => {
    let letGo = (): void => {}
    const written = new Promise<void>(resolve => {
      letGo = resolve
    })
    number.storage.beforeCommit = () => written
    number.storage.isUnavailable = () => true
    const known = number.links.length
    expect(await failureOf(number.send(ana.jid, text('?')))).toMatchObject({ kind: 'link_down' })
    number.storage.beforeCommit = async () => {}
    number.storage.isUnavailable = () => false
    letGo()
    await arrives(text('on the same link'))
    expect(number.links.slice(known)).toEqual([])
  })

  test('a recipient that never acknowledges delays no other recipient', async () => {
    // The message is abandoned after an hour.
    const patient = await startRig({ platform: { ackTimeoutMs: 3_600_000 } })
    const held = await patient.link('999400000009')
    const [reader, silent] = [patient.simulator.phone('5511910000009'), '5511910000503@s.whatsapp.net']
    const stuck = failureOf(held.send(silent, text('?')))
    const platformId = makePlatformId()
    await expect(held.send(reader.jid, text('quick'), { platformId })).resolves.toMatchObject({ kind: 'sent' })
    await patient.simulator.until(() => reader.message(platformId))
    await held.close()
    expect(await stuck).toMatchObject({ kind: 'link_down' })
    await patient.close()
  })

  test('a retry is never a second message: the id on the wire stays the same', async () => {
    const platformId = makePlatformId()
    rig.simulator.faults.withholdAcks(number.jid, 1)
    await failureOf(number.send(ana.jid, text('again'), { platformId }))
    const { held } = await arrives(text('again'), { platformId })
    expect(held.id).toBe(platformId)
    expect(ana.inbox().filter(({ id }) => id === platformId).length).toBe(1)
  })

  test('a command whose link is lost before the ack waits for the link', async () => {
    const before = number.storage.commits.length
    const sending = failureOf(number.send('5511910000503@s.whatsapp.net', text('cut')))
    await number.until(() => number.storage.commits.slice(before).some(({ sent }) => sent))
    rig.simulator.faults.cut(number.jid)
    expect(await sending).toMatchObject({ kind: 'link_down' })
    await number.open()
  })
})

describe('Calls of the API', () => {
  test.each([
    [true, 'text', 'composing'],
    [true, 'audio', 'recording'],
    [false, 'text', 'paused'],
  ] as const)('typing %s with media %s is shown to the contact', async (typing, kind, shown) => {
    await number.run({ kind: 'typing', chatJid: ana.jid, typing, media: kind })
    await number.until(() => ana.typingFrom(number.jid) === shown)
  })

  test('a message that is marked as read is read to its sender', async () => {
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'read me' })
    await number.until(() => number.storage.seen.has(id))
    await number.run({ kind: 'read', chatJid: ana.jid, messageIds: [id] })
    await rig.simulator.until(() => ana.tick(id, number.jid) === 'read')
  })

  test('a reaction in a channel is added, and removed by an empty one', async () => {
    const channel = rig.simulator.channel({ name: 'News', owner: ana.digits, followers: [DIGITS] })
    const post = await channel.post({ type: 'text', text: 'hot' })
    const about = { newsletterJid: channel.jid, serverId: post.serverId, messageId: post.id }
    await number.run({ kind: 'newsletter_react', emoji: '🔥', ...about })
    expect(channel.posts()[0]?.reactions.get(DIGITS)).toBe('🔥')
    await number.run({ kind: 'newsletter_react', emoji: '', ...about })
    expect(channel.posts()[0]?.reactions.get(DIGITS) ?? '').toBe('')
  })

  test('a contact check returns whether a number is on the platform', async () => {
    const phones = ['5511910000001', '5511910000404']
    await expect(number.run({ kind: 'contact_check', phones })).resolves.toMatchObject({
      kind: 'checked',
      numbers: [
        { phone: phones[0], outcome: 'found', jid: ana.jid },
        { phone: phones[1], outcome: 'not_found', jid: null },
      ],
    })
  })
})
