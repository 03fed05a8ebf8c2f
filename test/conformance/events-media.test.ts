import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Content } from '@postern/simulator/phone/content'
import type { Phone } from '@postern/simulator/phone/phone'
import type { SendOptions } from '@postern/simulator/phone/writing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../harness/certificates.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

const MB = 1024 * 1024

let stack: Stack
let number: StackNumber
let ana: Phone

beforeAll(async () => {
  stack = await startStack({ platform: { mediaTimeoutMs: 5_000 } })
  number = await stack.link('999310000001')
  ana = stack.simulator.phone('5511901000001')
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

type Fields = Record<string, unknown>

const incoming = async (content: Content, options?: SendOptions) => {
  const { id } = await ana.sendTo(number.jid, content, options)
  return await number.next('message', event => event.message_id === id)
}

describe('Kind message with media', () => {
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

  test('a claimed size that is too low is detected while streaming', async () => {
    const { media: part } = await incoming({ type: 'image', size: 6 * MB, claimedSize: 100 })
    expect(part).toMatchObject({ status: 'too_large', data: '', file_length: 100 })
  })

  test('a claimed size that is too high is believed before the download', async () => {
    const { media: part } = await incoming({ type: 'image', size: 10, claimedSize: 50 * MB })
    expect(part).toMatchObject({ status: 'too_large', data: '', file_length: 50 * MB })
  })

  test('a file_length that is wrong and small is replaced by the real size', async () => {
    const { media: part } = await incoming({ type: 'image', size: 5_000, claimedSize: 100 })
    expect(part).toMatchObject({ status: 'downloaded', file_length: 5_000 })
  })

  test('a download that fails gives status error, and the event is still sent', async () => {
    stack.simulator.faults.media({ kind: 'status', status: 400 }, 1)
    const { media: part } = await incoming({ type: 'image', size: 20 })
    expect(part).toEqual({ mimetype: 'image/jpeg', extension: 'jpg', file_length: 20, data: '', status: 'error' })
  })

  test('a media server that does not respond gives status error, and the event is sent in time', async () => {
    stack.simulator.faults.media({ kind: 'delay', delayMs: 30_000 }, 1)
    const { media: part } = await incoming({ type: 'image', size: 20, caption: 'slow' })
    expect(part).toMatchObject({ data: '', status: 'error' })
  })

  test('files that do not arrive delay only other files: a text is published meanwhile', async () => {
    const senders = Array.from({ length: 10 }, (_, i) => stack.simulator.phone(`55119020000${10 + i}`))
    stack.simulator.faults.media({ kind: 'delay', delayMs: 30_000 }, 10)
    const sent = await Promise.all(senders.map(phone => phone.sendTo(number.jid, { type: 'image', data: file })))
    const text = await incoming({ type: 'text', text: 'meanwhile' })
    const published = number.events.filter(event => event.kind === 'message')
    expect(published.map(event => event.message_id)).toEqual([text.message_id])
    for (const { id } of sent) await number.next('message', event => event.message_id === id)
  })

  test('bytes other than those that the sender meant give status error', async () => {
    // On both media servers, and again after the phone has uploaded it once more.
    stack.simulator.faults.media({ kind: 'corrupt' }, 4)
    const { media: part } = await incoming({ type: 'image', size: 2_000 })
    expect(part).toMatchObject({ data: '', status: 'error' })
  })

  test('a download that breaks off is retried', async () => {
    stack.simulator.faults.media({ kind: 'cut', afterBytes: 100 }, 1)
    const { media: part } = await incoming({ type: 'image', size: 20_000 })
    expect(part).toMatchObject({ status: 'downloaded' })
  })

  /** Deletes the file before the number, which is offline, can request it. */
  const withdrawn = async (status: number, lost: boolean) => {
    stack.simulator.faults.cut(number.jid, 60_000)
    const { id } = await ana.sendTo(number.jid, { type: 'image', data: file })
    const path = ana.sent().find(one => one.id === id)!.message.imageMessage!.directPath!
    stack.simulator.faults.withdrawMedia(path, status, lost)
    stack.simulator.faults.cut(number.jid, 0)
    return await number.next('message', event => event.message_id === id)
  }

  test.each([404, 410])('a file that is missing (%i) is requested again from the sender, once', async status => {
    const { media: part } = await withdrawn(status, false)
    expect(part).toMatchObject({ status: 'downloaded', data: file.toString('base64') })
  })

  test('a file that is permanently missing gives status error', async () => {
    expect((await withdrawn(404, true)).media).toMatchObject({ status: 'error', data: '' })
  })

  test('an address that is not the platform’s own is never requested', async () => {
    const { certificate: cert, privateKey: key } = makeCertificate({ hosts: ['127.0.0.1'] })
    const asked: Array<string | undefined> = []
    let dialled = 0
    const stranger = createServer({ cert, key }, (request, response) => {
      asked.push(request.url)
      response.end()
    }).on('connection', () => dialled++)
    await new Promise<void>(resolve => stranger.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(stranger.address() as AddressInfo).port}/x`
    const part = { url, mimetype: 'image/png', fileLength: 3, mediaKey: Buffer.alloc(32, 1) }
    const { media } = await incoming({ type: 'raw', message: { imageMessage: part } })
    expect(media).toEqual({ mimetype: 'image/png', extension: 'png', file_length: 3, data: '', status: 'error' })
    expect(dialled).toBe(0)
    expect(asked).toEqual([])
    await new Promise(resolve => stranger.close(resolve))
  })

  test('a file that has only a path is requested from the media server of the sandbox, and from no other', async () => {
    const { id } = await ana.sendTo(number.jid, { type: 'image', data: file })
    const { url: _, ...part } = ana.sent().find(one => one.id === id)!.message.imageMessage!
    const found = await incoming({ type: 'raw', message: { imageMessage: part } })
    expect(found.media).toMatchObject({ status: 'downloaded', data: file.toString('base64') })
  })

  test('a view-once image is an image', async () => {
    expect(await incoming({ type: 'image', data: file }, { viewOnce: true })).toMatchObject({ type: 'image' })
  })

  test.each([
    ['report.PDF', 'application/octet-stream', 'pdf'],
    ['no extension', 'application/pdf', 'pdf'],
    ['archive.tar.gz', 'application/gzip', 'gz'],
    ['x', 'application/x-unheard-of', 'bin'],
  ])('the extension of a document called %s of type %s is %s', async (filename, mimetype, extension) => {
    const { media: part } = await incoming({ type: 'document', data: file, filename, mimetype })
    expect(part).toMatchObject({ filename, mimetype, extension })
  })

  test.each(['image', 'video', 'audio', 'sticker'] as const)('an %s has no filename', async type => {
    expect((await incoming({ type, data: file })).media).not.toHaveProperty('filename')
  })

  test('data is standard base64, with its padding', async () => {
    const bytes = Buffer.from([0xfb, 0xff, 0xbf, 0x01])
    expect((await incoming({ type: 'image', data: bytes })).media?.data).toBe('+/+/AQ==')
  })
})
