import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Phone } from '@postern/simulator/phone/phone'
import { DEFAULT_CONNECTION_CONFIG, downloadMediaMessage, type WAMessage } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePlatformId } from '../../src/domain/ids.ts'
import type { Content } from '../../src/domain/message.ts'
import type { LinkedDevice } from '../../src/platform/platform.ts'
import { type BareSocket, openBareSocket } from '../harness/bare-socket.ts'
import { until } from '../harness/until.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

/** Defects of the library that the adapter corrects. Each test shows both. */

let rig: Rig
let ours: Hosted
let bare: BareSocket
let bareDevice: LinkedDevice
let ana: Phone
const BARE = '999500000001'
const bareJid = `${BARE}@s.whatsapp.net`
beforeAll(async () => {
  rig = await startRig({ historySync: false })
  ours = await rig.link('999500000002')
  bareDevice = await rig.pair(BARE)
  bare = await openBareSocket(rig.simulator, bareDevice)
  ana = rig.simulator.phone('5511920000001')
})
afterAll(async () => {
  await bare.end()
  await rig.close()
})
beforeEach(() => {
  ours.events.length = 0
  ours.receipts.length = 0
  bare.listened.length = 0
  bare.emitted.length = 0
  bare.stanzas.length = 0
  bare.order.length = 0
})

const listenedStatuses = () =>
  bare.listened.flatMap(([name, data]) =>
    name === 'messages.update'
      ? (data as Array<{ update: { status?: number } }>).map(({ update }) => update.status)
      : [],
  )
const emittedMessage = (id: string): WAMessage | undefined =>
  bare.emitted
    .flatMap(([name, data]) => (name === 'messages.upsert' ? (data as { messages: WAMessage[] }).messages : []))
    .find(({ key }) => key.id === id)
const receiptStanzas = () => bare.stanzas.filter(({ tag, attrs }) => tag === 'receipt' && attrs.type !== 'sender')
const unacknowledged = (jid: string) =>
  rig.simulator.numbers().find(number => number.jid === jid)?.devices[0]?.unacknowledged

test('E2: the library merges receipts; the gateway publishes each one', async () => {
  const sent = await bare.sock.sendMessage(ana.lid, { text: 'ticks' })
  const id = sent!.key.id!
  await rig.simulator.until(() => ana.message(id))
  ana.read(id)
  ana.play(id)
  await until(() => receiptStanzas().length === 3)
  bare.sock.ev.flush()
  expect(listenedStatuses().length).toBeLessThan(3)

  const platformId = makePlatformId()
  await ours.send(ana.jid, text('ticks'), { platformId })
  await rig.simulator.until(() => ana.message(platformId))
  ana.read(platformId)
  ana.play(platformId)
  await ours.until(() => ours.receipts.length === 3)
  expect(ours.receipts.map(({ type }) => type)).toEqual(['delivered', 'read', 'played'])
})

test('E3: in groups the library reports read where the platform says played', async () => {
  // With hidden identifiers the library would name itself among the recipients, and be refused.
  const group = (owner: string) =>
    rig.simulator.group({ subject: 'G', owner: ana.digits, members: [owner], addressing: 'pn' })
  const theirs = group(BARE)
  const { key } = (await bare.sock.sendMessage(theirs.jid, { text: 'all' }))!
  await rig.simulator.until(() => ana.message(key.id!))
  ana.play(key.id!)
  await until(() => receiptStanzas().some(({ attrs }) => attrs.type === 'played'))
  const updates = () =>
    bare.emitted.filter(([name]) => name === 'message-receipt.update').map(([, data]) => JSON.stringify(data))
  await until(() => updates().some(update => update.includes('readTimestamp')))
  expect(updates().some(update => update.includes('playedTimestamp'))).toBe(false)

  const platformId = makePlatformId()
  await ours.send(group('999500000002').jid, text('all'), { platformId })
  await rig.simulator.until(() => ana.message(platformId))
  ana.play(platformId)
  await ours.until(() => ours.receipts.some(({ type }) => type === 'played'))
})

