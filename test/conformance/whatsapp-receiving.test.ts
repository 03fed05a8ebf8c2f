import type { GroupHandle } from '@postern/simulator/handles'
import { userOf } from '@postern/simulator/people'
import type { Phone } from '@postern/simulator/phone/phone'
import { node } from '@postern/simulator/wire/node'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'
import { bytesField } from '../harness/wire-fuzz/proto-bytes.ts'
import { deviceOf, padded, say, sealed, sealedForGroup, type Wire } from '../harness/wire-fuzz/wire.ts'

/** Messages that arrive late, twice or under another name. */

const NUMBER = '999590000001'

let rig: Rig
let number: Hosted
let made = 0
beforeAll(async () => {
  rig = await startRig({ historySync: false })
  number = await rig.link(NUMBER)
})
afterAll(() => rig.close())
beforeEach(() => {
  number.events.length = 0
  number.reasons.clear()
})

const person = (): Phone => rig.simulator.phone(`55119590${String(10_000 + ++made)}`)
const groupOf = (owner: Phone): GroupHandle =>
  rig.simulator.group({ subject: 'G', owner: owner.digits, members: [NUMBER] })
const published = (): string[] => number.events.flatMap(event => (event.kind === 'message' ? [event.text] : []))

describe('Messages that arrive out of order', () => {
  test('in a group are all published', async () => {
    const ana = person()
    rig.simulator.faults.receiving.ignoreRetries(ana.digits, true)
    const group = groupOf(ana)
    await ana.sendTo(group.jid, { type: 'text', text: 'the key' })
    await number.until(() => published().length === 1)
    rig.simulator.faults.receiving.reorder(NUMBER, [2, 0, 3, 1])
    for (const words of ['g0', 'g1', 'g2', 'g3']) await ana.sendTo(group.jid, { type: 'text', text: words })
    await number.until(() => published().length === 5 || number.reasons.has('undecryptable'))
    expect(published()).toEqual(['the key', 'g2', 'g0', 'g3', 'g1'])
  })

  test('in a direct chat are all published', async () => {
    const ana = person()
    rig.simulator.faults.receiving.ignoreRetries(ana.digits, true)
    await ana.sendTo(number.jid, { type: 'text', text: 'first' })
    await number.until(() => published().length === 1)
    rig.simulator.faults.receiving.reorder(NUMBER, [2, 0, 3, 1])
    for (const words of ['d0', 'd1', 'd2', 'd3']) await ana.sendTo(number.jid, { type: 'text', text: words })
    await number.until(() => published().length === 5 || number.reasons.has('undecryptable'))
    expect(published()).toEqual(['first', 'd2', 'd0', 'd3', 'd1'])
  })
})

describe('A person with a username', () => {
  test('is published like any other, in a direct chat and in a group', async () => {
    const ana = person()
    ana.username = 'ana.b'
    const group = groupOf(ana)
    for (const chat of [number.jid, group.jid]) await ana.sendTo(chat, { type: 'text', text: chat })
    await number.until(() => published().length === 2)
    const common = { sender_jid: ana.jid, sender_name: '', type: 'text' }
    expect(number.events).toMatchObject([
      { ...common, chat_jid: ana.jid, is_group: false },
      { chat_jid: group.jid, is_group: true },
    ])
    expect(JSON.stringify(number.events)).not.toContain('ana.b')
  })
})

/** A person whose stanzas have any attributes. */
const raw = (from: Phone): Wire => ({
  network: rig.simulator.network,
  device: deviceOf(rig.simulator.network, NUMBER),
  sender: userOf(rig.simulator.network, from.digits),
  label: 'a message under another name',
})

