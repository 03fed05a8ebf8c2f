import type { BinaryNode } from 'baileys'
import { getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Phone } from '@postern/simulator/phone/phone'
import { makeId, makePlatformId } from '../../src/domain/ids.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

/** Direct chats, which the platform accepts by hidden identifier, with one kind of name throughout. */

let rig: Rig
let number: Hosted
let ana: Phone
const received: BinaryNode[] = []

beforeAll(async () => {
  rig = await startRig()
  rig.simulator.network.onReceived = (_device, stanza) => void received.push(stanza)
  number = await rig.link('999540000001')
  ana = rig.simulator.phone('5511954000001')
})
afterAll(() => rig.close())
beforeEach(() => {
  received.length = 0
  number.addressed.length = 0
})

const messages = (): BinaryNode[] => received.filter(({ tag }) => tag === 'message')
const recipients = (stanza: BinaryNode | undefined): string[] =>
  getBinaryNodeChildren(getBinaryNodeChild(stanza, 'participants'), 'to').map(({ attrs }) => attrs.jid ?? '')
const kinds = (jids: string[]): string[] => [...new Set(jids.map(jid => jid.replace(/^.*@/, '')))]

async function sent(to: string, words: string, host = number): Promise<string> {
  const platformId = makePlatformId()
  await host.send(to, text(words), { platformId })
  return platformId
}

describe('A contact with a hidden identifier', () => {
  test('is addressed by it, with the number’s own devices under the same kind of name and the number next to it', async () => {
    const id = await sent(ana.jid, 'hello')
    const [stanza] = messages()
    expect(stanza?.attrs).toMatchObject({ to: ana.lid, peer_recipient_pn: ana.jid, id })
    expect(kinds(recipients(stanza))).toEqual(['lid'])
    expect(recipients(stanza)).toHaveLength(1 + 1 + ana.companions().length)
    const own = await rig.simulator.until(() => rig.simulator.phone(number.jid).message(id))
    expect(own.chat).toBe(ana.digits)
    expect(number.addressed).toEqual(['lid sent'])
  })

  test('receives edits, revokes and reactions under the same name, inside and outside', async () => {
    const first = await sent(ana.jid, 'first')
    const { id: theirs } = await ana.sendTo(number.jid, { type: 'text', text: 'theirs' })
    await number.until(() => number.events.some(event => event.kind === 'message' && event.message_id === theirs))
    const edited = makePlatformId()
    const common = { messageId: makeId('msg'), to: ana.jid, targetPlatformId: first }
    await number.run({ kind: 'edit', ...common, platformId: edited, text: 'second' })
    const revoked = makePlatformId()
    await number.run({ kind: 'revoke', ...common, platformId: revoked })
    const reacted = makePlatformId()
    const reaction = { type: 'reaction', reactedMessageId: theirs, reactedParticipant: null, emoji: '👍' } as const
    await number.send(ana.jid, reaction, { platformId: reacted })
    for (const stanza of messages()) {
      expect(stanza.attrs).toMatchObject({ to: ana.lid, peer_recipient_pn: ana.jid })
      expect(kinds(recipients(stanza))).toEqual(['lid'])
    }
    const inside = (id: string) => rig.simulator.until(() => ana.message(id)).then(({ message }) => message)
    expect((await inside(edited)).protocolMessage?.key).toMatchObject({ remoteJid: ana.lid, id: first })
    expect((await inside(revoked)).protocolMessage?.key).toMatchObject({ remoteJid: ana.lid, id: first })
    expect((await inside(reacted)).reactionMessage?.key).toMatchObject({ remoteJid: ana.lid, id: theirs })
  })

  test('confirms under it, and the receipt names the number', async () => {
    const id = await sent(ana.jid, 'read me')
    await rig.simulator.until(() => ana.message(id))
    ana.read(id)
    const receipts = () => number.receipts.filter(receipt => receipt.platformIds.includes(id))
    await number.until(() => receipts().length === 2)
    expect(receipts()).toMatchObject([
      { type: 'delivered', recipientJid: ana.jid, chatNames: expect.arrayContaining([ana.jid, ana.lid]) },
      { type: 'read', recipientJid: ana.jid, chatNames: expect.arrayContaining([ana.jid, ana.lid]) },
    ])
  })

  test('gets a message that it cannot read again under it', async () => {
    await sent(ana.jid, 'before')
    rig.simulator.faults.makeUnreadable(ana.digits)
    const id = await sent(ana.jid, 'again')
    await rig.simulator.until(() => ana.message(id))
    for (const stanza of messages()) expect(stanza.attrs.to?.replace(/:\d+@/, '@')).toBe(ana.lid)
  })

  test('sees typing and read receipts under the name that the chat used last', async () => {
    for (const addressing of ['pn', 'lid'] as const) {
      const name = addressing === 'pn' ? ana.jid : ana.lid
      const { id } = await ana.sendTo(number.jid, { type: 'text', text: addressing }, { addressing })
      await number.until(() => number.events.some(event => event.kind === 'message' && event.message_id === id))
      received.length = 0
      await number.run({ kind: 'typing', chatJid: ana.jid, typing: true, media: 'text' })
      await number.run({ kind: 'read', chatJid: ana.jid, messageIds: [id] })
      await rig.simulator.until(() => received.some(({ attrs }) => attrs.type === 'read'))
      expect(received.find(({ tag }) => tag === 'chatstate')?.attrs.to).toBe(name)
      expect(received.find(({ attrs }) => attrs.type === 'read')?.attrs.to).toBe(name)
    }
  })

  test('who is known to the number costs no query, and keeps the session', async () => {
    await sent(ana.jid, 'warm up')
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'here I am' })
    await number.until(() => number.events.some(event => event.kind === 'message' && event.message_id === id))
    await sent(ana.jid, 'answered')
    received.length = 0
    await sent(ana.jid, 'warm')
    expect(received.filter(({ tag }) => tag === 'iq')).toEqual([])
    const forAna = getBinaryNodeChildren(getBinaryNodeChild(messages()[0], 'participants'), 'to')
    const types = forAna.map(to => [to.attrs.jid, getBinaryNodeChild(to, 'enc')?.attrs.type])
    expect(types).toContainEqual([ana.lid, 'msg'])
  })

  test('is queried once if it is new', async () => {
    const fresh = rig.simulator.phone('5511954000002')
    await sent(fresh.jid, 'first')
    expect(received.filter(({ attrs }) => attrs.xmlns === 'usync')).toHaveLength(1)
    expect(received.filter(({ attrs }) => attrs.xmlns === 'encrypt')).toHaveLength(1)
  })

  test('is addressed by it after a rejected call', async () => {
    number.autoReject = { message: 'Please write.' }
    await ana.call(number.jid)
    const words = () => ana.inbox(number.jid).some(held => held.message.extendedTextMessage?.text === 'Please write.')
    await rig.simulator.until(words)
    number.autoReject = null
    expect(messages().at(-1)?.attrs).toMatchObject({ to: ana.lid, peer_recipient_pn: ana.jid })
  })

  test('can be the number itself, which is also addressed by hidden identifier', async () => {
    const own = rig.simulator.phone(number.jid)
    const id = await sent(number.jid, 'note to self')
    await rig.simulator.until(() => own.message(id))
    expect(messages()[0]?.attrs.to).toBe(own.lid)
  })
})