test('E4, E5: the library reports a message as sent when it is written, and never reports the ack', async () => {
  rig.simulator.faults.withholdAcks(bareJid, 1)
  await expect(bare.sock.sendMessage(ana.lid, { text: 'written' })).resolves.toBeTruthy()
  const { key } = (await bare.sock.sendMessage(ana.lid, { text: 'acknowledged' }))!
  await until(() => bare.stanzas.some(({ tag, attrs }) => tag === 'ack' && attrs.id === key.id))
  // What looks like an ack comes from the number's own phone.
  const statusUpdates = bare.emitted.filter(
    ([name, data]) => name === 'messages.update' && JSON.stringify(data).includes('"status":2'),
  )
  const own = bare.stanzas.filter(({ tag, attrs }) => tag === 'receipt' && attrs.type === 'sender')
  expect(statusUpdates.length).toBeLessThanOrEqual(own.length)

  rig.simulator.faults.withholdAcks(ours.jid, 1)
  await expect(ours.send(ana.jid, text('written'))).rejects.toMatchObject({ failure: { kind: 'transient' } })
  await expect(ours.send(ana.jid, text('acknowledged'))).resolves.toMatchObject({ kind: 'sent' })
})

test('E6: the library leaves poll votes encrypted', async () => {
  const poll = { name: 'Q?', values: ['a', 'b'], selectableCount: 1 }
  const { key } = (await bare.sock.sendMessage(ana.lid, { poll }))!
  await rig.simulator.until(() => ana.message(key.id!))
  const vote = await ana.vote(bareJid, key.id!, ['a'])
  await until(() =>
    bare.emitted.some(([name, data]) => name === 'messages.upsert' && JSON.stringify(data).includes(vote.id)),
  )
  expect(bare.emitted.some(([, data]) => JSON.stringify(data ?? null).includes('pollUpdates'))).toBe(false)

  const platformId = makePlatformId()
  await ours.send(ana.jid, { type: 'poll', name: 'Q?', options: ['a', 'b'], selectableCount: 1 }, { platformId })
  await rig.simulator.until(() => ana.message(platformId))
  await ana.vote(ours.jid, platformId, ['a'])
  await ours.until(() => ours.events.some(event => event.kind === 'poll_vote' && event.selected_hashes.length === 1))
})

test('E7: the library does not distinguish "stopped typing" from "came online"', async () => {
  await bare.sock.sendNode({ tag: 'presence', attrs: { type: 'available', name: 'x' } })
  await until(() => {
    ana.typing(bareJid, 'paused')
    return bare.listened.some(([name]) => name === 'presence.update')
  })
  const [, update] = bare.listened.find(([name]) => name === 'presence.update')!
  expect(JSON.stringify(update)).toContain('"lastKnownPresence":"available"')

  ana.typing(ours.jid, 'paused')
  await ours.until(() => ours.events.some(event => event.kind === 'typing' && !event.typing))
})

test('E8: the library reports no live updates of a channel', async () => {
  const channel = rig.simulator.channel({ name: 'News', owner: ana.digits, followers: [BARE, '999500000002'] })
  await bare.sock.subscribeNewsletterUpdates(channel.jid)
  await rig.simulator.until(() => channel.watchers().length === 2)
  const post = await channel.post({ type: 'text', text: 'hot' }, 'live_updates')
  await until(() => bare.stanzas.some(({ tag }) => tag === 'notification') && unacknowledged(bareJid) === 0)
  expect(bare.emitted.filter(([name]) => name === 'messages.upsert')).toEqual([])

  const event = await ours.until(() => ours.events.find(one => one.kind === 'newsletter_message'))
  expect(event).toMatchObject({ server_id: post.serverId, message_id: post.id, text: 'hot' })
})

