import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Phone } from '@postern/simulator/phone/phone'
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, normalizeMessageContent, proto } from 'baileys'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePlatformId } from '../../src/domain/ids.ts'
import type { Content } from '../../src/domain/message.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'
import { startStack } from '../harness/whatsapp-stack.ts'

/** Sends, in the form that the platform expects of its own clients. */

const DIGITS = '999550000001'
const DAY = 86_400

let rig: Rig
let number: Hosted
let ana: Phone
let files: Server
const received: BinaryNode[] = []

beforeAll(async () => {
  files = createServer((request, response) => {
    const isPicture = request.url === '/picture.jpg'
    const body = Buffer.concat([Buffer.from(isPicture ? 'ffd8ffe0' : '25504446', 'hex'), Buffer.alloc(300, 7)])
    response.writeHead(200, { 'content-type': isPicture ? 'image/jpeg' : 'application/pdf' }).end(body)
  })
  await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
  rig = await startRig()
  rig.simulator.network.onReceived = (_device, stanza) => void received.push(stanza)
  number = await rig.link(DIGITS)
  ana = rig.simulator.phone('5511955000001')
})
afterAll(async () => {
  await rig.close()
  await new Promise(resolve => files.close(resolve))
})
beforeEach(() => void (received.length = 0))

const file = (more: Partial<Extract<Content, { type: 'media' }>>): Content => {
  const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  const rest = { caption: '', mentions: [], filename: null, viewOnce: false }
  return { type: 'media', mediaType: 'image', url: `${url}/picture.jpg`, ...rest, ...more }
}

/** The encrypted parts of a message, for each device. */
function partsOf(stanza: BinaryNode | undefined): BinaryNode[] {
  const recipients = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'participants'), 'to')
  return [...recipients, ...(stanza ? [stanza] : [])].flatMap(node => getBinaryNodeChildren(node, 'enc'))
}
const messageOf = (id: string) => received.find(({ tag, attrs }) => tag === 'message' && attrs.id === id)
const namesOfMedia = (id: string) => [...new Set(partsOf(messageOf(id)).map(({ attrs }) => attrs.mediatype))]

describe('A message inside a wrapper', () => {
  test('that is a document with a caption names its media to every device', async () => {
    const id = makePlatformId()
    const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/report.pdf`
    await number.send(ana.jid, file({ mediaType: 'document', url, caption: 'read me' }), { platformId: id })
    expect(namesOfMedia(id)).toEqual(['document'])
    for (const phone of [ana, rig.simulator.phone(number.jid)]) {
      const { message } = await rig.simulator.until(() => phone.message(id))
      expect(normalizeMessageContent(message)?.documentMessage?.caption).toBe('read me')
    }
  })

  test('that can be viewed once names its media and says so', async () => {
    const group = rig.simulator.group({ subject: 'Team', owner: ana.digits, members: [DIGITS] })
    for (const to of [ana.jid, group.jid]) {
      const id = makePlatformId()
      await number.send(to, file({ viewOnce: true }), { platformId: id })
      expect(namesOfMedia(id)).toEqual(['image'])
      expect(getBinaryNodeChild(messageOf(id), 'meta')?.attrs).toEqual({ view_once: 'true' })
      const { message } = await rig.simulator.until(() => ana.message(id))
      expect(message.viewOnceMessageV2?.message?.imageMessage?.viewOnce).toBe(true)
    }
  })
})

test('a poll to status has one meta node, with the audience in it', async () => {
  await number.send(ana.jid, text('hello'))
  const id = makePlatformId()
  const poll: Content = { type: 'poll', name: 'Q?', options: ['a', 'b'], selectableCount: 1 }
  await number.send('status@broadcast', poll, { platformId: id })
  const metas = getBinaryNodeChildren(messageOf(id), 'meta').map(({ attrs }) => attrs)
  expect(metas).toEqual([{ polltype: 'creation', status_setting: 'contacts' }])
})

describe('Queries about channels', () => {
  const OLDER = ['6388546374527196', '6563316087068696']
  const NEWER = ['25399611239711790', '27456920720571478']
  afterEach(() => rig.simulator.faults.retireQueries())

  test.each([
    ['older', OLDER, '999550000002'],
    ['newer', NEWER, '999550000003'],
  ])('are answered although the platform has retired the %s ones', async (_which, retired, digits) => {
    rig.simulator.faults.retireQueries(...retired)
    const followed = rig.simulator.channel({ name: 'News', owner: ana.digits, followers: [digits] })
    const follower = await rig.link(digits)
    await rig.simulator.until(() => followed.watchers().includes(digits))
    const own = rig.simulator.channel({ name: 'Own', owner: digits })
    await own.post({ type: 'text', text: 'from the phone' })
    await follower.until(() => follower.reasons.get('channel_managed') === 1)
  })
})

describe('A chat in which messages disappear', () => {
  const expirationOf = async (to: string) => {
    const id = makePlatformId()
    await number.send(to, text('for a while'), { platformId: id })
    const { message } = await rig.simulator.until(() => ana.message(id))
    return normalizeMessageContent(message)?.extendedTextMessage?.contextInfo?.expiration ?? 0
  }
  const isRead = (id: string) => number.until(() => number.storage.seen.has(id))

  test('with a contact makes ours disappear too, until the contact ends it', async () => {
    expect(await expirationOf(ana.jid)).toBe(0)
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'psst' }, { ephemeralSeconds: DAY })
    await isRead(id)
    expect(await expirationOf(ana.jid)).toBe(DAY)
    const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type
    const protocolMessage = { type: EPHEMERAL_SETTING, ephemeralExpiration: 0 }
    await ana.sendTo(number.jid, { type: 'raw', message: { protocolMessage } })
    await number.until(() => number.reasons.get('protocol_ephemeral_setting'))
    expect(await expirationOf(ana.jid)).toBe(0)
  })

  test('that is a group makes ours disappear too', async () => {
    const group = rig.simulator.group({ subject: 'Brief', owner: ana.digits, members: [DIGITS] })
    rig.simulator.network.groups.get(group.jid)!.ephemeralSeconds = DAY
    expect(await expirationOf(group.jid)).toBe(DAY)
  })
})

test.each([
  [429, {}],
  [500, {}],
  [503, {}],
  [475, { backoff: '60' }],
])('an ack that asks for patience (%i %j) is a temporary failure', async (code, attrs) => {
  rig.simulator.faults.rejectMessages(number.jid, code, 1, attrs)
  await expect(number.send(ana.jid, text('later'))).rejects.toMatchObject({ failure: { kind: 'transient' } })
})

test('a number that the platform corrects is reached: the message and its receipts keep what was asked, and answers have the real one', async () => {
  const stack = await startStack()
  try {
    const sender = await stack.link('999550000009')
    const real = stack.simulator.phone('551155000002')
    const asked = '5511955000002@s.whatsapp.net'
    stack.simulator.faults.correctNumber(asked, real.digits)
    const handle = await sender.sendAndSettle(asked, 'hello')
    expect(await sender.message(handle)).toMatchObject({ to: asked, state: expect.stringMatching(/sent|delivered/) })
    const held = await stack.simulator.until(() => real.message(handle.platformId))
    expect(held.message.extendedTextMessage?.text).toBe('hello')
    expect(await sender.next('receipt')).toMatchObject({ recipient_jid: asked })
    await real.sendTo(sender.jid, { type: 'text', text: 'hi' })
    expect(await sender.next('message')).toMatchObject({ chat_jid: real.jid })
  } finally {
    await stack.close()
  }
})
