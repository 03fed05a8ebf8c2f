import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { expectNoDifferences } from '../harness/judged.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

/** What a number shows of itself: its profile, status posts, links to calls, and its catalogue. */

const ANA = '5511960000001'
const BOB = '5511960000002'
const CAL = '5511960000003'
const SHOP = '5511960000480'
const STATUS = 'status@broadcast'
const PICTURE = Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...Buffer.from('a picture')])
const jidOf = (digits: string): string => `${digits}@s.whatsapp.net`

let linked: LinkedGateway
let number: SandboxNumber
let told: Receiver

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 1)
  number = linked.numbers[0]!
  told = await startReceiver()
  const endpoint = { url: told.url(), include: ['contact', 'context'] }
  expect((await linked.ask('POST', '/v1/endpoints', endpoint)).status).toBe(201)
})
afterAll(async () => {
  expectNoDifferences(linked.simulator)
  await linked.close()
  await told.close()
})

const ask = (method: string, tail: string, body?: unknown) =>
  linked.ask(method, `/v1/sessions/${encodeURIComponent(number.id)}${tail}`, body)

const own = () => linked.simulator.phone(number.phone)
const refuse = (query: string, code?: number): void =>
  linked.simulator.faults.receiving.refuseQueries(number.phone, query, code)

// oxlint-disable-next-line typescript/no-explicit-any -- the payload of any event
const eventsOf = (kind: string): any[] =>
  told.ledger.map(({ body }) => JSON.parse(body.toString())).filter(each => each.kind === kind)

async function send(body: object): Promise<string> {
  const { status, json, text } = await linked.ask('POST', '/v1/messages', { session_id: number.id, ...body })
  expect(status, text).toBe(202)
  return json.message_id as string
}

/** The id of the platform. */
async function post(body: object = {}): Promise<{ id: string; platformId: string }> {
  const id = await send({ to: STATUS, text: 'my day', ...body })
  const shown = async () => (await linked.ask('GET', `/v1/messages/${id}`)).json
  await until(async () => ['sent', 'delivered', 'read'].includes((await shown()).state))
  return { id, platformId: (await shown()).messenger_message_id }
}

