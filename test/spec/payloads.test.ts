import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventSchemas } from '../../src/http/openapi/event-schemas.ts'
import { INCOMING_TYPES } from '../../src/domain/event.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { blackPng } from '../harness/pictures.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'

/** The payloads that the pages of the documentation show: recorded from a run like this one by `npm run payloads`. */
const FILE = join(import.meta.dirname, '../../site/payloads.json')

type Payload = Record<string, unknown>

let gateway: TestGateway
let account: TestAccount
let receiver: Receiver
let session: string
const seen: Record<string, Payload> = {}

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', {
    POSTERN_ROLES: 'api,worker,dispatcher,simulator',
    POSTERN_DISCONNECT_GRACE: '100ms',
  })
  account = await gateway.account()
  const voice = `OggS${'\0'.repeat(24)}OpusHead\x01\x01`
  receiver = await startReceiver(({ path }) => (path === '/voice.ogg' ? { status: 200, body: voice } : 200))
  session = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox', phone: '999100200300' })).json.id
  const url = receiver.url()
  const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
  await account.ask('POST', '/v1/webhooks', { session_id: session, ...urls })
  // What endpoints get never changes what a webhook gets.
  const include = ['own', 'context', 'group', 'contact', 'person', 'chat', 'health']
  for (const body of [
    { url: receiver.url(ENDPOINT), include, media: 'url' },
    { type: 'pull', include },
  ])
    expect((await account.ask('POST', '/v1/endpoints', body)).status).toBe(201)
})
afterAll(async () => {
  await gateway.stop()
  await receiver.close()
})

const payloads = (): Payload[] => posted().map(({ body }) => JSON.parse(body.toString()) as Payload)

const ENDPOINT = '/endpoint'

/** What the webhook got: the same server provides the file that is sent, and is an endpoint. */
const posted = () => receiver.ledger.filter(({ path }) => path !== '/voice.ogg' && path !== ENDPOINT)

/** Keeps the first matching payload of those that arrive after `happens`. */
async function take(
  name: string,
  happens: () => Promise<unknown>,
  isIt: (payload: Payload) => boolean,
): Promise<Payload> {
  const before = posted().length
  await happens()
  await receiver.until(() => payloads().slice(before).some(isIt))
  seen[name] = payloads().slice(before).find(isIt)!
  return seen[name]
}

const CONTACT = '15551234567'
const own = () => `/sandbox/sessions/${encodeURIComponent(session)}`
const incoming = (body: object) =>
  account.ask('POST', `${own()}/incoming`, { from: CONTACT, from_name: 'Ada', ...body })
const act = (action: string, body: object = {}) =>
  account.ask('POST', `${own()}/actions`, { action, from: CONTACT, ...body })
const send = (body: object, key: string) =>
  account.ask('POST', '/v1/messages', { session_id: session, to: CONTACT, ...body }, { 'idempotency-key': key })

const ofKind =
  (kind: string, fields: Payload = {}) =>
  (payload: Payload) =>
    payload['kind'] === kind && Object.entries(fields).every(([name, value]) => payload[name] === value)
const has = (name: string) => (payload: Payload) => payload[name] !== undefined

const picture = { mimetype: 'image/png', data: blackPng({ width: 8, height: 8 }).toString('base64') }