describe('A message that arrives under both names of its sender', () => {
  const messagesWith = (id: string) =>
    number.events.filter(event => event.kind === 'message' && event.message_id === id)

  test.each(['lid', 'pn'] as const)('in a direct chat is published once, whichever comes first: %s', async first => {
    const ana = person()
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'once' }, { addressing: first })
    await number.until(() => messagesWith(id).length === 1)
    const from = first === 'lid' ? ana.jid : ana.lid
    const attrs = { from, id, t: '1790000000', type: 'text' }
    say(raw(ana), node('message', attrs, [sealed(raw(ana), padded(bytesField(1, 'once')))]))
    await number.until(() => number.reasons.get('redelivered') === 1)
    const next = await ana.sendTo(number.jid, { type: 'text', text: 'next' })
    await number.until(() => messagesWith(next.id).length === 1)
    expect(messagesWith(id)).toHaveLength(1)
  })

  test('in a group is published once, and its key is kept', async () => {
    const ana = person()
    const group = groupOf(ana)
    const { id } = await ana.sendTo(group.jid, { type: 'text', text: 'once' })
    await number.until(() => messagesWith(id).length === 1)
    // The sender's key comes again with the copy: without it the next message under that name could not be read.
    userOf(rig.simulator.network, ana.digits).keys.ownSenderKeys.clear()
    const say1 = (messageId: string, words: string) =>
      say(
        raw(ana),
        node(
          'message',
          {
            from: group.jid,
            participant: ana.jid,
            participant_lid: ana.lid,
            id: messageId,
            t: '1790000000',
            type: 'text',
          },
          sealedForGroup(raw(ana), group.jid, padded(bytesField(1, words))),
        ),
      )
    say1(id, 'once')
    await number.until(() => number.reasons.get('redelivered') === 1)
    say1('NEXT', 'next')
    await number.until(() => messagesWith('NEXT').length === 1)
    expect(messagesWith(id)).toHaveLength(1)
    expect(number.reasons.has('undecryptable')).toBe(false)
  })
})

describe('A contact whom the number never wrote to', () => {
  const write = (from: Phone, words: string, names: Record<string, string>): void => {
    const attrs = { id: `MOVED${++made}`, t: '1790000000', type: 'text', ...names }
    say(raw(from), node('message', attrs, [sealed(raw(from), padded(bytesField(1, words)))]))
  }
  beforeEach(() => number.reasons.clear())

  test('is read after the first message under the hidden identifier', async () => {
    const ana = person()
    rig.simulator.faults.receiving.ignoreRetries(ana.digits, true)
    write(ana, 'by number', { from: ana.jid })
    await number.until(() => published().length === 1)
    write(ana, 'by hidden identifier', { from: ana.lid, sender_pn: ana.jid })
    write(ana, 'again', { from: ana.lid, sender_pn: ana.jid })
    await number.until(() => published().length === 3 || number.reasons.has('undecryptable'))
    expect(published()).toEqual(['by number', 'by hidden identifier', 'again'])
  })

  test('is read after its hidden identifier became known otherwise', async () => {
    const ana = person()
    rig.simulator.faults.receiving.ignoreRetries(ana.digits, true)
    write(ana, 'by number', { from: ana.jid })
    await number.until(() => published().length === 1)
    const group = groupOf(ana)
    await number.send(group.jid, text('hello'))
    write(ana, 'by number again', { from: ana.jid })
    await number.until(() => published().length === 2 || number.reasons.has('undecryptable'))
    expect(published()).toEqual(['by number', 'by number again'])
  })

  test('is read after the first message of a hosted device under the hidden identifier', async () => {
    const ana = person()
    const [byNumber, byLid] = [`${ana.digits}:99@hosted`, ana.lid.replace('@lid', ':99@hosted.lid')]
    rig.simulator.faults.receiving.ignoreRetries(ana.digits, true)
    write(ana, 'by number', { from: byNumber })
    await number.until(() => published().length === 1)
    write(ana, 'by hidden identifier', { from: byLid, sender_pn: byNumber })
    await number.until(() => published().length === 2 || number.reasons.has('undecryptable'))
    expect(published()).toEqual(['by number', 'by hidden identifier'])
  })
})