describe('The profile of a number', () => {
  const noProfile = { about: null, about_set_at: null, picture_id: null, business: null }

  test('is shown, and changes of name and about appear on its phone and with its messages', async () => {
    expect((await ask('GET', '/profile')).json).toEqual({ jid: number.jid, name: expect.any(String), ...noProfile })
    const { status, json, text } = await ask('PATCH', '/profile', { name: 'Example Ltd', about: 'From 9 to 5' })
    expect(status, text).toBe(200)
    const changed = { jid: number.jid, name: 'Example Ltd', about: 'From 9 to 5', about_set_at: expect.any(String) }
    expect(json).toEqual({ ...changed, picture_id: null, business: null })
    expect((await ask('GET', '/profile')).json).toEqual(json)
    await until(() => own().name === 'Example Ltd')
    expect(own().profile().about).toBe('From 9 to 5')
    expect((await ask('PATCH', '/profile', { about: '' })).json).toMatchObject({ name: 'Example Ltd', ...noProfile })
  })

  test('has a square picture of an uploaded file, until it is removed', async () => {
    const wide = await sharp({ create: { width: 800, height: 400, channels: 3, background: '#ff0000' } })
      .png()
      .toBuffer()
    const uploaded = await linked.ask('POST', '/v1/media', wide, { 'content-type': 'image/png' })
    expect(uploaded.status, uploaded.text).toBe(201)
    const { status, json, text } = await ask('PUT', '/profile/picture', { media_id: uploaded.json.id })
    expect(status, text).toBe(200)
    expect((await ask('GET', '/profile')).json.picture_id).toBe(json.picture_id)
    const shown = own().profile().picture!
    expect(await sharp(shown).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 640 })
    const { json: file } = await ask('GET', `/contacts/${number.phone}/picture`)
    expect(file).toMatchObject({ id: json.picture_id, data: shown.toString('base64') })
    for (let times = 0; times < 2; times += 1)
      expect((await ask('DELETE', '/profile/picture')).json).toEqual({ picture_id: null })
    expect(own().profile().picture).toBeUndefined()
  })

  test('that is changed on the phone changes here, and is an event of kind contact', async () => {
    const ofOwn = (action?: string) =>
      eventsOf('contact').filter(
        each => each.contact_jid === number.jid && (action === undefined || each.action === action),
      )
    const news = async (action: string) => {
      await told.until(() => ofOwn(action).length > 0)
      return ofOwn(action)[0]
    }
    const frame = { kind: 'contact', session_id: number.jid, contact_jid: number.jid, contact_phone: number.jid }
    const at = { timestamp_unix: expect.any(Number) }
    expect(ofOwn()).toEqual([])
    await own().rename('On the phone')
    expect(await news('name')).toEqual({ ...frame, action: 'name', name: 'On the phone', ...at })
    own().changeAbout('Written there')
    expect(await news('about')).toEqual({ ...frame, action: 'about', about: 'Written there', ...at })
    own().changePicture(PICTURE)
    const { json } = await ask('GET', '/profile')
    expect(json).toMatchObject({ name: 'On the phone', about: 'Written there', picture_id: expect.any(String) })
    expect(await news('picture')).toEqual({ ...frame, action: 'picture', picture_id: json.picture_id, ...at })
  })

  test('of a business has its details', async () => {
    own().changeBusiness({ name: 'Example Ltd', description: 'Examples', websites: ['https://example.com'] })
    const business = { name: 'Example Ltd', description: 'Examples', websites: ['https://example.com'], hours: null }
    expect((await ask('GET', '/profile')).json.business).toMatchObject(business)
  })

  test('with impossible texts or files is 400; 502 while the platform refuses', async () => {
    for (const [body, field] of [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: '   ' }, 'name'],
      [{ name: 'x'.repeat(26) }, 'name'],
      [{ about: 'x'.repeat(140) }, 'about'],
      [{ age: 3 }, 'age'],
    ] as const)
      expectError(await ask('PATCH', '/profile', body), 400, new RegExp(field))
    const text = await linked.ask('POST', '/v1/media', Buffer.from('%PDF-1.4 no picture'), {
      'content-type': 'application/pdf',
    })
    for (const [body, message] of [
      [{}, /^media_id or media_url/],
      [{ media_id: 'med_x', media_url: 'https://example.com/a.jpg' }, /^media_id does not go with media_url/],
      [{ media_id: 'med_x' }, /^media_id/],
      [{ media_url: 'ftp://example.com/a.jpg' }, /^media_url/],
      [{ media_id: text.json.id }, /^media_id/],
    ] as const)
      expectError(await ask('PUT', '/profile/picture', body), 400, message)
    const { about } = own().profile()
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'status', 429)
    expectError(await ask('PATCH', '/profile', { about: 'New' }), 502)
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'status')
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'w:profile:picture', 406)
    expectError(await ask('DELETE', '/profile/picture'), 400, 'the platform refused the request (406)')
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'w:profile:picture')
    expect(own().profile().about).toBe(about)
  })
})

