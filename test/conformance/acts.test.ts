import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GroupHandle } from '@postern/simulator/handles'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SandboxMessage } from '../../src/domain/sandbox.ts'
import { perform } from '../../src/sandbox/perform.ts'
import { Sandbox } from '../../src/sandbox/sandbox.ts'
import { expectError } from '../harness/client.ts'
import { expectNoDifferences } from '../harness/judged.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { blackPng } from '../harness/pictures.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ANA = '5511960000001'
const BOB = '5511960000002'
const jidOf = (digits: string): string => `${digits}@s.whatsapp.net`

let linked: LinkedGateway
let number: SandboxNumber
let sandbox: Sandbox
/** Ana is its admin; the number is an ordinary member. */
let group: GroupHandle
let files: Server
let picture: string

beforeAll(async () => {
  files = createServer(({ url }, response) => {
    if (url === '/none.png') return response.writeHead(404).end()
    return response.writeHead(200, { 'content-type': 'image/png' }).end(blackPng({ width: 40, height: 20 }))
  })
  await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
  picture = `http://127.0.0.1:${(files.address() as AddressInfo).port}/x.png`
  linked = await openLinkedGateway(await newPlace('sqlite'), 1)
  number = linked.numbers[0]!
  sandbox = new Sandbox(linked.simulator)
  group = linked.simulator.group({ subject: 'Acts', owner: ANA, members: [number.phone, BOB] })
})
afterAll(async () => {
  expectNoDifferences(linked.simulator)
  await linked.close()
  await new Promise(resolve => files.close(resolve))
})

const post = (body: object, headers?: Record<string, string>) =>
  linked.ask('POST', '/v1/messages', { session_id: number.id, to: ANA, ...body }, headers)

const recordOf = async (id: string) => (await linked.ask('GET', `/v1/messages/${id}`)).json

/** What the phone of a contact shows, newest first. */
async function shownBy(contact: string): Promise<SandboxMessage[]> {
  const wanted = { contact, sinceMs: 0, limit: 100, before: null, withMedia: false }
  const answer = await perform(sandbox, { kind: 'messages', phone: number.phone, ...wanted })
  return (answer as unknown as { value: { data: SandboxMessage[] } }).value.data
}

/** Sends, waits for the acknowledgement of the platform, and returns both ids. */
async function sent(body: object): Promise<{ id: string; platformId: string }> {
  const answer = await post(body)
  expect(answer.status, answer.text).toBe(202)
  const id = answer.json.message_id as string
  const record = await until(async () => {
    const now = await recordOf(id)
    return now.state !== 'queued' && now
  })
  expect(record.state, record.detail).not.toBe('failed')
  return { id, platformId: record.messenger_message_id }
}

/** The same, and returns what a contact's phone shows of it. */
async function arrives(body: object, contact = ANA): Promise<SandboxMessage & { id: string }> {
  const { id, platformId } = await sent(body)
  const shown = await until(async () => (await shownBy(contact)).find(each => each.message_id === platformId))
  return { ...shown, id }
}

/** Sends an act that the platform accepts but no phone obeys, and then a text that arrives. */
async function isIgnored(body: object, contact = ANA): Promise<void> {
  const { platformId } = await sent(body)
  await arrives({ ...('to' in body && { to: body.to }), text: 'after it' }, contact)
  expect((await shownBy(contact)).some(each => each.message_id === platformId)).toBe(false)
}