test('a contact without a hidden identifier on the platform is addressed by number', async () => {
  const plain = rig.simulator.phone('5511954000462')
  for (const words of ['first', 'second']) {
    const id = await sent(plain.jid, words)
    await rig.simulator.until(() => plain.message(id))
  }
  expect(messages().map(({ attrs }) => attrs.to)).toEqual([plain.jid, plain.jid])
  expect(kinds(messages().flatMap(recipients))).toEqual(['s.whatsapp.net'])
  expect(number.addressed).toEqual(['pn sent', 'pn sent'])
})

describe('A person who shows no number', () => {
  test('is received, answered and confirmed only by hidden identifier', async () => {
    const lea = rig.simulator.phone('5511954000461')
    const { id } = await lea.sendTo(number.jid, { type: 'text', text: 'I have seen your advertisement' })
    const event = await number.until(() =>
      number.events.find(each => each.kind === 'message' && each.message_id === id),
    )
    expect(event).toMatchObject({ sender_jid: lea.lid, chat_jid: lea.lid, is_group: false })
    expect(event).not.toHaveProperty('sender_phone')
    const answer = await sent(lea.lid, 'welcome')
    await rig.simulator.until(() => lea.message(answer))
    expect(messages()[0]?.attrs.to).toBe(lea.lid)
    expect(messages()[0]?.attrs).not.toHaveProperty('peer_recipient_pn')
    lea.read(answer)
    await number.until(() => number.receipts.some(each => each.type === 'read' && each.platformIds.includes(answer)))
    expect(number.receipts.at(-1)).toMatchObject({ recipientJid: lea.lid, chatNames: [lea.lid] })
  })

  test('is seen typing, online and calling, and gets typing, reading and a status', async () => {
    const leo = rig.simulator.phone('5511954100461')
    await number.run({ kind: 'presence_subscribe', contactJid: leo.lid })
    leo.presence({ online: true })
    leo.typing(number.jid, 'composing')
    const call = await leo.call(number.jid)
    await leo.hangUp(call.id, { reason: 'timeout' })
    const of = (kind: string) => number.events.filter(event => event.kind === kind)
    await number.until(() => of('call').length >= 2 && of('presence').length > 0 && of('typing').length > 0)
    expect(of('presence').at(-1)).toMatchObject({ contact_jid: leo.lid, online: true })
    expect(of('typing').at(-1)).toMatchObject({ sender_jid: leo.lid, chat_jid: leo.lid })
    expect(of('call').at(-1)).toMatchObject({ from_jid: leo.lid, event: 'terminate' })
    await number.run({ kind: 'typing', chatJid: leo.lid, typing: true, media: 'text' })
    await rig.simulator.until(() => leo.typingFrom(number.jid) === 'composing')
    await sent(leo.lid, 'hello')
    const post = await sent('status@broadcast', 'news')
    await rig.simulator.until(() => leo.message(post))
  })

  test('is named only by hidden identifier after another device, another phone and a common group', async () => {
    const lou = rig.simulator.phone('5511954300461')
    await sent(lou.lid, 'hello')
    lou.linkCompanion()
    lou.change()
    rig.simulator.group({ subject: 'In common', owner: lou.digits, members: [ana.digits, '999540000001'] })
    for (const addressing of ['lid', 'pn'] as const) {
      const { id } = await lou.call(number.jid, { addressing })
      const call = await number.until(() => number.events.find(each => each.kind === 'call' && each.call_id === id))
      expect(call).toMatchObject({ from_jid: lou.lid })
    }
    const again = await sent(lou.lid, 'and again')
    await rig.simulator.until(() => lou.hasRead(again, 0) && lou.companions().every(each => lou.hasRead(again, each)))
    expect(messages().at(-1)?.attrs).not.toHaveProperty('peer_recipient_pn')
  })

  test('is not found by their hidden number', async () => {
    await expect(sent('5511954200461@s.whatsapp.net', 'hello')).rejects.toMatchObject({
      failure: { kind: 'permanent', reason: 'INVALID_RECIPIENT' },
    })
    expect(messages()).toEqual([])
  })
})