describe('A status post', () => {
  const has = (person: string, platformId: string): boolean =>
    linked.simulator.phone(person).message(platformId) !== undefined

  beforeAll(async () => {
    for (const person of [ANA, BOB, CAL]) {
      await send({ to: person, text: 'hello' })
      await until(() => linked.simulator.phone(person).inbox(number.phone).length > 0)
    }
  })

  test('is for the people in its audience alone, and so is its removal', async () => {
    const { id, platformId } = await post({ audience: [ANA, linked.simulator.phone(BOB).lid, `+${ANA}`] })
    await until(() => has(ANA, platformId) && has(BOB, platformId))
    expect((await linked.ask('DELETE', `/v1/messages/${id}`)).status).toBe(202)
    const revoked = (person: string): boolean =>
      linked.simulator
        .phone(person)
        .inbox(STATUS)
        .some(({ message }) => message.protocolMessage?.key?.id === platformId)
    await until(() => revoked(ANA) && revoked(BOB))
    expect(linked.simulator.phone(CAL).inbox(STATUS)).toEqual([])
  })

  test('is for those whom the owner has chosen on the phone, if it names no audience', async () => {
    own().chooseStatusAudience('blacklist', [CAL])
    const first = await post()
    await until(() => has(ANA, first.platformId) && has(BOB, first.platformId))
    own().chooseStatusAudience('whitelist', [CAL])
    const second = await post()
    await until(() => has(CAL, second.platformId))
    own().chooseStatusAudience('contacts')
    const third = await post()
    await until(() => [ANA, BOB, CAL].every(person => has(person, third.platformId)))
    expect(has(CAL, first.platformId) || has(ANA, second.platformId)).toBe(false)
  })

  test('has a list of the people who have seen it, by pages', async () => {
    for (const person of [ANA, BOB, CAL]) linked.simulator.phone(person).readFrom(number.phone, false)
    const { id, platformId } = await post()
    await until(() => [ANA, BOB, CAL].every(person => has(person, platformId)))
    const viewers = async (query = '') => (await linked.ask('GET', `/v1/messages/${id}/viewers${query}`)).json
    expect(await viewers()).toEqual({ data: [], next_cursor: null })
    for (const person of [ANA, CAL]) linked.simulator.phone(person).read(platformId)
    await until(async () => (await viewers()).data.length === 2)
    const entry = (person: string) => ({ jid: jidOf(person), seen_at: expect.stringMatching(/Z$/) })
    const first = await viewers('?limit=1')
    expect(first.data).toEqual([entry(ANA)])
    const second = await viewers(`?limit=1&cursor=${first.next_cursor}`)
    expect(second).toEqual({ data: [entry(CAL)], next_cursor: null })
    expectError(await linked.ask('GET', '/v1/messages/msg_unknown/viewers'), 404)
  })

  test('with an impossible audience is 400', async () => {
    for (const [body, message] of [
      [{ to: ANA, text: 'x', audience: [BOB] }, 'audience is for posts to status@broadcast'],
      [{ to: STATUS, text: 'x', audience: [] }, /^audience/],
      [{ to: STATUS, text: 'x', audience: ['120363000000000009@g.us'] }, /^audience/],
      [{ to: STATUS, reacted_message_id: 'X', text: '+', audience: [ANA] }, 'audience does not go with reaction'],
    ] as const)
      expectError(await linked.ask('POST', '/v1/messages', { session_id: number.id, ...body }), 400, message)
  })
})

describe('A call', () => {
  test('that rings is rejected, by a repeated request too', async () => {
    const ana = linked.simulator.phone(ANA)
    const { id } = await ana.call(number.phone)
    await told.until(() => eventsOf('call').some(({ call_id: each }) => each === id))
    for (let times = 0; times < 2; times += 1)
      expect((await ask('POST', `/calls/${id}/reject`)).json).toEqual({ call_id: id, rejected: true })
    await until(() => ana.calls().some(call => call.id === id && call.state === 'rejected'))
    await ana.hangUp(id)
    await told.until(() => eventsOf('call').length === 2)
    expect(eventsOf('call')[1]).toMatchObject({ call_id: id, event: 'terminate', rejected: true })
  })

  test('that has ended, or never was, is 404', async () => {
    const ana = linked.simulator.phone(ANA)
    const { id } = await ana.call(number.phone)
    await ana.hangUp(id)
    await told.until(() => eventsOf('call').filter(({ call_id: each }) => each === id).length === 2)
    for (const ended of [id, 'UNKNOWN'])
      expectError(await ask('POST', `/calls/${ended}/reject`), 404, 'no such call is ringing')
  })

  test('has a link, unless the platform refuses', async () => {
    for (const [media, path] of [
      ['audio', 'voice'],
      ['video', 'video'],
    ]) {
      const { status, json } = await ask('POST', '/calls/links', { media })
      expect(status).toBe(201)
      expect(json).toEqual({ url: `https://call.whatsapp.com/${path}/${json.token}`, token: expect.any(String), media })
    }
    expectError(await ask('POST', '/calls/links', { media: 'smell' }), 400, /^media/)
    for (const [code, status] of [
      [429, 502],
      [403, 400],
    ] as const) {
      refuse('call', code)
      expectError(await ask('POST', '/calls/links', { media: 'audio' }), status)
    }
    refuse('call')
  })
})

