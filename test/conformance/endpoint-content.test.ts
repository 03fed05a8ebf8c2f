import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'

/** A gateway with one number: its webhook, an endpoint that includes everything, and one that includes nothing. */
let linked: LinkedGateway
let number: SandboxNumber
let own: Phone
let ana: Phone
let full: Receiver
let plain: Receiver

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 1)
  number = linked.numbers[0]!
  own = linked.simulator.phone(number.phone)
  ana = linked.simulator.phone('5511900000001')
  full = await startReceiver()
  plain = await startReceiver()
  for (const body of [{ url: full.url(), include: ['own', 'context'] }, { url: plain.url() }])
    expect((await linked.ask('POST', '/v1/endpoints', body)).status).toBe(201)
})
afterAll(async () => {
  await linked.close()
  await full.close()
  await plain.close()
})

interface Received {
  kind: string
  message_id: string
  [field: string]: unknown
}

const messagesOf = ({ ledger }: Receiver): Received[] =>
  ledger.map(({ body }) => JSON.parse(body.toString()) as Received).filter(({ kind }) => kind === 'message')

const received = async (receiver: Receiver, id: string): Promise<Received> => {
  await receiver.until(() => messagesOf(receiver).some(({ message_id }) => message_id === id))
  return messagesOf(receiver).find(({ message_id }) => message_id === id)!
}

/** What the webhook and both endpoints have received when a later message has reached all of them. */
const afterwards = async (): Promise<{ webhook: Received[]; plain: Received[]; full: Received[] }> => {
  const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'later' })
  for (const receiver of [linked.receiver, plain, full]) await received(receiver, id)
  return { webhook: messagesOf(linked.receiver), plain: messagesOf(plain), full: messagesOf(full) }
}

const idsOf = (messages: Received[]): string[] => messages.map(({ message_id }) => message_id)

describe('Messages that the number’s own phone sends', () => {
  test('reach only endpoints that include own, with from_me and the other side as chat_jid', async () => {
    const { id } = await own.sendTo(ana.jid, { type: 'text', text: 'written by hand' })
    expect(await received(full, id)).toMatchObject({
      from_me: true,
      sender_jid: number.jid,
      chat_jid: ana.jid,
      is_group: false,
      type: 'text',
      text: 'written by hand',
    })
    const { webhook, plain: others } = await afterwards()
    expect(idsOf([...webhook, ...others])).not.toContain(id)
  })

  test('in a group have the group as chat_jid', async () => {
    const group = linked.simulator.group({ subject: 'Choir', owner: ana.digits, members: [number.phone] })
    const { id } = await own.sendTo(group.jid, { type: 'text', text: 'to all' })
    expect(await received(full, id)).toMatchObject({
      from_me: true,
      chat_jid: group.jid,
      is_group: true,
      text: 'to all',
    })
  })

  test('come with their edits, reactions and revokes', async () => {
    const first = await own.sendTo(ana.jid, { type: 'text', text: 'firts' })
    await received(full, first.id)
    const edit = await own.edit(ana.jid, first.id, 'first')
    expect(await received(full, edit.id)).toMatchObject({ from_me: true, edited_message_id: first.id, text: 'first' })
    const hers = await ana.sendTo(number.jid, { type: 'text', text: 'thanks' })
    await received(full, hers.id)
    const reaction = await own.react(ana.jid, hers.id, '👍')
    expect(await received(full, reaction.id)).toMatchObject({
      type: 'reaction',
      reacted_message_id: hers.id,
      text: '👍',
    })
    const revoke = await own.revoke(ana.jid, first.id)
    expect(await received(full, revoke.id)).toMatchObject({ from_me: true, revoked_message_id: first.id })
  })

  test('never include one that the gateway sent', async () => {
    const accepted = await linked.ask('POST', '/v1/messages', {
      session_id: number.id,
      to: ana.jid,
      text: 'by the API',
    })
    expect(accepted.status).toBe(202)
    await full.until(ledger => ledger.some(({ body }) => body.includes('"status":"sent"')))
    const { full: all } = await afterwards()
    expect(all.filter(({ text }) => text === 'by the API')).toEqual([])
    expect(new Set(idsOf(all)).size).toBe(all.length)
  })
})

describe('The context of a message', () => {
  test('reaches only endpoints that include it; all others get the same bytes as before', async () => {
    const contextInfo = { mentionedJid: [number.jid], isForwarded: true, forwardingScore: 1 }
    const message = { extendedTextMessage: { text: '@you', contextInfo } }
    const { id } = await ana.sendTo(number.jid, { type: 'raw', message })
    const expected = { mentions: [number.jid], mentions_me: true, forwarded: true, view_once: false }
    expect(await received(full, id)).toMatchObject(expected)
    for (const receiver of [linked.receiver, plain]) {
      const fields = Object.keys(await received(receiver, id))
      expect(fields.filter(name => Object.hasOwn(expected, name))).toEqual([])
    }
    const bytesOf = ({ ledger }: Receiver) => ledger.find(({ body }) => body.includes(id))!.body
    expect(bytesOf(plain)).toEqual(bytesOf(linked.receiver))
    expect(bytesOf(full).subarray(0, bytesOf(plain).length - 1)).toEqual(bytesOf(plain).subarray(0, -1))
  })

  test('has the cards of contacts', async () => {
    const contacts = [{ name: 'Bob', phone: '5511900000002' }]
    const { id } = await ana.sendTo(number.jid, { type: 'contacts', contacts })
    expect(await received(full, id)).toMatchObject({
      type: 'other',
      contacts: [{ name: 'Bob', phones: ['+5511900000002'] }],
    })
  })

  test('shows no words in the history', async () => {
    const contacts = [{ name: 'Secret Name', phone: '5511900000003' }]
    const { id } = await ana.sendTo(number.jid, { type: 'contacts', contacts })
    await received(full, id)
    const { json } = await linked.ask('GET', '/v1/deliveries?limit=100')
    const history = JSON.stringify(json)
    expect(history).toContain(id)
    expect(history).not.toContain('Secret Name')
    expect(history).not.toContain('5511900000003')
  })
})