/** Messages of a contact, of every type. */
async function contactWrites(): Promise<void> {
  const message = (type: string, body: object, name = type) =>
    take(`message.${name}`, () => incoming({ type, ...body }), ofKind('message', { type }))
  const text = await message('text', { text: 'Is my order on its way?' })
  const id = text['message_id'] as string
  await take(
    'message.reply',
    () => incoming({ type: 'text', text: 'The one of Monday.', quoted_message_id: id }),
    has('quoted_message_id'),
  )
  await take(
    'message.group',
    () => incoming({ type: 'text', text: 'Hello all', group: 'Team' }),
    ofKind('message', { is_group: true }),
  )
  await take(
    'message.status_post',
    () => incoming({ type: 'text', text: 'On holiday', broadcast: true }),
    ofKind('message', { broadcast: true }),
  )
  await message('reaction', { text: '👍', reacted_message_id: id })
  await message('image', { text: 'The parcel', media: picture })
  await message('video', { text: 'Unboxing', media: { mimetype: 'video/mp4', size: 5_000_000 } })
  await message('audio', { media: { mimetype: 'audio/ogg; codecs=opus', size: 64 } })
  await message('document', { media: { mimetype: 'application/pdf', filename: 'invoice.pdf', size: 64 } })
  await message('sticker', { media: { mimetype: 'image/webp', size: 64 } })
  await message('location', {
    location: { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate', address: 'Pariser Platz' },
  })
  await message('poll', {
    poll: { name: 'When does it suit you?', options: ['Morning', 'Evening'], selectable_count: 1 },
  })
  await message('button_response', { button_response: { selected_id: 'yes', selected_text: 'Yes, please' } })
  await message('other', {})
  await take(
    'message.edit',
    () => incoming({ type: 'edit', text: 'Is my order there?', edited_message_id: id }),
    has('edited_message_id'),
  )
  await take('message.revoke', () => incoming({ type: 'revoke', revoked_message_id: id }), has('revoked_message_id'))
}

/** Events of messages that the number sends. */
async function numberSends(): Promise<void> {
  await take(
    'status.sent',
    () => send({ text: 'Your order is on its way.' }, 'order-1001-shipped'),
    ofKind('status', { status: 'sent' }),
  )
  const receipt = (type: string) => ofKind('receipt', { receipt_type: type })
  await take(
    'receipt.delivered',
    () => send({ text: 'It arrives tomorrow.' }, 'order-1001-tomorrow'),
    receipt('delivered'),
  )
  await take('receipt.read', () => send({ text: 'Thank you!' }, 'order-1001-thanks'), receipt('read'))
  const media = { media_type: 'voice', media_url: receiver.url('/voice.ogg') }
  const sent = await send({ ...media }, 'voice-1')
  await receiver.until(() =>
    payloads().some(({ message_id, status }) => message_id === sent.json.message_id && status === 'sent'),
  )
  await take('receipt.played', () => act('play', { message_id: sent.json.message_id }), receipt('played'))
  const unreachable = { to: '15551230404', text: 'Is anybody there?' }
  await take('status.failed', () => send(unreachable, 'nobody-1'), ofKind('status', { status: 'failed' }))
  const poll = await send({ poll: { name: 'When does it suit you?', options: ['Morning', 'Evening'] } }, 'poll-1001')
  await receiver.until(() =>
    payloads().some(({ message_id, status }) => message_id === poll.json.message_id && status === 'sent'),
  )
  const vote = (options: string[]) => () => act('vote', { message_id: poll.json.message_id, options })
  await take('poll_vote', vote(['Morning']), ofKind('poll_vote'))
  await take('poll_vote.withdrawn', vote([]), ofKind('poll_vote'))
}

/** Events around the number. */
async function othersAct(): Promise<void> {
  await take('typing', () => act('typing'), ofKind('typing', { typing: true }))
  await take('typing.audio', () => act('typing', { media: 'audio' }), ofKind('typing', { media: 'audio' }))
  const subscribe = `/v1/sessions/${encodeURIComponent(session)}/presence/subscribe`
  await account.ask('POST', subscribe, { contact_jid: CONTACT })
  await take('presence', () => act('presence', { online: true }), ofKind('presence', { online: true }))
  await take(
    'presence.gone',
    () => act('presence', { online: false, last_seen_unix: 1_769_860_800 }),
    ofKind('presence', { online: false }),
  )
  const call = await take('call', () => act('call', { video: false }), ofKind('call', { event: 'offer' }))
  const end = { event: 'terminate', call_id: call['call_id'], reason: 'timeout' }
  await take('call.ended', () => act('call', end), ofKind('call', { event: 'terminate' }))
  await take(
    'newsletter_message',
    () => act('newsletter_post', { name: 'Acme news', text: 'We have moved.' }),
    ofKind('newsletter_message'),
  )
  const connection = (event: string) => ofKind('connection', { event })
  await take('connection.disconnected', () => act('drop', { seconds: 2 }), connection('disconnected'))
  // It may have reconnected already.
  const back = () =>
    payloads()
      .slice(payloads().findIndex(connection('disconnected')))
      .find(connection('connected'))
  await receiver.until(() => back() !== undefined)
  seen['connection'] = back()!
  await take('connection.logged_out', () => act('log_out'), connection('logged_out'))
}

/** Names and types of all fields, at any depth. */
function shapeOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [`${path}: list`] : shapeOf(value[0], `${path}[]`)
  if (value === null || typeof value !== 'object') return [`${path}: ${value === null ? 'null' : typeof value}`]
  return Object.entries(value)
    .flatMap(([name, each]) => shapeOf(each, path === '' ? name : `${path}.${name}`))
    .sort()
}

const shapes = (all: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(all).map(([name, payload]) => [name, shapeOf(payload)]))

test('the payloads of the documentation have the shape of what a sandbox number gets today; `npm run payloads` records them again', async () => {
  await contactWrites()
  await numberSends()
  await othersAct()
  if (process.env.WRITE_PAYLOADS === '1') writeFileSync(FILE, `${JSON.stringify(seen, null, 2)}\n`)
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Payload>
  expect(shapes(kept)).toEqual(shapes(seen))
})

/** Without the values that are new in each run: ids and times. */
const masked = (payload: unknown): string =>
  JSON.stringify(payload, (name, value: unknown) =>
    /_id$|_unix$/.test(name) || /^120363\d+@/.test(String(value)) ? typeof value : value,
  )

test('a default webhook gets the recorded bytes, whatever endpoints its account has', () => {
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Payload>
  for (const [name, payload] of Object.entries(kept)) expect(masked(seen[name]), name).toBe(masked(payload))
  for (const { body } of posted()) expect(body.toString()).toBe(JSON.stringify(JSON.parse(body.toString())))
  expect(receiver.ledger.some(({ path }) => path === ENDPOINT)).toBe(true)
})

test('the payloads of the documentation show every kind of event, and every type of message', () => {
  const kept = Object.values(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Payload>)
  expect(new Set(kept.map(({ kind }) => kind))).toEqual(new Set(Object.keys(eventSchemas)))
  const types = kept.filter(({ kind }) => kind === 'message').map(({ type }) => type)
  expect(new Set(types)).toEqual(new Set(INCOMING_TYPES))
})