describe('The catalogue', () => {
  const product = {
    id: '1001',
    retailer_id: 'tea-green',
    name: 'Green tea',
    description: null,
    price_1000: 4500,
    currency: 'EUR',
    url: null,
    image_url: null,
    hidden: false,
    review: 'APPROVED',
  }

  test('of a business has products, by pages, and collections', async () => {
    const { business } = (await ask('GET', `/contacts/${SHOP}`)).json
    expect(business).toMatchObject({ name: 'Example Shop', category: 'Shopping & retail' })
    const first = (await ask('GET', `/catalog?jid=${SHOP}&limit=2`)).json
    expect(first.data[0]).toEqual(product)
    const second = (await ask('GET', `/catalog?jid=${SHOP}&limit=2&cursor=${first.next_cursor}`)).json
    expect(second).toMatchObject({ data: [{ id: '1003', description: 'Holds 250 ml' }], next_cursor: null })
    const { json } = await ask('GET', `/catalog/collections?jid=${SHOP}`)
    expect(json.data).toMatchObject([{ id: '2001', name: 'Tea', review: 'APPROVED' }])
    expect(json.data[0].products).toEqual(first.data)
  })

  test('of the number itself needs no JID, and is 404 without a business', async () => {
    own().changeBusiness({ name: 'Example Ltd', products: [{ id: '7', name: 'Free sample' }] })
    const free = { id: '7', name: 'Free sample', price_1000: null, currency: null, retailer_id: null }
    expect((await ask('GET', '/catalog')).json).toMatchObject({ data: [free], next_cursor: null })
    expect((await ask('GET', '/catalog/collections')).json).toEqual({ data: [] })
    const none = 'the catalogue does not exist, or the number may not see it'
    for (const tail of ['/catalog', '/catalog/collections'])
      expectError(await ask('GET', `${tail}?jid=${BOB}`), 404, none)
    expectError(await ask('GET', '/catalog?jid=120363000000000009@g.us'), 400, /^jid/)
    refuse('w:biz:catalog', 429)
    expectError(await ask('GET', '/catalog'), 502)
    refuse('w:biz:catalog')
  })

  test('is what people order from: the token of an order shows what it has', async () => {
    const products = [{ id: '7', name: 'Tea', price: 4_500, currency: 'EUR' }]
    own().changeBusiness({ name: 'Example Ltd', products })
    const { id, orderId } = await linked.simulator.phone(ANA).order(number.phone, { 7: 3 })
    const placed = () => eventsOf('message').find(({ message_id: each }) => each === id)
    await told.until(() => placed() !== undefined)
    const { order } = placed()
    expect(order).toMatchObject({ id: orderId, item_count: 1, total_1000: 13_500, currency: 'EUR' })
    const { status, json, text } = await ask('POST', '/orders', { order_id: orderId, token: order.token })
    expect(status, text).toBe(200)
    const tea = { id: '7', name: 'Tea', price_1000: 4500, currency: 'EUR', quantity: 3, image_url: null }
    expect(json).toEqual({ order_id: orderId, total_1000: 13_500, currency: 'EUR', products: [tea] })
    const history = JSON.stringify((await linked.ask('GET', '/v1/deliveries?limit=100')).json)
    expect(history).toContain(orderId)
    expect(history).not.toContain(order.token)
    for (const wrong of [
      { order_id: orderId, token: 'x' },
      { order_id: '1', token: order.token },
    ])
      expectError(await ask('POST', '/orders', wrong), 404, /^the order does not exist/)
    expectError(await ask('POST', '/orders', { order_id: orderId }), 400, /^token/)
  })
})
