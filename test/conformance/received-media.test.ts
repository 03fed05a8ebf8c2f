import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { blackPng } from '../harness/pictures.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'

/** A number with its webhook, an endpoint that gets files inline, one that gets their ids, and one that is read. */
let linked: LinkedGateway
let number: SandboxNumber
let ana: Phone
let byId: Receiver
let inline: Receiver
let pull: string
let mediaDir: string

beforeAll(async () => {
  const place = await newPlace('sqlite')
  mediaDir = join(place.env.POSTERN_DATA_DIR!, 'media')
  linked = await openLinkedGateway(place, 1)
  number = linked.numbers[0]!
  ana = linked.simulator.phone('5511900000001')
  byId = await startReceiver()
  inline = await startReceiver()
  const created = await linked.ask('POST', '/v1/endpoints', { url: byId.url(), media: 'url' })
  expect([created.status, created.json.media, created.json.include]).toEqual([201, 'url', []])
  const other = await linked.ask('POST', '/v1/endpoints', { url: inline.url() })
  expect([other.status, other.json.media]).toEqual([201, 'inline'])
  pull = (await linked.ask('POST', '/v1/endpoints', { type: 'pull', media: 'url' })).json.id
})
afterAll(async () => {
  await linked.close()
  await byId.close()
  await inline.close()
})

interface Told {
  message_id: string
  media: { id?: string; data: string; status: string; file_length: number; mimetype: string }
}

const bodyOf = async (receiver: Receiver, id: string): Promise<Buffer> => {
  const isIt = ({ body }: { body: Buffer }): boolean => body.includes(`"message_id":"${id}"`)
  await receiver.until(ledger => ledger.some(isIt))
  return receiver.ledger.find(isIt)!.body
}
const told = async (receiver: Receiver, id: string): Promise<Told> =>
  JSON.parse((await bodyOf(receiver, id)).toString())
const download = async (id: string) => {
  const { status, text, headers } = await linked.ask('GET', `/v1/media/${id}`)
  return { status, text, headers }
}

