import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Received as Post, type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

/** A gateway with two numbers: their webhook, an endpoint that includes everything, and one that includes nothing. */
let linked: LinkedGateway
let number: SandboxNumber
let own: Phone
let ana: Phone
let full: Receiver
let plain: Receiver

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 2, { env: { POSTERN_RETRY_DELAYS: '2s,2s,2s' } })
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

describe('What the owner reads on the number’s own phone', () => {
  const readings = ({ ledger }: Receiver): Received[] =>
    ledger.map(({ body }) => JSON.parse(body.toString()) as Received).filter(({ kind }) => kind === 'chat')
  const idsRead = () => readings(full).flatMap(({ message_ids: ids }) => ids as string[])

  test('reaches only endpoints that include own or chat, each message once, also if read receipts are off', async () => {
    const ids: string[] = []
    const write = async (from: Phone, target: string) => {
      const { id } = await from.sendTo(target, { type: 'text', text: 'please read' })
      await received(full, id)
      ids.push(id)
      return id
    }
    const group = linked.simulator.group({ subject: 'Readers', owner: ana.digits, members: [number.phone] })
    await write(ana, number.jid)
    await write(ana, number.jid)
    await write(ana, group.jid)
    own.readAsOwner(ana.digits, ids.slice(0, 2))
    own.readAsOwner(ana.digits, ids.slice(2), group.jid)
    await until(() => ids.every(id => idsRead().includes(id)))
    own.changePrivacy('readreceipts', 'none')
    const hidden = await write(ana, number.jid)
    own.readAsOwner(ana.digits, [hidden])
    await until(() => idsRead().includes(hidden))
    own.changePrivacy('readreceipts', 'all')
    const read = { kind: 'chat', session_id: number.jid, action: 'read', read: true, message_ids: [hidden] }
    expect(readings(full).at(-1)).toEqual({ ...read, chat_jid: ana.jid, timestamp_unix: expect.any(Number) })
    expect(readings(full).map(({ chat_jid: chat }) => chat)).toContain(group.jid)
    expect(ids.map(id => ana.tick(id, number.phone) === 'read')).toEqual([true, true, true, false])
    await afterwards()
    expect(new Set(idsRead()).size).toBe(idsRead().length)
    expect([...readings(linked.receiver), ...readings(plain)]).toEqual([])
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

describe('The answer of an endpoint that replies', () => {
  const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
  let bot: Receiver
  let endpoint: string
  /** What the endpoint answers the message with this text with. */
  const answers = new Map<string, unknown>()
  const textOf = ({ body }: Post): string => (JSON.parse(body.toString()) as { text?: string }).text ?? ''

  beforeAll(async () => {
    bot = await startReceiver(post => {
      const answer = answers.get(textOf(post))
      if (answer === undefined) return 200
      const body = typeof answer === 'string' ? answer : JSON.stringify(answer)
      return { status: 200, headers: JSON_TYPE, body }
    })
    const body = { url: bot.url(), kinds: ['message'], include: ['own'], retry: 'ladder', reply: true }
    endpoint = (await linked.ask('POST', '/v1/endpoints', body)).json.id
  })
  afterAll(() => bot.close())

  const wordsOf = () => ana.inbox(number.jid).map(({ message }) => message.extendedTextMessage?.text ?? '')
  const replyTo = async (id: string) => {
    const { attempts } = await until(async () => {
      const { json } = await linked.ask('GET', `/v1/deliveries?endpoint_id=${endpoint}&limit=100`)
      return json.data.find((each: Received) => each.message_id === id && each['status'] === 'delivered')
    })
    return attempts.at(-1)
  }
  const write = async (text: string, answer?: unknown): Promise<string> => {
    if (answer !== undefined) answers.set(text, answer)
    return (await ana.sendTo(number.jid, { type: 'text', text })).id
  }

  test('is sent to the chat of the message, and to no other', async () => {
    const id = await write('hello bot', { text: 'Hello, Ana' })
    await until(() => wordsOf().includes('Hello, Ana'))
    const attempt = await replyTo(id)
    expect(attempt.reply).toEqual({ status: 'accepted', message_id: expect.any(String), code: null, param: null })
    const sent = (await linked.ask('GET', `/v1/messages/${attempt.reply.message_id}`)).json
    expect(sent).toMatchObject({ to: ana.jid, session_id: number.jid })
    expect(sent.request_id).toMatch(new RegExp(`^reply:${endpoint}:evt_`))
    const group = linked.simulator.group({ subject: 'Bots', owner: ana.digits, members: [number.phone] })
    answers.set('hello all', { text: 'Hello, all', mentions: [ana.jid] })
    await ana.sendTo(group.jid, { type: 'text', text: 'hello all' })
    await until(() => ana.inbox(group.jid).some(({ message }) => message.extendedTextMessage?.text === 'Hello, all'))
    expect(wordsOf()).not.toContain('Hello, all')
  })

  test('is in no history, neither the answer nor its words', async () => {
    const words = 'words-of-the-answer'
    const attempt = await replyTo(await write('what is new', { text: words }))
    expect(attempt).toMatchObject({ code: 200, response_excerpt: '', reply: { status: 'accepted' } })
    const refused = await replyTo(await write('what is old', { [words]: words }))
    expect(refused.reply).toEqual({ status: 'refused', message_id: null, code: 'parameter_unknown', param: null })
    expect(JSON.stringify((await linked.ask('GET', '/v1/deliveries?limit=100')).json)).not.toContain(words)
    expect(linked.output()).not.toContain(words)
  })

  test('says in the delivery why it is refused, and the delivery succeeds all the same', async () => {
    const refusals: Array<[unknown, object]> = [
      [
        { text: 'x', to: '15550001111' },
        { code: 'parameter_unknown', param: 'to' },
      ],
      [{ text: '' }, { code: 'parameter_missing', param: 'text' }],
      [{ text: 5 }, { code: 'parameter_invalid', param: 'text' }],
      [{ media_type: 'image' }, { code: 'parameters_conflict', param: 'media_url' }],
      ['{"text": "half', { code: 'body_invalid', param: null }],
      [{ text: 'x'.repeat(70_000) }, { code: 'answer_incomplete', param: null }],
    ]
    for (const [n, [answer, expected]] of refusals.entries()) {
      const { status, reply } = await replyTo(await write(`refuse ${n}`, answer))
      expect({ n, status, reply }).toEqual({
        n,
        status: 'delivered',
        reply: { status: 'refused', message_id: null, ...expected },
      })
    }
  })

  test('is nothing if the endpoint answers with no content, an empty object, or something other than JSON', async () => {
    for (const [n, answer] of ['', '{}', ' null '].entries())
      expect(await replyTo(await write(`nothing ${n}`, answer))).not.toHaveProperty('reply')
    expect(await replyTo(await write('no type'))).not.toHaveProperty('reply')
  })

  test('is not sent for a message of the number itself, nor for a status post', async () => {
    answers.set('my own words', { text: 'answer to myself' })
    const mine = await own.sendTo(ana.jid, { type: 'text', text: 'my own words' })
    expect(await replyTo(mine.id)).not.toHaveProperty('reply')
    answers.set('my holiday', { text: 'answer to a post' })
    const post = await ana.sendTo('status@broadcast', { type: 'text', text: 'my holiday' })
    expect(await replyTo(post.id)).not.toHaveProperty('reply')
    expect(wordsOf().filter(text => text.startsWith('answer to'))).toEqual([])
  })

  test('is refused for a message of another number of the account, so that the two never answer each other for ever', async () => {
    answers.set('number to number', { text: 'and back' })
    const other = linked.simulator.phone(linked.numbers[1]!.phone)
    const { id } = await other.sendTo(number.jid, { type: 'text', text: 'number to number' })
    const replies = await until(async () => {
      const { json } = await linked.ask('GET', `/v1/deliveries?endpoint_id=${endpoint}&limit=10`)
      const all = json.data.filter((each: Received) => each.message_id === id && each['status'] === 'delivered')
      return all.length === 2 ? all.map((each: { attempts: Received[] }) => each.attempts[0]!['reply']) : undefined
    })
    expect(replies.filter(Boolean)).toEqual([{ status: 'refused', message_id: null, code: 'own_number', param: null }])
  })

  test('is sent once if the event is delivered twice, although the answers differ', async () => {
    let attempts = 0
    const usual = bot.reply
    bot.reply = post => {
      if (textOf(post) !== 'twice') return usual(post)
      if (++attempts === 1) return 503
      return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ text: `once ${attempts}` }) }
    }
    const id = await write('twice')
    const failed = await until(async () => {
      const { json } = await linked.ask('GET', `/v1/deliveries?endpoint_id=${endpoint}&limit=10`)
      return json.data.find((each: Received) => each.message_id === id && each['status'] === 'failed')
    })
    expect((await linked.ask('POST', `/v1/deliveries/${failed.id}/resend`)).status).toBe(202)
    const replies = await until(async () => {
      const { json } = await linked.ask('GET', `/v1/deliveries?endpoint_id=${endpoint}&limit=10`)
      const own = json.data.filter((each: Received) => each.message_id === id)
      return own.length === 2 && own.every((each: Received) => each['status'] === 'delivered') ? own : undefined
    })
    const found = replies.map(({ attempts: made }: { attempts: Received[] }) => made.at(-1)!['reply'])
    expect(new Set(found.map(({ status }: { status: string }) => status))).toEqual(new Set(['accepted', 'repeated']))
    expect(found[0].message_id).toBe(found[1].message_id)
    await until(() => wordsOf().some(text => text.startsWith('once')))
    const { id: later } = await ana.sendTo(number.jid, { type: 'text', text: 'after that' })
    await received(full, later)
    expect(wordsOf().filter(text => text.startsWith('once'))).toHaveLength(1)
  })

  test('needs a key that may send', async () => {
    const { key } = (await linked.ask('POST', '/v1/keys', { label: 'manages', scopes: ['read', 'manage'] })).json
    const by = { authorization: `Bearer ${key}` }
    const made = await linked.ask('POST', '/v1/endpoints', { url: bot.url(), reply: true }, by)
    expect(made).toMatchObject({ status: 403, json: { error: 'this key lacks the scope "send"' } })
    const change = (body: object) => linked.ask('PATCH', `/v1/endpoints/${endpoint}`, body, by)
    expect((await change({ url: bot.url('/mine') })).status).toBe(403)
    expect((await change({ description: 'the bot' })).status).toBe(200)
    expect((await change({ reply: false, url: bot.url('/mine') })).status).toBe(200)
    expect((await change({ reply: true })).status).toBe(403)
  })
})