describe('A refusal is final and is not repeated', () => {
  test.each([
    [400, /addresses people \(400\)/],
    [463, /\(463\)/],
    [475, /new chats.*\(475\)/],
  ])('with %i, and its detail says what it means', async (code, words) => {
    rig.simulator.faults.rejectMessages(number.jid, code)
    await expect(sent(ana.jid, 'refused')).rejects.toMatchObject({
      failure: { kind: 'permanent', reason: 'SEND_FAILED', detail: expect.stringMatching(words) },
    })
    expect(messages()).toHaveLength(1)
    expect(number.addressed).toEqual([`lid refused_${code}`])
  })
})

test('a number that the platform accepts only with addressing by number can be configured that way', async () => {
  const contrary = await rig.link('999540000002')
  rig.simulator.faults.takeOnlyNumbers(contrary.jid)
  await expect(sent(ana.jid, 'by hidden identifier', contrary)).rejects.toMatchObject({
    failure: { reason: 'SEND_FAILED' },
  })
  contrary.addressing = 'pn'
  const id = await sent(ana.jid, 'by number', contrary)
  await rig.simulator.until(() => ana.message(id))
  expect(contrary.addressed).toEqual(['lid refused_463', 'pn sent'])
  expect(kinds(recipients(messages().at(-1)))).toEqual(['s.whatsapp.net'])
})