describe('A received file', () => {
  test('is in the event by its id for endpoints that want that, and inline for all others', async () => {
    const picture = Buffer.concat([blackPng({ width: 40, height: 30 }), randomBytes(300_000)])
    const sent = { type: 'image', data: picture, mimetype: 'image/png', caption: 'look' } as const
    const { id } = await ana.sendTo(number.jid, sent)
    const event = await told(byId, id)
    expect(event.media).toMatchObject({ data: '', status: 'downloaded', file_length: picture.length })
    expect(event.media.id).toMatch(/^med_[0-9a-z]{26}$/)
    const whole = await told(inline, id)
    expect(whole.media).toEqual({ ...event.media, id: undefined, data: picture.toString('base64') })
    expect((await bodyOf(inline, id)).equals(await bodyOf(linked.receiver, id))).toBe(true)
    expect(event).toEqual({ ...whole, media: event.media })
    const file = await download(event.media.id!)
    expect([file.status, file.headers['content-type']]).toEqual([200, 'image/png'])
    expect(file.headers['content-length']).toBe(String(picture.length))
  })

  test('comes by its id to programs that pull events', async () => {
    const { id } = await ana.sendTo(number.jid, { type: 'document', data: Buffer.from('words'), filename: 'a.txt' })
    const { media } = await told(byId, id)
    const { json } = await linked.ask('GET', `/v1/endpoints/${pull}/events?wait=5`)
    const bodies = (json.data as Array<{ body: string }>).map(({ body }) => JSON.parse(body) as Told)
    expect(bodies.find(body => body.message_id === id)?.media).toEqual(media)
    expect((await download(media.id!)).text).toBe('words')
  })

  test('of more than 4 MB stays with the platform until it is asked for, and is kept from then on', async () => {
    const content = `%PDF-1.7 ${'a page '.repeat(900_000)}`
    const { id } = await ana.sendTo(number.jid, { type: 'document', data: Buffer.from(content), filename: 'big.pdf' })
    const { media } = await told(byId, id)
    expect(media).toMatchObject({ data: '', status: 'remote', file_length: content.length })
    expect((await told(inline, id)).media).toMatchObject({ data: '', status: 'too_large' })
    const file = await download(media.id!)
    expect([file.status, file.text === content]).toEqual([200, true])
    expect(file.headers['content-disposition']).toContain('filename="big.pdf"')
    linked.simulator.faults.withdrawMedia(pathOf(id), 404, true)
    expect((await download(media.id!)).text === content).toBe(true)
  })

  test('that the platform has lost comes from the phone again, and is not found if the phone has lost it too', async () => {
    const big = (letter: string) => ({ type: 'document', data: Buffer.alloc(4_300_000, letter) }) as const
    const [again, lost] = [await ana.sendTo(number.jid, big('a')), await ana.sendTo(number.jid, big('b'))]
    const ids = [(await told(byId, again.id)).media.id!, (await told(byId, lost.id)).media.id!]
    linked.simulator.faults.withdrawMedia(pathOf(again.id), 410, false)
    linked.simulator.faults.withdrawMedia(pathOf(lost.id), 404, true)
    expect((await download(ids[0]!)).text.length).toBe(4_300_000)
    expectError(await linked.ask('GET', `/v1/media/${ids[1]}`), 404, 'media not found')
  })

  test('that the platform does not deliver now is no lost file, and nothing of a wrong one stays on the disk', async () => {
    const data = Buffer.alloc(4_300_000, 'c')
    const { id } = await ana.sendTo(number.jid, { type: 'document', data, filename: `../${'名'.repeat(300)}` })
    const { media } = await told(byId, id)
    // Two media servers, each as often as the gateway tries.
    linked.simulator.faults.media({ kind: 'status', status: 500 }, 6)
    const asked = await linked.ask('GET', `/v1/media/${media.id}`)
    expectError(asked, 502, 'the platform does not send the file now; send the request again')
    expect(asked.headers['retry-after']).toBe('5')
    // On both media servers, and again after the phone has uploaded it once more.
    linked.simulator.faults.media({ kind: 'corrupt' }, 4)
    expectError(await linked.ask('GET', `/v1/media/${media.id}`), 404, 'media not found')
    expect(existsSync(join(mediaDir, media.id!.slice(-2), media.id!))).toBe(false)
    const file = await download(media.id!)
    expect([file.status, file.text.length]).toEqual([200, data.length])
    // As long as a name may be, without a path in it.
    expect(file.headers['content-disposition']).toMatch(/ filename="\.\._{253}";/)
  })

  test('is in the event even if the disk fails, and is fetched when it works again', async () => {
    const away = `${mediaDir}-away`
    renameSync(mediaDir, away)
    writeFileSync(mediaDir, 'no folder')
    const { id } = await ana.sendTo(number.jid, { type: 'document', data: Buffer.from('not lost') })
    const { media } = await told(byId, id)
    rmSync(mediaDir)
    renameSync(away, mediaDir)
    expect(media).toMatchObject({ data: '', status: 'remote' })
    expect((await told(inline, id)).media).toMatchObject({ status: 'downloaded' })
    expect((await download(media.id!)).text).toBe('not lost')
  })

  test('shows its id and no name in the history', async () => {
    const sent = { type: 'document', data: Buffer.from('x'), filename: 'secret-name.txt' } as const
    const { id } = await ana.sendTo(number.jid, sent)
    const { media } = await told(byId, id)
    const { text } = await linked.ask('GET', '/v1/deliveries?limit=100')
    expect(text).toContain(media.id)
    expect(text).not.toContain('secret-name')
  })

  test('can be sent by its id', async () => {
    const { id } = await ana.sendTo(number.jid, { type: 'document', data: Buffer.from('forwarded'), filename: 'f.txt' })
    const { media } = await told(byId, id)
    const body = { session_id: number.id, to: ana.jid, media_type: 'document', media_id: media.id }
    const { json } = await linked.ask('POST', '/v1/messages', body)
    await linked.receiver.until(ledger =>
      ledger.some(each => each.body.includes(json.message_id) && each.body.includes('"status":"sent"')),
    )
  })
})

/** Where the platform has the file of a message. */
function pathOf(id: string): string {
  return ana.sent().find(message => message.id === id)!.message.documentMessage!.directPath!
}
