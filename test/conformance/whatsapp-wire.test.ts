import { userOf } from '@postern/simulator/people'
import type { Phone } from '@postern/simulator/phone/phone'
import { node } from '@postern/simulator/wire/node'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { baseConfig, directRoute, mediaRouteOf } from '../../src/platform/whatsapp/engine/socket-config.ts'
import { type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'
import { encodeStanza } from '../harness/wire-fuzz/encode-stanza.ts'
import { bytesField } from '../harness/wire-fuzz/proto-bytes.ts'
import { deviceOf, padded, say, sealed, type Wire } from '../harness/wire-fuzz/wire.ts'

/** Stanzas that no phone of ours writes, found by fuzzing the wire. */

let rig: Rig
let ours: Hosted
let ana: Phone
let wire: Wire
const OURS = '999500000012'
/** The stanzas that the server received. */
const received: Array<Record<string, unknown>> = []

beforeAll(async () => {
  const logger = { debug: (fields: Record<string, unknown>) => void received.push(fields), warn: () => {} }
  rig = await startRig({ historySync: false, encode: encodeStanza, logger })
  ours = await rig.link(OURS)
  ana = rig.simulator.phone('5511920000001')
  const { network } = rig.simulator
  wire = { network, device: deviceOf(network, OURS), sender: userOf(network, ana.digits), label: '' }
})
afterAll(() => rig.close())
beforeEach(() => {
  ours.events.length = 0
  ours.reasons.clear()
  ours.links.length = 0
})

const isConfirmed = () => wire.device.outbox.entries.size === 0
const now = () => String(Math.floor(Date.now() / 1000))

/** Waits for the event of Ana's next message: by then everything sent before has been received. */
async function receivedAll(): Promise<void> {
  const { id } = await ana.sendTo(ours.jid, { type: 'text', text: 'next' })
  await ours.until(() => ours.events.some(event => event.kind === 'message' && event.message_id === id))
}

// The library encodes these as other names, as nothing, or as an unreadable frame.
test.each(['constructor', '__proto__', 'toString', '@', 'x@', ':@:', '1:300@s.whatsapp.net', '1_7@s.whatsapp.net'])(
  'a stanza named %s is confirmed by that name, and the link stays',
  async id => {
    const words = [sealed(wire, padded(bytesField(1, 'words')))]
    say(wire, node('message', { from: ana.jid, id, t: now(), type: 'text' }, words))
    say(wire, node('message', { from: ana.jid, id: `A${ours.events.length}${id.length}`, t: now(), type: id }, words))
    say(wire, node('receipt', { from: ana.jid, id, t: now(), type: 'read' }))
    say(wire, node('notification', { from: ana.jid, id, t: now(), type: 'picture' }, [node('set', {})]))
    say(
      wire,
      node('call', { from: ana.jid, id, t: now() }, [node('offer', { 'call-id': id, 'call-creator': ana.jid })]),
    )
    await receivedAll()
    await rig.simulator.until(isConfirmed)
    expect(ours.links).toEqual([])
    expect(ours.reasons.get('unanswerable')).toBe(5)
    await ours.until(() => ours.reasons.get('poison') === 2)
  },
)

test('a message that cannot be confirmed normally is stored as it came before it is confirmed', async () => {
  const waited: boolean[] = []
  ours.storage.beforeCommit = async ({ inbox = [] }) => {
    if (inbox.some(({ poison }) => poison)) waited.push(!isConfirmed())
  }
  const words = [sealed(wire, padded(bytesField(1, 'words')))]
  say(wire, node('message', { from: ana.jid, id: 'kept@', t: now(), type: 'text' }, words))
  await rig.simulator.until(isConfirmed)
  ours.storage.beforeCommit = async () => {}
  expect(waited).toEqual([true])
  const kept = [...ours.storage.inbox.values()].find(({ key }) => key.endsWith('/kept@'))
  expect(kept).toMatchObject({ kind: 'message', poison: true })
  expect(Buffer.from(kept!.body).toString()).toContain(Buffer.from(words[0]!.content as Uint8Array).toString('base64'))
})

test.each([1, 98, 100, 255])('a message from device %i of a person is published', async device => {
  const sender = userOf(wire.network, rig.simulator.phone(`551193000${1000 + device}`).digits)
  const words = [sealed({ ...wire, sender }, padded(bytesField(1, 'words')))]
  const id = `DEVICE${device}`
  say(wire, node('message', { from: `${sender.digits}:${device}@s.whatsapp.net`, id, t: now(), type: 'text' }, words))
  await ours.until(() => ours.events.some(event => event.kind === 'message' && event.message_id === id))
  await rig.simulator.until(isConfirmed)
  expect(ours.reasons.get('unanswerable')).toBeUndefined()
})

test.each(['@', 'shop@', 'constructor'])('a number whose profile name is %s keeps its link', async name => {
  const attrs = { from: ours.jid, recipient: ana.jid, id: `OWN${name.length}`, t: now(), type: 'text', notify: name }
  say(wire, node('message', attrs))
  await receivedAll()
  await rig.simulator.until(isConfirmed)
  expect(ours.links).toEqual([])
})

test('a contact who sends unreadable messages does not delay others', async () => {
  for (let i = 0; i < 60; i++) {
    const garbage = node('enc', { v: '2', type: 'msg' }, Buffer.alloc(40, i))
    say(wire, node('message', { from: ana.jid, id: `GARBAGE${i}`, t: now(), type: 'text' }, [garbage]))
  }
  await receivedAll()
  // The library would pause after each of them.
  const network = { kind: 'whatsapp' } as const
  expect(baseConfig(network, directRoute(mediaRouteOf(network, 1_000)), 1_000).retryRequestDelayMs).toBe(0)
  await rig.simulator.until(isConfirmed)
})

test('unknown kinds of stanzas are counted together', async () => {
  for (const kind of ['flurb', 'blurb', '']) {
    say(wire, node('receipt', { from: ana.jid, id: `R${kind}`, t: now(), type: kind ? `r${kind}` : 'retry' }))
    say(wire, node('notification', { from: ana.jid, id: `N${kind}`, t: now(), ...(kind && { type: kind }) }))
    const call = node(kind || 'transport', { 'call-id': 'C', 'call-creator': ana.jid })
    say(wire, node('call', { from: ana.jid, id: `C${kind}`, t: now() }, [call]))
  }
  await ours.until(() => ours.reasons.has('call_transport') && ours.reasons.get('call_other') === 2)
  expect(Object.fromEntries(ours.reasons)).toMatchObject({
    receipt_other: 2,
    receipt_retry: 1,
    notification_other: 3,
    call_other: 2,
    call_transport: 1,
  })
  expect([...ours.reasons.keys()].filter(reason => /flurb|blurb/.test(reason))).toEqual([])
})

test('typing without a sender, calls without an id or a caller and receipts without a sender are counted, not published', async () => {
  const typing = [node('composing', {})]
  say(wire, node('chatstate', {}, typing))
  say(wire, node('chatstate', { from: '' }, typing))
  say(wire, node('chatstate', { from: '120363000000000009@g.us' }, typing))
  say(wire, node('call', { from: ana.jid, id: 'K1', t: now() }, [node('offer', { 'call-creator': ana.jid })]))
  const strangers = { 'call-id': 'K', 'call-creator': 'nobody' }
  say(wire, node('call', { from: 'x', id: 'K2', t: now() }, [node('offer', strangers)]))
  say(wire, node('receipt', { from: '120363000000000009@g.us', participant: 'x', id: 'K3', t: now(), type: 'read' }))
  await receivedAll()
  await ours.until(() => ours.reasons.get('chatstate_of_nobody') === 3 && ours.reasons.has('receipt_of_nobody'))
  expect(Object.fromEntries(ours.reasons)).toMatchObject({
    chatstate_of_nobody: 3,
    call_without_id: 1,
    call_from_nobody: 1,
    receipt_of_nobody: 1,
  })
  expect(ours.events.filter(({ kind }) => kind !== 'message')).toEqual([])
  await rig.simulator.until(isConfirmed)
})

test.each(['milliseconds', 'words'])(
  'a receipt with an invalid time, such as one in %s, is published with the time of its arrival',
  async kind => {
    const t = kind === 'words' ? 'yesterday' : String(Date.now())
    const before = Math.floor(Date.now() / 1000) * 1000
    say(wire, node('receipt', { from: ana.jid, id: `TIME${kind}`, t }))
    const receipt = await ours.until(() => ours.receipts.find(({ platformIds }) => platformIds.includes(`TIME${kind}`)))
    expect(receipt.atMs).toBeGreaterThanOrEqual(before)
    expect(receipt.atMs).toBeLessThanOrEqual(Date.now())
  },
)

test('a call whose offer names no caller is published with the caller of the stanza', async () => {
  say(wire, node('call', { from: ana.jid, id: 'K4', t: now() }, [node('offer', { 'call-id': 'K4', from: 'nobody' })]))
  const call = await ours.until(() => ours.events.find(event => event.kind === 'call'))
  expect(call).toMatchObject({ from_jid: ana.jid, call_id: 'K4' })
})

test('a ping is answered to the server, and to no other sender', async () => {
  const ping = { type: 'get', xmlns: 'urn:xmpp:ping' }
  say(wire, node('iq', { ...ping, id: 'ping-of-ana', from: ana.jid }))
  say(wire, node('iq', { ...ping, id: 'ping-1', from: 's.whatsapp.net' }))
  say(wire, node('iq', { ...ping, id: 'constructor' }))
  const answers = () => received.filter(({ tag }) => tag === 'iq').map(({ id }) => id)
  await rig.simulator.until(() => answers().includes('ping-1') && answers().includes('constructor'))
  await receivedAll()
  expect(answers()).not.toContain('ping-of-ana')
  expect(ours.links).toEqual([])
})

test('a status without an author is confirmed', async () => {
  const attrs = { from: 'status@broadcast', id: 'S1', t: now(), type: 'text', participant_pn: 'a\0b' }
  say(wire, node('message', attrs, [sealed(wire, padded(bytesField(1, 'words')))]))
  await rig.simulator.until(isConfirmed)
  expect(ours.links).toEqual([])
})