test('E11: the library emits a repeated stanza twice', async () => {
  rig.simulator.faults.duplicate(bareJid, 2, 1)
  const { id } = await ana.sendTo(bareJid, { type: 'text', text: 'twice' })
  const emissions = () =>
    bare.emitted.filter(([name, data]) => name === 'messages.upsert' && JSON.stringify(data).includes(id))
  await until(() => emissions().length >= 2)

  rig.simulator.faults.duplicate(ours.jid, 2, 1)
  const again = await ana.sendTo(ours.jid, { type: 'text', text: 'twice' })
  const isIt = (event: { kind: string }) => event.kind === 'message'
  await ours.until(() => ours.reasons.get('redelivered') && ours.events.some(isIt))
  expect(ours.events.filter(event => event.kind === 'message' && event.message_id === again.id).length).toBe(1)
})

test('E12: the library drops why a call ended, and invents a message for a missed one', async () => {
  const call = await ana.call(bareJid)
  await ana.hangUp(call.id, { reason: 'timeout' })
  await until(() => bare.listened.filter(([name]) => name === 'call').length === 2)
  expect(JSON.stringify(bare.listened.filter(([name]) => name === 'call'))).not.toContain('"reason"')
  await until(() =>
    bare.emitted.some(([name, data]) => name === 'messages.upsert' && JSON.stringify(data).includes(call.id)),
  )

  const other = await ana.call(ours.jid)
  await ana.hangUp(other.id, { reason: 'timeout' })
  await ours.until(() => ours.events.some(event => event.kind === 'call' && event.reason === 'timeout'))
  expect(ours.events.some(event => event.kind === 'message')).toBe(false)
})

test('E13: the library emits an edit as an ordinary message', async () => {
  const first = await ana.sendTo(bareJid, { type: 'text', text: 'tpyo' })
  const edit = await ana.edit(bareJid, first.id, 'typo', { isPlain: true })
  await until(() =>
    bare.emitted.some(([name, data]) => name === 'messages.upsert' && JSON.stringify(data).includes(edit.id)),
  )

  const mine = await ana.sendTo(ours.jid, { type: 'text', text: 'tpyo' })
  await ana.edit(ours.jid, mine.id, 'typo', { isPlain: true })
  await ours.until(() => ours.events.some(event => event.kind === 'message' && event.edited_message_id === mine.id))
})

test('E15: the library accepts a tampered file; the gateway does not', async () => {
  const original = Buffer.alloc(500, 7)
  const { id } = await ana.sendTo(bareJid, { type: 'image', data: original })
  await until(() => emittedMessage(id) !== undefined)
  rig.simulator.faults.media({ kind: 'corrupt' }, 1)
  const bytes = await downloadMediaMessage(emittedMessage(id)!, 'buffer', { options: bare.http })
  expect(bytes.length).toBe(original.length)
  expect(bytes.equals(original)).toBe(false)

  rig.simulator.faults.media({ kind: 'corrupt' }, 4)
  await ana.sendTo(ours.jid, { type: 'image', data: original })
  const event = await ours.until(() => ours.events.find(one => one.kind === 'message'))
  expect(event).toMatchObject({ media: { status: 'error', data: '' } })
})

test('E15: the library never requests missing media again; the gateway does, once', async () => {
  const { id } = await ana.sendTo(bareJid, { type: 'image', size: 500 })
  const path = ana.sent().find(one => one.id === id)!.message.imageMessage!.directPath!
  rig.simulator.faults.withdrawMedia(path, 410)
  await until(() => emittedMessage(id) !== undefined)
  let asked = 0
  const reuploadRequest = async (message: WAMessage) => {
    asked += 1
    return message
  }
  const downloading = downloadMediaMessage(
    emittedMessage(id)!,
    'buffer',
    { options: bare.http },
    {
      reuploadRequest,
      logger: DEFAULT_CONNECTION_CONFIG.logger,
    },
  )
  await expect(downloading).rejects.toThrow()
  expect(asked).toBe(0)

  ours.paused = true
  const mine = await ana.sendTo(ours.jid, { type: 'image', size: 500 })
  const gone = ana.sent().find(one => one.id === mine.id)!.message.imageMessage!.directPath!
  rig.simulator.faults.withdrawMedia(gone, 410)
  await ours.until(() => [...ours.storage.inbox.keys()].some(key => key.endsWith(mine.id)))
  ours.paused = false
  await ana.sendTo(ours.jid, { type: 'text', text: 'wake up' })
  const event = await ours.until(() => ours.events.find(one => one.kind === 'message' && one.message_id === mine.id))
  expect(event).toMatchObject({ media: { status: 'downloaded' } })
})