describe('A message is pinned', () => {
  test('for 7 days by default, for a chosen time, and unpinned, whoever wrote it', async () => {
    const own = await arrives({ text: 'pin me' })
    expect(await arrives({ pin: { message_id: own.id } })).toMatchObject({
      type: 'pin',
      pinned_message_id: own.message_id,
      pin_seconds: 7 * 86_400,
    })
    const theirs = await linked.simulator.phone(ANA).sendTo(number.phone, { type: 'text', text: 'mine' })
    const pin = { message_id: theirs.id, participant: jidOf(ANA), duration: '24h' }
    expect(await arrives({ pin })).toMatchObject({ pinned_message_id: theirs.id, pin_seconds: 86_400 })
    expect(await arrives({ pin: { ...pin, duration: 'none' } })).toMatchObject({ type: 'pin', pin_seconds: 0 })
  })

  test('in a group by its author, until only admins may pin', async () => {
    const { id } = await linked.simulator.phone(BOB).sendTo(group.jid, { type: 'text', text: 'to all' })
    const pin = { message_id: id, participant: jidOf(BOB) }
    expect(await arrives({ to: group.jid, pin })).toMatchObject({ chat_jid: group.jid, pinned_message_id: id })
    await isIgnored({ to: group.jid, pin: { message_id: id, participant: jidOf(ANA) } })
    group.lock(true)
    await isIgnored({ to: group.jid, pin })
    group.lock(false)
  })

  test('and a device that could not read the pin gets it again as a pin', async () => {
    const { id, message_id } = await arrives({ text: 'once more' })
    linked.simulator.faults.makeUnreadable(ANA, 1)
    expect(await arrives({ pin: { message_id: id } })).toMatchObject({ pinned_message_id: message_id })
  })
})

test('A message is kept only where messages disappear', async () => {
  const lasting = await arrives({ to: group.jid, text: 'stays anyway' })
  await isIgnored({ to: group.jid, keep: { message_id: lasting.id } })
  const own = linked.simulator.group({ subject: 'Brief', owner: number.phone, members: [ANA] })
  const at = `/v1/sessions/${encodeURIComponent(number.id)}/groups/${own.jid}`
  const changed = await linked.ask('PATCH', at, { settings: { disappearing_seconds: 86_400 } })
  expect(changed.status, changed.text).toBe(200)
  const brief = await arrives({ to: own.jid, text: 'disappears' })
  const kept = { type: 'keep', kept_message_id: brief.message_id }
  expect(await arrives({ to: own.jid, keep: { message_id: brief.id } })).toMatchObject({ ...kept, kept: true })
  const undo = { message_id: brief.id, kept: false }
  expect(await arrives({ to: own.jid, keep: undo })).toMatchObject({ ...kept, kept: false })
})

describe('A message is forwarded', () => {
  test('as its recipient has it, without a second upload, and each time further', async () => {
    const first = await arrives({ media_type: 'image', media_url: picture, text: 'look', quoted_message_id: 'Q' })
    const copy = await arrives({ to: BOB, forward_message_id: first.id }, BOB)
    expect(copy).toMatchObject({ type: 'image', text: 'look', forwarded: true })
    expect(copy.quoted_message_id).toBeUndefined()
    const [one, two] = [linked.simulator.phone(ANA), linked.simulator.phone(BOB)].map(
      (phone, at) => phone.message([first.message_id, copy.message_id][at]!)?.message.imageMessage,
    )
    expect(two?.directPath).toBe(one?.directPath)
    const again = await arrives({ to: group.jid, forward_message_id: copy.message_id }, BOB)
    const held = linked.simulator.phone(BOB).message(again.message_id)
    expect(held?.message.imageMessage?.contextInfo).toMatchObject({ isForwarded: true, forwardingScore: 2 })
    expect((await recordOf(again.id)).type).toBe('forward')
  })

  test('or marked as forwarded by the sender, for content that came from elsewhere', async () => {
    expect(await arrives({ text: 'heard it', forwarded: true })).toMatchObject({ text: 'heard it', forwarded: true })
    const poll = { name: 'Q?', options: ['a', 'b'] }
    expect(await arrives({ poll, forwarded: true })).toMatchObject({ type: 'poll', forwarded: true })
  })

  test('unless the gateway does not have what its recipient sees', async () => {
    const theirs = await linked.simulator.phone(ANA).sendTo(number.phone, { type: 'text', text: 'secret' })
    const refuses = async (id: string, cause: RegExp) => expectError(await post({ forward_message_id: id }), 400, cause)
    await refuses(theirs.id, /^forward_message_id: this number has sent no message/)
    await refuses('msg_unknown', /^forward_message_id: this number has sent no message/)
    const reaction = await arrives({ reacted_message_id: theirs.id, text: '👍' })
    await refuses(reaction.id, /a reaction message cannot be forwarded/)
    const edited = await arrives({ text: 'tpyo' })
    const history = async (id: string, state: string) =>
      (await recordOf(id)).history.some((entry: { state: string }) => entry.state === state)
    await linked.ask('PATCH', `/v1/messages/${edited.id}`, { text: 'typo' })
    await until(() => history(edited.id, 'edited'))
    await refuses(edited.id, /was edited/)
    await linked.ask('DELETE', `/v1/messages/${edited.id}`)
    await until(() => history(edited.id, 'revoked'))
    await refuses(edited.id, /was revoked/)
    const later = new Date(Date.now() + 8 * 86_400_000).toISOString()
    const kept = await arrives({ text: 'a week' })
    expectError(await post({ forward_message_id: kept.id, send_at: later }), 400, /kept for 7 days/)
    const waits = (await post({ text: 'x', send_at: later })).json.message_id
    await refuses(waits, /only one that was sent/)
    const once = await arrives({ media_type: 'image', media_url: picture, view_once: true })
    const failed = (await post({ forward_message_id: once.id })).json.message_id
    const record = await until(async () => {
      const now = await recordOf(failed)
      return now.state === 'failed' && now
    })
    expect(record).toMatchObject({ reason: 'SEND_FAILED', detail: expect.stringContaining('viewed once') })
  })

  test('and the same key gets the same answer, even after the message was revoked', async () => {
    const first = await arrives({ text: 'gone soon' })
    const body = { to: BOB, forward_message_id: first.id }
    const key = { 'idempotency-key': 'forward-1' }
    const answer = await post(body, key)
    await linked.ask('DELETE', `/v1/messages/${first.id}`)
    await until(async () => (await recordOf(first.id)).history.at(-1).state === 'revoked')
    const repeated = await post(body, key)
    expect(repeated.status, repeated.text).toBe(202)
    expect(repeated.json).toEqual(answer.json)
  })
})