describe('A contact who accepts messages only with a token', () => {
  const tokenIn = (stanza: BinaryNode | undefined) =>
    ['tctoken', 'cstoken'].filter(tag => getBinaryNodeChild(stanza, tag) !== undefined)

  const hasToken = async (host: Hosted, { lid }: Phone) => (await host.storage.readKeys('tctoken', [lid])).has(lid)

  test('is addressed with a token derived from what the number’s own phone shares', async () => {
    const wary = rig.simulator.phone('5511954000464')
    const id = await sent(wary.jid, 'may I?')
    await rig.simulator.until(() => wary.message(id))
    expect(tokenIn(messages()[0])).toEqual(['cstoken'])
  })

  test('is addressed with the token that the contact has sent', async () => {
    const wary = rig.simulator.phone('5511954100464')
    await wary.sendTo(number.jid, { type: 'text', text: 'you may' })
    await number.until(() => hasToken(number, wary))
    const id = await sent(wary.jid, 'thank you')
    await rig.simulator.until(() => wary.message(id))
    expect(tokenIn(messages()[0])).toEqual(['tctoken'])
  })

  test('is addressed with the token that was sent before the number was linked', async () => {
    const wary = rig.simulator.phone('5511954200464')
    const later = '999540000003'
    await wary.sendTo(later, { type: 'text', text: 'you may' })
    const linked = await rig.link(later)
    await linked.until(() => hasToken(linked, wary))
    received.length = 0
    const id = await sent(wary.jid, 'thank you', linked)
    await rig.simulator.until(() => wary.message(id))
    expect(tokenIn(messages()[0])).toEqual(['tctoken'])
  })

  test.each([
    ['cstoken', '5511954400464', false],
    ['tctoken', '5511954500464', true],
  ])('gets a message that it cannot read again with its %s', async (tag, digits, hasWritten) => {
    const wary = rig.simulator.phone(digits)
    if (hasWritten) {
      await wary.sendTo(number.jid, { type: 'text', text: 'you may' })
      await number.until(() => hasToken(number, wary))
    }
    rig.simulator.faults.makeUnreadable(wary.jid, 1)
    const id = await sent(wary.jid, 'say that again')
    await rig.simulator.until(() => wary.message(id))
    const [, again] = messages()
    expect(again?.attrs).toMatchObject({ id, device_fanout: 'false' })
    expect(tokenIn(again)).toEqual([tag])
  })

  test('is a permanent failure without either, and the number is not restricted', async () => {
    Object.assign(rig.simulator.network, { historySync: false })
    const stranger = await rig.link('999540000004')
    Object.assign(rig.simulator.network, { historySync: true })
    const wary = rig.simulator.phone('5511954300464')
    await expect(sent(wary.jid, 'hello', stranger)).rejects.toMatchObject({ failure: { reason: 'SEND_FAILED' } })
    expect(stranger.restrictions).toEqual([])
  })

  test('gets a token in return, once a week', async () => {
    const fresh = rig.simulator.phone('5511954000003')
    await sent(fresh.jid, 'first')
    const issued = () =>
      received.flatMap(({ attrs, ...iq }) =>
        attrs.xmlns === 'privacy' ? getBinaryNodeChildren(getBinaryNodeChild({ ...iq, attrs }, 'tokens'), 'token') : [],
      )
    await number.until(() => issued().length === 1)
    expect(issued()[0]?.attrs).toMatchObject({ jid: fresh.jid, type: 'trusted_contact' })
    await number.until(() => hasToken(number, fresh))
    await sent(fresh.jid, 'second')
    expect(issued()).toHaveLength(1)
  })
})

describe('A hidden identifier that no longer belongs to the contact', () => {
  test('is replaced as soon as the platform says so', async () => {
    const digits = '5511954000004'
    const before = rig.simulator.phone(digits)
    await sent(before.jid, 'before')
    rig.simulator.faults.moveLid(digits)
    const after = rig.simulator.phone(digits)
    received.length = 0
    for (const words of ['first', 'second', 'third']) {
      const id = await sent(before.jid, words)
      await rig.simulator.until(() => after.message(id))
    }
    expect(messages().map(({ attrs }) => attrs.to)).toEqual([before.lid, after.lid, after.lid])
    expect(received.filter(({ attrs }) => attrs.xmlns === 'usync')).toHaveLength(1)
  })

  test('is replaced by the one in the contact’s next message', async () => {
    const digits = '5511954000005'
    const before = rig.simulator.phone(digits)
    await sent(before.jid, 'before')
    rig.simulator.faults.moveLid(digits)
    const after = rig.simulator.phone(digits)
    const { id } = await after.sendTo(number.jid, { type: 'text', text: 'I have moved' })
    await number.until(() => number.events.some(event => event.kind === 'message' && event.message_id === id))
    received.length = 0
    await sent(before.jid, 'after')
    expect(messages().map(({ attrs }) => attrs.to)).toEqual([after.lid])
  })
})