test('E16: the library fetches any address without being asked and follows redirects', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/hop') response.writeHead(302, { location: '/inner' }).end()
    else response.writeHead(200, { 'content-type': 'image/png' }).end('x')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hop`
  await bare.sock.sendMessage(ana.lid, { image: { url } }).catch(() => {})
  expect(asked).toEqual(['/hop', '/inner'])

  asked.length = 0
  const media: Content = {
    type: 'media',
    mediaType: 'image',
    url,
    caption: '',
    mentions: [],
    filename: null,
    viewOnce: false,
  }
  await expect(ours.send(ana.jid, media)).rejects.toMatchObject({ failure: { reason: 'MEDIA_FAILED' } })
  expect(asked).toEqual(['/hop'])
  await new Promise(resolve => server.close(resolve))
})

test('E17: the library acknowledges a message before it was handled; the gateway acknowledges after it is durable', async () => {
  await ana.sendTo(bareJid, { type: 'text', text: 'seen?' })
  await until(() => bare.order.includes('message'))
  expect(bare.order.slice(0, bare.order.indexOf('message'))).toContain('frame')

  let ticked: unknown = 'not committed'
  ours.storage.beforeCommit = async change => {
    const id = change.inbox
      ?.find(({ kind }) => kind === 'message')
      ?.key.split('/')
      .at(-1)
    if (id === undefined) return
    // When the platform has answered another number, it has received everything sent before; this number may not send a
    // query.
    await bare.sock.onWhatsApp(ana.digits)
    ticked = ana.tick(id, ours.jid)
  }
  const { id } = await ana.sendTo(ours.jid, { type: 'text', text: 'seen?' })
  await rig.simulator.until(() => ana.tick(id, ours.jid))
  expect(ticked).toBeUndefined()
  ours.storage.beforeCommit = async () => {}
})

describe('Messages that waited while the number was offline', () => {
  test('E1, E10: the library acknowledges them, holds them back, and loses them if the link drops early', async () => {
    const device = await rig.pair('999500000003')
    const away = `999500000003@s.whatsapp.net`
    const { id } = await ana.sendTo(away, { type: 'text', text: 'while away' })
    const early = await openBareSocket(rig.simulator, device)
    await until(() =>
      early.emitted.some(([name, data]) => name === 'messages.upsert' && JSON.stringify(data).includes(id)),
    )
    await until(() => unacknowledged(away) === 0)
    await early.end()
    expect(early.messages().filter(({ key }) => key.id === id)).toEqual([])

    const own = await rig.link('999500000004')
    await own.close()
    const mine = await ana.sendTo(own.jid, { type: 'text', text: 'while away' })
    rig.simulator.faults.cutAfter(own.jid, 1)
    const back = rig.host(own.device, own.storage.restarted())
    await back.until(() => back.events.some(event => event.kind === 'message' && event.message_id === mine.id))
  })

  test('E9: they are ordinary events, although the library calls them appended', async () => {
    await ours.close()
    const { id } = await ana.sendTo(ours.jid, { type: 'text', text: 'while away' })
    ours = rig.host(ours.device, ours.storage.restarted())
    await ours.until(() => ours.events.some(event => event.kind === 'message' && event.message_id === id))
    await bare.end()
    const theirs = await ana.sendTo(bareJid, { type: 'text', text: 'while away' })
    bare = await openBareSocket(rig.simulator, bareDevice)
    const upserts = () =>
      bare.emitted.filter(([name, data]) => name === 'messages.upsert' && JSON.stringify(data).includes(theirs.id))
    await until(() => upserts().length > 0)
    expect(upserts()[0]?.[1]).toMatchObject({ type: 'append' })
  })
})
