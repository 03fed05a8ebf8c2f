import type { Phone } from '@postern/simulator/phone/phone'
import { userOf } from '@postern/simulator/people'
import { node } from '@postern/simulator/wire/node'
import type { BinaryNode } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePlatformId } from '../../src/domain/ids.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'
import { bytesField } from '../harness/wire-fuzz/proto-bytes.ts'
import { deviceOf, padded, say, sealed, type Wire } from '../harness/wire-fuzz/wire.ts'

/** False claims of people about their number and their identity. */

let rig: Rig
let ours: Hosted
const OURS = '999570000001'
const received: BinaryNode[] = []
let made = 0

beforeAll(async () => {
  rig = await startRig({ historySync: false })
  rig.simulator.network.onReceived = (_device, stanza) => void received.push(stanza)
  ours = await rig.link(OURS)
})
afterAll(() => rig.close())
beforeEach(() => {
  received.length = 0
  ours.events.length = 0
  ours.autoReject = null
})

const person = (): Phone => rig.simulator.phone(`55119570${String(10_000 + ++made)}`)
const wireOf = (phone: Phone): Wire => ({
  network: rig.simulator.network,
  device: deviceOf(rig.simulator.network, OURS),
  sender: userOf(rig.simulator.network, phone.digits),
  label: 'a claimed name',
})
const messagesTo = (): Array<string | undefined> =>
  received.filter(({ tag }) => tag === 'message').map(({ attrs }) => attrs.to)

async function sent(to: string, words: string): Promise<string> {
  const platformId = makePlatformId()
  await ours.send(to, text(words), { platformId })
  return platformId
}

/** A call of this contact with these claims; resolves with its event. */
async function call(from: Phone, claims: Record<string, string>) {
  const id = `CALL${++made}`
  const offer = node('offer', { 'call-id': id, ...claims }, [node('audio', {})])
  say(wireOf(from), node('call', { from: from.lid, id: `C${id}`, t: '1790000000' }, [offer]))
  return await ours.until(() => ours.events.find(event => event.kind === 'call' && event.call_id === id))
}

describe('A call', () => {
  test('that claims another contact’s number changes nothing for that contact, and is published with its real caller', async () => {
    const [victim, mallory] = [person(), person()]
    await sent(victim.jid, 'first')
    const published = await call(mallory, { 'call-creator': mallory.lid, caller_pn: victim.jid })
    expect(published).toMatchObject({ from_jid: mallory.lid })
    received.length = 0
    const id = await sent(victim.jid, 'second')
    expect(messagesTo()).toEqual([victim.lid])
    await rig.simulator.until(() => victim.message(id))
    const { id: written } = await mallory.sendTo(ours.jid, { type: 'text', text: 'it is me' })
    const message = await ours.until(() =>
      ours.events.find(one => one.kind === 'message' && one.message_id === written),
    )
    expect(message).toMatchObject({ chat_jid: mallory.jid })
  })

  test('that claims the number of a stranger is published with its real caller', async () => {
    const [victim, mallory] = [person(), person()]
    const published = await call(mallory, { 'call-creator': mallory.lid, caller_pn: victim.jid })
    expect(published).toMatchObject({ from_jid: mallory.lid })
    received.length = 0
    await sent(victim.jid, 'first')
    expect(messagesTo()).toEqual([victim.lid])
  })

  test('that states its caller’s own number is published with it, even if the caller is unknown', async () => {
    const ana = person()
    expect(await call(ana, { 'call-creator': ana.lid, caller_pn: ana.jid })).toMatchObject({ from_jid: ana.jid })
  })

  test('in another contact’s name is published with its real caller, and rejected only to that caller', async () => {
    const [third, mallory] = [person(), person()]
    ours.autoReject = { message: 'Please write instead' }
    const published = await call(mallory, { 'call-creator': third.lid, caller_pn: third.jid })
    expect(published).toMatchObject({ from_jid: mallory.lid, rejected: true })
    await ours.until(() => messagesTo().length > 0)
    expect(messagesTo()).toEqual([mallory.lid])
    expect(received.filter(({ tag }) => tag === 'call').map(({ attrs }) => attrs.to)).toEqual([mallory.lid])
  })

  test('after many within the hour is rejected without another message', async () => {
    const mallory = person()
    ours.autoReject = { message: 'Please write instead' }
    for (let index = 0; index < 8; index += 1)
      expect(await call(mallory, { 'call-creator': mallory.lid })).toMatchObject({ rejected: true })
    await ours.until(() => ours.reasons.get('auto_reject_message_too_often') === 3)
    await ours.until(() => messagesTo().length === 5)
  })
})

/** A message of this contact with these attributes; resolves with its event. */
async function message(from: Phone, attrs: Record<string, string>) {
  const id = `MESSAGE${++made}`
  const wire = wireOf(from)
  const content = [sealed(wire, padded(bytesField(1, 'hello')))]
  say(wire, node('message', { id, t: '1790000000', type: 'text', ...attrs }, content))
  return await ours.until(() => ours.events.find(event => event.kind === 'message' && event.message_id === id))
}

describe('A message that names its recipient', () => {
  test('by number still belongs to its sender', async () => {
    const [victim, mallory] = [person(), person()]
    await sent(victim.jid, 'first')
    const published = await message(mallory, { from: mallory.lid, peer_recipient_pn: victim.jid })
    expect(published).toMatchObject({ chat_jid: mallory.lid, sender_jid: mallory.lid })
    received.length = 0
    await sent(victim.jid, 'second')
    expect(messagesTo()).toEqual([victim.lid])
  })

  test('by hidden identifier leaves that person’s own number unchanged', async () => {
    const [victim, mallory] = [person(), person()]
    await sent(victim.jid, 'first')
    await message(mallory, { from: mallory.jid, peer_recipient_lid: victim.lid })
    expect(await message(victim, { from: victim.lid })).toMatchObject({ chat_jid: victim.jid })
    received.length = 0
    await sent(mallory.jid, 'hello')
    expect(messagesTo()).toEqual([mallory.lid])
  })
})

test('a request in a direct chat for a message in another person’s name sends it to neither of them', async () => {
  const [victim, mallory] = [person(), person()]
  await sent(victim.jid, 'first')
  const id = await sent(mallory.jid, 'for you')
  received.length = 0
  const attrs = { from: mallory.lid, participant: victim.lid, id, type: 'retry', t: '1790000000' }
  say(wireOf(mallory), node('receipt', attrs, [node('retry', { count: '1', id, t: '1790000000', v: '1' })]))
  await ours.until(() => ours.reasons.get('retry_unreadable') === 1)
  expect(messagesTo()).toEqual([])
  const asked = { from: mallory.lid, id, type: 'retry', t: '1790000000' }
  say(wireOf(mallory), node('receipt', asked, [node('retry', { count: '1', id, t: '1790000000', v: '1' })]))
  await ours.until(() => messagesTo().length > 0)
  expect(messagesTo()).toEqual([mallory.lid])
})