test('Buttons open a URL, call a number and copy a code, beside those that answer', async () => {
  const buttons = [
    { id: 'yes', text: 'Yes' },
    { type: 'reply', id: 'no', text: 'No' },
    { type: 'url', text: 'Track', url: 'https://example.com/track?id=1' },
    { type: 'call', text: 'Call us', phone: '+1 555 123 4567' },
    { type: 'copy', text: 'Copy code', code: 'SAVE10' },
  ]
  expect(await arrives({ text: 'Your parcel', buttons, footer: 'Acme' })).toMatchObject({
    type: 'buttons',
    buttons: [
      { id: 'yes', text: 'Yes' },
      { id: 'no', text: 'No' },
      { type: 'url', text: 'Track', url: 'https://example.com/track?id=1' },
      { type: 'call', text: 'Call us', phone: '+15551234567' },
      { type: 'copy', text: 'Copy code', code: 'SAVE10' },
    ],
  })
})

const CARDS = [
  { title: 'Green', text: 'From Uji', buttons: [{ id: 'green', text: 'Order' }] },
  {
    text: 'From Assam',
    buttons: [
      { id: 'black', text: 'Order' },
      { type: 'url', text: 'Read', url: 'https://example.com/black' },
    ],
  },
]

test('A carousel arrives with its cards and their pictures', async () => {
  const cards = CARDS.map(card => ({ ...card, media_url: picture }))
  const shown = await arrives({ text: 'Our teas', footer: 'Acme', carousel: cards })
  expect(shown).toMatchObject({
    type: 'carousel',
    text: 'Our teas',
    cards: [
      { title: 'Green', text: 'From Uji', has_picture: true, buttons: [{ id: 'green', text: 'Order' }] },
      {
        title: '',
        text: 'From Assam',
        has_picture: true,
        buttons: [
          { id: 'black', text: 'Order' },
          { type: 'url', text: 'Read', url: 'https://example.com/black' },
        ],
      },
    ],
  })
  const { url, key } = linked.address()
  const upload = await fetch(`${url}/v1/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'image/png' },
    body: new Uint8Array(blackPng({ width: 40, height: 20 })),
  })
  const { id: media_id } = (await upload.json()) as { id: string }
  const stored = await arrives({ text: 'Our teas', carousel: CARDS.map(card => ({ ...card, media_id })) })
  expect(stored.cards?.map(card => card.has_picture)).toEqual([true, true])
  const plain = await arrives({ to: group.jid, text: 'Our teas', carousel: CARDS })
  expect(plain.cards?.map(card => card.has_picture)).toEqual([false, false])
})

test('A button of a card is answered with a quote of the carousel', async () => {
  const { message_id: quoted_message_id } = await arrives({ text: 'Our teas', carousel: CARDS })
  const button_response = { id: 'black', text: 'Order' }
  // As the phone in the portal writes it.
  const incoming = { from: ANA, type: 'button_response', button_response, quoted_message_id } as const
  const written = await perform(sandbox, { kind: 'incoming', phone: number.phone, incoming })
  const { message_id: id } = (written as unknown as { value: { message_id: string } }).value
  const answered = await until(() =>
    linked.receiver.ledger.map(({ body }) => JSON.parse(body.toString())).find(event => event.message_id === id),
  )
  const chosen = { selected_id: 'black', selected_text: 'Order' }
  expect(answered).toMatchObject({ type: 'button_response', button_response: chosen, quoted_message_id })
})

test('A carousel fails if a picture of it cannot be had', async () => {
  const cards = CARDS.map(card => ({ ...card, media_url: picture.replace('x.png', 'none.png') }))
  const answer = await post({ text: 'Our teas', carousel: cards })
  expect(answer.status, answer.text).toBe(202)
  const record = await until(async () => {
    const now = await recordOf(answer.json.message_id)
    return now.state === 'failed' && now
  })
  expect(record).toMatchObject({ reason: 'MEDIA_FAILED', detail: expect.stringContaining('carousel.media_url') })
})

test('An event arrives with its times and its place, and people can answer it', async () => {
  const event = {
    name: 'Opening',
    description: 'With music',
    start: '2030-01-31T20:00:00+01:00',
    end: '2030-01-31T21:00:00Z',
    location: { name: 'Town hall', latitude: 52.5, longitude: 13.4 },
  }
  const shown = await arrives({ to: group.jid, event })
  expect(shown).toMatchObject({
    type: 'event',
    text: 'Opening',
    event: {
      name: 'Opening',
      description: 'With music',
      start_unix: Date.UTC(2030, 0, 31, 19) / 1000,
      end_unix: Date.UTC(2030, 0, 31, 21) / 1000,
      place: 'Town hall',
    },
  })
  const held = linked.simulator.phone(ANA).message(shown.message_id)
  expect(held?.message.messageContextInfo?.messageSecret).toHaveLength(32)
})

test('Answers to an event reach endpoints that include context, and no others', async () => {
  const told = await startReceiver()
  const endpoint = { url: told.url(), kinds: ['message'], include: ['context'] }
  expect((await linked.ask('POST', '/v1/endpoints', endpoint)).status).toBe(201)
  const { message_id: id } = await arrives({ to: group.jid, event: { name: 'Picnic', start: '2030-05-01T12:00:00Z' } })
  const ana = linked.simulator.phone(ANA)
  // oxlint-disable-next-line typescript/no-explicit-any -- the payload of any event
  const answers = (): any[] =>
    told.ledger.map(({ body }) => JSON.parse(body.toString())).filter(event => event.event_answer)
  for (const answer of ['going', 'not_going', 'maybe'] as const) {
    await ana.answerEvent(group.jid, id, answer)
    await until(() => answers().at(-1)?.event_answer.answer === answer)
  }
  expect(answers()).toHaveLength(3)
  expect(answers()[0]).toMatchObject({
    kind: 'message',
    type: 'other',
    text: '',
    chat_jid: group.jid,
    sender_phone: ana.jid,
    event_answer: { event_message_id: id, answer: 'going', guests: 0 },
  })
  const { id: later } = await ana.sendTo(group.jid, { type: 'text', text: 'later' })
  await linked.receiver.until(ledger => ledger.some(({ body }) => body.includes(later)))
  expect(linked.receiver.ledger.filter(({ body }) => body.includes('event_answer'))).toEqual([])
  const ofAnswers = new Set(answers().map(({ message_id }) => message_id))
  const published = linked.receiver.ledger.map(({ body }) => JSON.parse(body.toString()).message_id)
  expect(published.filter(each => ofAnswers.has(each))).toEqual([])
  await told.close()
})

const PICNIC = { name: 'Picnic', start: '2030-05-01T12:00:00Z' }

describe('An event of the number', () => {
  test.each([
    ['a person', () => ANA],
    ['a group', () => group.jid],
  ])('is changed and cancelled in the chat with %s, and the phone shows it', async (_chat, chatOf) => {
    const to = chatOf()
    const event = await arrives({ to, event: PICNIC })
    const later = { ...PICNIC, start: '2030-05-02T12:00:00Z', location: { name: 'The park' } }
    const changed = await arrives({ to, event_change: { message_id: event.id, ...later } })
    expect(changed).toMatchObject({
      type: 'event_change',
      text: 'Picnic',
      changed_event_id: event.message_id,
      event: { name: 'Picnic', start_unix: Date.UTC(2030, 4, 2, 12) / 1000, place: 'The park', canceled: false },
    })
    const canceled = await arrives({ to, event_change: { message_id: event.message_id, ...later, canceled: true } })
    expect(canceled).toMatchObject({ changed_event_id: event.message_id, event: { name: 'Picnic', canceled: true } })
  })

  test('is changed also on a device that could not read the change at first', async () => {
    const event = await arrives({ event: PICNIC })
    linked.simulator.faults.makeUnreadable(ANA, 1)
    const changed = await arrives({ event_change: { message_id: event.id, ...PICNIC, canceled: true } })
    expect(changed).toMatchObject({ type: 'event_change', event: { canceled: true } })
  })

  test('is changed only where it was sent, and nothing else is changed like an event', async () => {
    const event = await arrives({ event: PICNIC })
    const words = await arrives({ text: 'no event' })
    const { id: change } = await arrives({ event_change: { message_id: event.id, ...PICNIC } })
    const refusal = async (body: object, why: RegExp) => expectError(await post(body), 400, why)
    await refusal(
      { event_change: { message_id: words.id, ...PICNIC } },
      /^event_change\.message_id: a message of type text is no event/,
    )
    await refusal(
      { event_change: { message_id: change, ...PICNIC } },
      /^event_change\.message_id: a message of type event_change is no event/,
    )
    await refusal(
      { event_change: { message_id: 'X', ...PICNIC } },
      /^event_change\.message_id: this number has sent no/,
    )
    const elsewhere = { to: group.jid, event_change: { message_id: event.id, ...PICNIC } }
    await refusal(elsewhere, /^event_change\.message_id: the event is for another recipient/)
    expect((await linked.ask('DELETE', `/v1/messages/${event.id}`)).status).toBe(202)
    const again = { event_change: { message_id: event.id, ...PICNIC } }
    await until(async () => (await post(again)).status === 400)
    await refusal(again, /^event_change\.message_id: the event was revoked/)
  })
})

describe('An event of a person', () => {
  const at = Date.UTC(2030, 4, 1, 12) / 1000
  const write = (chat: string, name: string) =>
    linked.simulator.phone(ANA).sendTo(chat, {
      type: 'raw',
      message: {
        eventMessage: { name, startTime: at, isCanceled: false },
        messageContextInfo: { messageSecret: randomBytes(32) },
      },
    })
  const received = (id: string) =>
    until(() =>
      linked.receiver.ledger.map(({ body }) => JSON.parse(body.toString())).find(event => event.message_id === id),
    )

  test.each([
    ['a person', () => number.phone, () => ANA],
    ['a group', () => group.jid, () => group.jid],
  ])('is answered in the chat with %s, and the answer may change', async (_chat, written, answered) => {
    const { id } = await write(written(), 'Dinner')
    await received(id)
    for (const answer of ['going', 'not_going', 'maybe'] as const) {
      const shown = await arrives({ to: answered(), event_answer: { message_id: id, answer } })
      expect(shown).toMatchObject({ type: 'event_answer', answered_event_id: id, event_answer: answer })
    }
  })

  test('that the number does not know cannot be answered', async () => {
    const answer = await post({ event_answer: { message_id: 'NEVER', answer: 'going' } })
    expect(answer.status, answer.text).toBe(202)
    const record = await until(async () => {
      const now = await recordOf(answer.json.message_id)
      return now.state === 'failed' && now
    })
    expect(record).toMatchObject({ reason: 'SEND_FAILED', detail: expect.stringContaining('event_answer.message_id') })
  })

  test('arrives again as an edit when the person changes or cancels it', async () => {
    const told = await startReceiver()
    const endpoint = { url: told.url(), kinds: ['message'], include: ['context'] }
    expect((await linked.ask('POST', '/v1/endpoints', endpoint)).status).toBe(201)
    const { id } = await write(number.phone, 'Dinner')
    await received(id)
    const ana = linked.simulator.phone(ANA)
    const moved = { name: 'Late dinner', startTime: at + 3_600 }
    const change = await ana.changeEvent(number.phone, id, moved)
    expect(await received(change.id)).toMatchObject({
      type: 'other',
      text: 'Late dinner\n2030-05-01T13:00:00.000Z',
      edited_message_id: id,
    })
    const cancel = await ana.changeEvent(number.phone, id, { ...moved, isCanceled: true })
    expect(await received(cancel.id)).toMatchObject({
      type: 'other',
      text: 'Canceled\nLate dinner\n2030-05-01T13:00:00.000Z',
      edited_message_id: id,
    })
    await told.until(ledger => ledger.some(({ body }) => body.includes(cancel.id)))
    const full = told.ledger
      .map(({ body }) => JSON.parse(body.toString()))
      .find(event => event.message_id === cancel.id)
    expect(full.event).toMatchObject({ name: 'Late dinner', canceled: true })
    await told.close()
  })
})

test('An album is announced, and its pictures follow as messages of their own', async () => {
  const album = await arrives({ album: { images: 2 } })
  expect(album).toMatchObject({ type: 'album', album: { images: 2, videos: 0 } })
  const part = { media_type: 'image', media_url: picture, album_message_id: album.id }
  for (const text of ['first', 'second'])
    expect(await arrives({ ...part, text })).toMatchObject({ type: 'image', text, album_message_id: album.message_id })
  expectError(await post({ ...part, to: BOB }), 400, /^album_message_id: the album is for another recipient/)
  const words = await arrives({ text: 'no album' })
  expectError(
    await post({ ...part, album_message_id: words.id }),
    400,
    /^album_message_id: a message of type text is no album/,
  )
})

test('A star is shown by the phone of the number, and removed, in chats of people and in groups', async () => {
  const stars = (chat: string, id: string) =>
    `/v1/sessions/${encodeURIComponent(number.id)}/chats/${chat}/stars/${encodeURIComponent(id)}`
  const phone = linked.simulator.phone(number.phone)
  const own = await arrives({ text: 'remember' })
  const [theirs, inGroup] = [
    await linked.simulator.phone(ANA).sendTo(number.phone, { type: 'text', text: 'hi' }),
    await linked.simulator.phone(BOB).sendTo(group.jid, { type: 'text', text: 'hi all' }),
  ]
  const star = await linked.ask('PUT', stars(ANA, own.id))
  expect(star.status, star.text).toBe(200)
  expect(star.json).toEqual({ message_id: own.id, starred: true })
  expect((await linked.ask('PUT', stars(ANA, theirs.id))).status).toBe(200)
  await until(() => phone.starred(ANA).length === 2)
  expect(phone.starred(ANA)).toEqual([own.message_id, theirs.id].sort())
  expect((await linked.ask('DELETE', stars(ANA, own.id))).json.starred).toBe(false)
  expect(phone.starred(ANA)).toEqual([theirs.id])
  expect((await linked.ask('PUT', `${stars(group.jid, inGroup.id)}?participant=${BOB}`)).status).toBe(200)
  expect(phone.starred(group.jid)).toEqual([inGroup.id])
  expectError(await linked.ask('PUT', stars(group.jid, 'never-seen')), 400, /^participant is required/)
  expectError(await linked.ask('PUT', stars('status@broadcast', 'X')), 400, /^jid must be/)
  expectError(await linked.ask('PUT', `${stars(ANA, 'X')}?participant=${group.jid}`), 400, /^participant must be/)
})

test.each<[object, RegExp]>([
  [{ pin: { message_id: 'X', duration: '1h' } }, /^pin\.duration/],
  [{ pin: { message_id: 'X' }, text: 'x' }, /^text does not go with pin/],
  [{ pin: { message_id: 'X' }, to: 'status@broadcast' }, /^pin is for people and groups/],
  [{ keep: { message_id: 'X', participant: 'me' } }, /^keep\.participant/],
  [{ keep: { message_id: 'X' }, pin: { message_id: 'X' } }, /^only one content/],
  [{ forward_message_id: 'msg_1', to: '120363000000000001@newsletter' }, /^forward_message_id is not for channels/],
  [{ forward_message_id: 'msg_1', quoted_message_id: 'Q' }, /^quoted_message_id does not go with forward/],
  [{ forwarded: true, text: 'x', buttons: [{ id: '1', text: 'a' }] }, /^forwarded does not go with buttons/],
  [{ forwarded: true, media_type: 'image', media_url: 'https://x', view_once: true }, /^forwarded does not go with/],
  [{ text: 'x', buttons: [{ text: 'a' }] }, /^buttons\.id is required/],
  [{ text: 'x', buttons: [{ type: 'url', text: 'a', url: 'tel:1' }] }, /^buttons\.url must be a URL/],
  [{ text: 'x', buttons: [{ type: 'call', text: 'a', phone: 'me' }] }, /^buttons\.phone must be a number/],
  [{ text: 'x', buttons: [{ type: 'copy', text: 'a', url: 'https://x' }] }, /^buttons\.url does not go with/],
  [{ text: 'x', buttons: Array.from({ length: 4 }, () => ({ type: 'copy', text: 'a', code: 'b' })) }, /^buttons must/],
  [{ text: 'x', carousel: CARDS.slice(0, 1) }, /^carousel/],
  [{ text: 'x', carousel: Array.from({ length: 11 }, () => CARDS[0]) }, /^carousel/],
  [{ carousel: CARDS }, /^text must not be empty/],
  [{ text: 'x', carousel: [CARDS[0], { ...CARDS[1], media_id: 'med_1' }] }, /^carousel: give all cards a picture/],
  [{ text: 'x', carousel: CARDS.map(card => ({ ...card, media_id: 'med_1' })) }, /^carousel\.media_id/],
  [{ text: 'x', carousel: CARDS.map(card => ({ ...card, media_url: 'ftp://x' })) }, /^carousel\.media_url/],
  [{ text: 'x', carousel: CARDS.map(card => ({ ...card, buttons: [{ text: 'a' }] })) }, /^carousel\.buttons\.id is/],
  [{ text: 'x', carousel: CARDS, to: 'status@broadcast' }, /^carousel is for people and groups/],
  [{ event: { name: 'x', start: 'tomorrow' } }, /^event\.start must be an ISO 8601 time/],
  [{ event: { name: 'x', start: '2030-01-02T00:00:00Z', end: '2030-01-01T00:00:00Z' } }, /^event\.end must be after/],
  [{ event: { name: 'x', start: '2030-01-02T00:00:00Z', location: { name: 'y', latitude: 1 } } }, /^event\.location/],
  [
    { event_change: { message_id: 'X', name: 'x', start: 'tomorrow' } },
    /^event_change\.start must be an ISO 8601 time/,
  ],
  [{ event_change: { name: 'x', start: '2030-01-02T00:00:00Z' } }, /^event_change\.message_id is required/],
  [{ event_answer: { message_id: 'X', answer: 'yes' } }, /^event_answer\.answer/],
  [{ event_answer: { message_id: 'X', answer: 'going' }, quoted_message_id: 'Q' }, /^quoted_message_id does not go/],
  [{ event_answer: { message_id: 'X', answer: 'going' }, to: 'status@broadcast' }, /^event_answer is for people/],
  [{ album: { images: 1 } }, /^album must announce at least 2/],
  [{ album: { images: 90, videos: 11 } }, /^album must announce at most 100/],
  [{ text: 'x', album_message_id: 'msg_1' }, /^album_message_id does not go with text/],
])('%j is refused with the name of the field', async (body, cause) => {
  expectError(await post(body), 400, cause)
})
