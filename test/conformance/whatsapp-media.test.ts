import type { Phone } from '@postern/simulator/phone/phone'
import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** Files of received messages that are missing or corrupt on a media server. */

let stack: Stack
let number: StackNumber
let ana: Phone
const DIGITS = '999540000001'
const file = Buffer.alloc(60, 0x5a)
const received: BinaryNode[] = []

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  stack.simulator.network.onReceived = (_device, stanza) => void received.push(stanza)
  number = await stack.link(DIGITS)
  ana = stack.simulator.phone('5511940000001')
})
afterAll(() => stack.close())
beforeEach(() => {
  received.length = 0
  number.forget()
})
afterEach(() => {
  const { faults } = stack.simulator
  for (const host of faults.mediaHosts()) faults.breakMediaHost(host)
  faults.switchPhoneOff(number.jid, false)
})

/** Deletes or corrupts the file before the number, which is offline, can request it. */
const spoilt = async (how: number | 'corrupt', lost: boolean, from = ana) => {
  stack.simulator.faults.cut(number.jid, 60_000)
  const { id } = await from.sendTo(number.jid, { type: 'image', data: file, caption: 'look' })
  const path = from.sent().find(one => one.id === id)!.message.imageMessage!.directPath!
  stack.simulator.faults.withdrawMedia(path, how, lost)
  stack.simulator.faults.cut(number.jid, 0)
  return id
}
const published = (id: string) => number.next('message', event => event.message_id === id)

test.each([[403], [404], [410], ['corrupt']] as const)(
  'a file that is %s is uploaded again by the phone, and published complete',
  async how => {
    const event = await published(await spoilt(how, false))
    expect(event.media).toMatchObject({ status: 'downloaded', data: file.toString('base64') })
  },
)

test.each([500, 403, 404])('if a media server answers %i, the file is fetched from another one', async status => {
  const [first] = stack.simulator.faults.mediaHosts()
  stack.simulator.faults.breakMediaHost(first!, status)
  const asked = stack.simulator.faults.fileRequests(number.jid)
  const { id } = await ana.sendTo(number.jid, { type: 'image', data: file })
  const event = await published(id)
  expect(event.media).toMatchObject({ status: 'downloaded', data: file.toString('base64') })
  expect(stack.simulator.faults.fileRequests(number.jid)).toBe(asked)
})

test('a message whose file no longer exists is published without it, and does not block its chat', async () => {
  const bob = stack.simulator.phone('5511940000002')
  stack.simulator.faults.switchPhoneOff(number.jid)
  const id = await spoilt(403, true, bob)
  const next = await bob.sendTo(number.jid, { type: 'text', text: 'behind it' })
  expect((await published(id)).media).toMatchObject({
    status: 'error',
    data: '',
    mimetype: 'image/jpeg',
    extension: 'jpg',
  })
  await published(next.id)
})

test('the request to the phone has exactly the platform’s form: its subject, encrypted under the key of the file', async () => {
  const group = stack.simulator.group({ subject: 'G', owner: ana.digits, members: [DIGITS] })
  stack.simulator.faults.cut(number.jid, 60_000)
  const { id } = await ana.sendTo(group.jid, { type: 'image', data: file })
  const path = ana.sent().find(one => one.id === id)!.message.imageMessage!.directPath!
  stack.simulator.faults.withdrawMedia(path, 410)
  stack.simulator.faults.cut(number.jid, 0)
  expect((await published(id)).media).toMatchObject({ status: 'downloaded' })
  const [asking, ...more] = received.filter(({ tag, attrs }) => tag === 'receipt' && attrs.type === 'server-error')
  expect(more).toEqual([])
  expect(asking?.attrs).toEqual({ id, to: `${DIGITS}@s.whatsapp.net`, type: 'server-error' })
  const about = { jid: group.jid, from_me: 'false', participant: ana.lid }
  expect(getBinaryNodeChild(asking, 'rmr')?.attrs).toEqual(about)
  const sealed = getBinaryNodeChild(asking, 'encrypt')
  expect(getBinaryNodeChild(sealed, 'enc_iv')?.content).toHaveLength(12)
  expect(getBinaryNodeChild(sealed, 'enc_p')?.content).not.toContain(id)
})
