import { readFileSync } from 'node:fs'
import { ANNOUNCED, type Announcement } from '@postern/simulator/server/announcements'
import { judgeServer } from '@postern/simulator/grammar/judge'
import { SERVER_JID } from '@postern/simulator/jid'
import { userOf } from '@postern/simulator/people'
import type { Phone } from '@postern/simulator/phone/phone'
import { type BinaryNode, children, node } from '@postern/simulator/wire/node'
import { proto } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'
import { deviceOf, padded, say, sealed, type Wire } from '../harness/wire-fuzz/wire.ts'

/** What the platform announces in ordinary life: it is heard, confirmed, and has the right effect. */

const DIGITS = '999592000001'

let stack: Stack
let number: StackNumber
let made = 0
const received: BinaryNode[] = []

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  stack.simulator.network.onReceived = (_device, stanza) => void received.push(stanza)
  number = await stack.link(DIGITS)
})
afterAll(() => stack.close())
beforeEach(() => {
  number.forget()
  received.length = 0
})

const t = (): string => String(Math.floor(Date.now() / 1000))
const person = (): Phone => stack.simulator.phone(`55119592${String(10_000 + ++made)}`)
const announce = (
  name: Announcement,
  contact: Phone,
  more: { message?: string; call?: string; group?: string; newNumber?: string } = {},
) => stack.simulator.faults.receiving.announce(DIGITS, name, { contact: contact.digits, ...more })
const allConfirmed = () =>
  number.until(() => {
    const [device] = stack.simulator.numbers().find(({ jid }) => jid === number.jid)?.devices ?? []
    return device?.unacknowledged === 0
  })
const queries = (xmlns: string, tag: string): number =>
  received.filter(
    ({ attrs, ...iq }) => attrs.xmlns === xmlns && children(iq as BinaryNode).some(inner => inner.tag === tag),
  ).length

describe('An announcement of the platform', () => {
  test.each(ANNOUNCED)('is confirmed, and messages arrive as before: %s', async name => {
    const ana = person()
    announce(name, ana)
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'hello' })
    expect(await number.next('message', ({ message_id: eventId }) => eventId === id)).toMatchObject({ text: 'hello' })
    await allConfirmed()
    const sent = await number.sendAndSettle(ana.jid, 'hello')
    expect((await number.message(sent)).state).toMatch(/^(sent|delivered)$/)
  })

  test('that asks to check the keys is answered with a query about them', async () => {
    announce('notification encrypt digest', person())
    await number.until(() => queries('encrypt', 'digest') > 0)
  })

  test.each(['notification devices update', 'notification devices remove', 'notification contacts modify'] as const)(
    'that a contact has changed causes a query about the devices: %s',
    async name => {
      const ana = person()
      await number.sendAndSettle(ana.jid, 'one')
      received.length = 0
      await number.sendAndSettle(ana.jid, 'two')
      expect(queries('usync', 'usync')).toBe(0)
      announce(name, ana)
      await allConfirmed()
      await number.sendAndSettle(ana.jid, 'three')
      expect(queries('usync', 'usync')).toBeGreaterThan(0)
    },
  )

  test('that a contact has a new number names the contact by it from then on', async () => {
    const ana = person()
    const first = await ana.sendTo(number.jid, { type: 'text', text: 'one' })
    expect(await number.next('message', ({ message_id: id }) => id === first.id)).toMatchObject({ sender_jid: ana.jid })
    const newNumber = `55119592${String(10_000 + ++made)}`
    announce('notification contacts modify', ana, { newNumber })
    await allConfirmed()
    await number.until(() => {
      ana.typing(number.jid, 'composing')
      return number.events.some(event => event.kind === 'typing' && event.chat_jid === `${newNumber}@s.whatsapp.net`)
    })
  })

  test.each(['read-self', 'played-self', 'peer_msg', 'sender', 'server-error', 'view'] as const)(
    'that is a receipt of type %s changes no message',
    async type => {
      const ana = person()
      stack.simulator.faults.receiving.loseReceipts(ana.digits, true)
      const sent = await number.sendAndSettle(ana.jid, 'hello')
      announce(`receipt ${type}`, ana, { message: sent.platformId })
      await allConfirmed()
      const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'afterwards' })
      await number.next('message', ({ message_id: eventId }) => eventId === id)
      expect(number.events.filter(({ kind }) => kind === 'receipt')).toEqual([])
      expect((await number.message(sent)).state).toBe('sent')
    },
  )

  test.each([
    ['accept', 'accepted_elsewhere'],
    ['reject', 'rejected_elsewhere'],
  ] as const)('that another device has answered a call with %s ends the call', async (answer, reason) => {
    const ana = person()
    const { id } = await ana.call(number.jid)
    await number.next('call', ({ event }) => event === 'offer')
    announce(`call ${answer}`, ana, { call: id })
    expect(await number.next('call', ({ event }) => event === 'terminate')).toMatchObject({ call_id: id, reason })
  })
})

test('every other kind of stanza that the platform can send is confirmed too', async () => {
  const page = readFileSync(new URL('../../docs/platform-vocabulary.md', import.meta.url), 'utf8')
  const kinds = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, kind = '']) => kind.split(' '))
  expect(kinds.length).toBeGreaterThan(0)
  const ana = person()
  const { network } = stack.simulator
  const wire = {
    network,
    device: deviceOf(network, DIGITS),
    sender: userOf(network, ana.digits),
    label: 'a rare stanza',
  }
  for (const [index, [tag = '', ...words]] of kinds.entries()) {
    const isNotification = tag === 'notification'
    const type = isNotification || tag === 'receipt' ? words.shift() : undefined
    const from = isNotification ? SERVER_JID : ana.lid
    const about = tag === 'call' ? { 'call-id': `C${index}`, 'call-creator': ana.lid } : {}
    const content = words.map(word => node(word, about))
    say(wire, node(tag, { id: `RARE${index}`, from, type, t: t() }, content))
  }
  await allConfirmed()
  const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'hello' })
  await number.next('message', ({ message_id: eventId }) => eventId === id)
})

describe('A group', () => {
  test('that is deleted gets no message any more', async () => {
    const ana = person()
    const group = stack.simulator.group({ subject: 'G', owner: ana.digits, members: [DIGITS] })
    await number.sendAndSettle(group.jid, 'one')
    group.delete()
    await allConfirmed()
    const sent = await number.sendAndSettle(group.jid, 'two')
    expect(await number.message(sent)).toMatchObject({ state: 'failed' })
  })
})

describe('A group of which the platform announces changes', () => {
  test.each(['promote', 'demote', 'add', 'remove'] as const)('with %s has the change confirmed', async action => {
    const [ana, ben] = [person(), person()]
    const group = stack.simulator.group({ subject: 'G', owner: ana.digits, members: [DIGITS, ben.digits] })
    const before = stack.simulator.faults.receiving.groupQueries(DIGITS)
    group.change(action, [action === 'add' ? person().digits : ben.digits])
    await allConfirmed()
    await number.sendAndSettle(group.jid, 'hello')
    expect(stack.simulator.faults.receiving.groupQueries(DIGITS)).toBeGreaterThan(before)
  })

  test('is queried again before the next message', async () => {
    const ana = person()
    const group = stack.simulator.group({ subject: 'G', owner: ana.digits, members: [DIGITS] })
    await number.sendAndSettle(group.jid, 'one')
    const before = stack.simulator.faults.receiving.groupQueries(DIGITS)
    await number.sendAndSettle(group.jid, 'two')
    expect(stack.simulator.faults.receiving.groupQueries(DIGITS)).toBe(before)
    announce('notification w:gp2 groups_dirty', ana, { group: group.jid })
    await allConfirmed()
    await number.sendAndSettle(group.jid, 'three')
    expect(stack.simulator.faults.receiving.groupQueries(DIGITS)).toBe(before + 1)
  })
})

describe('A message of a business', () => {
  test('is published with its verified name, whatever the platform adds to it', async () => {
    const shop = person()
    const { network } = stack.simulator
    const wire: Wire = {
      network,
      device: deviceOf(network, DIGITS),
      sender: userOf(network, shop.digits),
      label: 'biz',
    }
    const id = '3EB0BUSINESS'
    const certificate = proto.VerifiedNameCertificate.encode({
      details: proto.VerifiedNameCertificate.Details.encode({ verifiedName: 'The Shop' }).finish(),
    }).finish()
    const stanza = node(
      'message',
      { from: shop.lid, id, type: 'text', t: t(), verified_name: '1', verified_level: 'low' },
      [
        sealed(wire, padded(proto.Message.encode({ conversation: 'Your order has left' }).finish())),
        node('verified_name', { v: '1' }, certificate),
        node('biz', { actual_actors: '2', host_storage: '2', privacy_mode_ts: t() }),
        node('meta', { origin: 'ctwa' }),
        node('reporting', {}, [node('reporting_tag', {}, Buffer.alloc(16, 1))]),
      ],
    )
    expect(judgeServer(stanza, undefined).differences).toEqual([])
    say(wire, stanza)
    expect(await number.next('message', ({ message_id: eventId }) => eventId === id)).toMatchObject({
      text: 'Your order has left',
      sender_name: 'The Shop',
    })
    await allConfirmed()
  })
})

describe('An error of the platform', () => {
  const refuse = (xmlns: string, code?: number) => stack.simulator.faults.receiving.refuseQueries(DIGITS, xmlns, code)

  test.each([
    ['usync', 429],
    ['usync', 500],
    ['encrypt', 503],
  ])(
    'to a query of the namespace %s, %i, delays a message to a stranger until the query succeeds',
    async (xmlns, code) => {
      const ana = person()
      refuse(xmlns, code)
      received.length = 0
      const sent = await number.send(ana.jid, 'hello')
      await number.until(() => received.some(({ attrs }) => attrs.xmlns === xmlns))
      refuse(xmlns)
      await number.until(async () => /^(sent|delivered)$/.test((await number.message(sent)).state))
    },
  )

  test.each([403, 410])('to a query about a group, %i, fails a message to it', async code => {
    const group = stack.simulator.group({ subject: 'G', owner: person().digits, members: [DIGITS] })
    await allConfirmed()
    refuse('w:g2', code)
    const sent = await number.sendAndSettle(group.jid, 'hello')
    refuse('w:g2')
    expect(await number.message(sent)).toMatchObject({ state: 'failed' })
  })

  test('to a query about a group, 429, delays a message to it until the query succeeds', async () => {
    const group = stack.simulator.group({ subject: 'G', owner: person().digits, members: [DIGITS] })
    await allConfirmed()
    refuse('w:g2', 429)
    received.length = 0
    const sent = await number.send(group.jid, 'hello')
    await number.until(() => received.some(({ attrs }) => attrs.xmlns === 'w:g2'))
    refuse('w:g2')
    await number.until(async () => /^(sent|delivered)$/.test((await number.message(sent)).state))
  })

  test.each(['abt', 'blocklist', 'privacy', 'w:m', 'w:mex', 'encrypt', 'w:sync:app:state', 'passive'])(
    'to the queries of the namespace %s at a login keeps no message from arriving',
    async xmlns => {
      const ana = person()
      refuse(xmlns, 503)
      stack.simulator.faults.cut(DIGITS)
      const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'hello' })
      await number.next('message', ({ message_id: eventId }) => eventId === id)
      refuse(xmlns)
      await allConfirmed()
    },
  )
})
