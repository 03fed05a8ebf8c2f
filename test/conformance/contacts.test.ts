import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { expectNoDifferences } from '../harness/judged.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ANA = '5511940000001'
const BOB = '5511940000002'
const CAL = '5511940000003'
const SHOP = '5511940000004'
const NOT_ON_PLATFORM = '5511940000404'
const HIDDEN_NUMBER = '5511940000461'
const jidOf = (digits: string): string => `${digits}@s.whatsapp.net`
const PICTURE = Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...Buffer.from('a picture of Ana')])
const BUDGET = 200

let linked: LinkedGateway
let number: SandboxNumber
/** An endpoint that includes changes of contacts, and one that does not. */
let told: Receiver
let untold: Receiver

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 2, { env: { POSTERN_CHECKS_PER_DAY: String(BUDGET) } })
  number = linked.numbers[0]!
  told = await startReceiver()
  untold = await startReceiver()
  for (const body of [{ url: told.url(), kinds: ['message'], include: ['contact', 'context'] }, { url: untold.url() }])
    expect((await linked.ask('POST', '/v1/endpoints', body)).status).toBe(201)
})
afterAll(async () => {
  expectNoDifferences(linked.simulator)
  await linked.close()
  await told.close()
  await untold.close()
})

const ask = (method: string, tail: string, body?: unknown, { id } = number) =>
  linked.ask(method, `/v1/sessions/${encodeURIComponent(id)}${tail}`, body)

/** The number writes to a person, so that the platform tells it what the person changes. */
async function acquaint(person: string): Promise<void> {
  const sent = await linked.ask('POST', '/v1/messages', { session_id: number.id, to: person, text: 'hello' })
  expect(sent.status, sent.text).toBe(202)
  await until(() => linked.simulator.phone(person).inbox(number.phone).length > 0)
}

describe('A contact', () => {
  test('is shown with the name of the last message, about, picture and hidden identifier', async () => {
    const ana = linked.simulator.phone(ANA)
    ana.name = 'Ana'
    ana.changeAbout('At the beach')
    ana.changePicture(PICTURE)
    await ana.sendTo(number.phone, { type: 'text', text: 'hi' })
    await until(async () => (await ask('GET', `/contacts/${ANA}`)).json.name === 'Ana')
    const { status, json } = await ask('GET', `/contacts/${ANA}`)
    expect(status).toBe(200)
    expect(json).toEqual({
      jid: ana.jid,
      lid: ana.lid,
      phone: ana.jid,
      name: 'Ana',
      about: 'At the beach',
      about_set_at: expect.stringMatching(/Z$/),
      picture_id: expect.stringMatching(/^\d+$/),
      business: null,
      hidden: [],
    })
    expect((await ask('GET', `/contacts/${encodeURIComponent(ana.lid)}`)).json).toEqual(json)
  })

  test('that shows nothing of itself has nulls, and hidden names what it hides', async () => {
    const bob = linked.simulator.phone(BOB)
    const nothing = { name: null, about: null, about_set_at: null, picture_id: null, business: null }
    expect((await ask('GET', `/contacts/${BOB}`)).json).toMatchObject({ ...nothing, jid: bob.jid, hidden: [] })
    bob.changeAbout('Secret')
    bob.changePicture(PICTURE)
    bob.hide('about')
    bob.hide('picture')
    expect((await ask('GET', `/contacts/${BOB}`)).json).toMatchObject({ ...nothing, hidden: ['about', 'picture'] })
  })

  test('that is a business is shown with its profile', async () => {
    const business = {
      name: 'Shop Ltd',
      description: 'Shoes',
      category: 'Retail',
      address: '1 Main Street',
      email: 'shop@example.com',
      websites: ['https://shop.example.com', 'https://shoes.example.com'],
      hours: {
        timezone: 'America/Sao_Paulo',
        days: [
          { day: 'mon', mode: 'specific_hours' as const, opens: 0, closes: 1080 },
          { day: 'tue', mode: 'open_24h' as const },
        ],
      },
    }
    linked.simulator.phone(SHOP).changeBusiness(business)
    const days = [
      { day: 'mon', mode: 'specific_hours', opens: 0, closes: 1080 },
      { day: 'tue', mode: 'open_24h', opens: null, closes: null },
    ]
    const shown = { ...business, hours: { timezone: 'America/Sao_Paulo', days } }
    expect((await ask('GET', `/contacts/${SHOP}`)).json.business).toEqual(shown)
  })

  test('that is not on the platform is 404, and a group is no contact', async () => {
    expectError(await ask('GET', `/contacts/${NOT_ON_PLATFORM}`), 404, 'contact not found')
    expectError(await ask('GET', '/contacts/120363000000000009@g.us'), 400, /^jid must be a contact/)
  })

  test('answers 502 while the platform refuses to answer', async () => {
    for (const [xmlns, tail] of [
      ['usync', ''],
      ['w:profile:picture', '/picture'],
    ] as const) {
      for (const code of [429, 503]) {
        linked.simulator.faults.receiving.refuseQueries(number.phone, xmlns, code)
        expectError(await ask('GET', `/contacts/${ANA}${tail}`), 502)
      }
      linked.simulator.faults.receiving.refuseQueries(number.phone, xmlns)
      expect((await ask('GET', `/contacts/${ANA}${tail}`)).status).toBe(200)
    }
  })
})

describe('The picture of a contact', () => {
  test('is fetched through the gateway', async () => {
    const { json: contact } = await ask('GET', `/contacts/${ANA}`)
    for (const query of ['', '?size=preview']) {
      const { status, json } = await ask('GET', `/contacts/${ANA}/picture${query}`)
      expect(status).toBe(200)
      expect(json).toEqual({
        id: contact.picture_id,
        mimetype: 'image/jpeg',
        file_length: PICTURE.length,
        data: PICTURE.toString('base64'),
      })
    }
    expectError(await ask('GET', `/contacts/${ANA}/picture?size=huge`), 400, /^size/)
  })

  test('that is hidden or does not exist is 404', async () => {
    const hidden = await ask('GET', `/contacts/${BOB}/picture`)
    expectError(hidden, 404, 'the contact hides the picture from this number')
    expectError(await ask('GET', `/contacts/${CAL}/picture`), 404, 'the contact has no picture')
  })
})

describe('Blocks', () => {
  test('keep the messages of a contact away until the contact is unblocked', async () => {
    const cal = linked.simulator.phone(CAL)
    await acquaint(CAL)
    for (let times = 0; times < 2; times += 1)
      expect((await ask('PUT', `/blocks/${CAL}`)).json).toEqual({ jid: cal.jid, blocked: true })
    expect(linked.simulator.phone(number.phone).blocked()).toEqual([CAL])
    expect((await ask('GET', '/blocks')).json).toEqual({
      data: [{ jid: cal.jid, phone: cal.jid }],
      next_cursor: null,
    })
    const { id: unheard } = await cal.sendTo(number.phone, { type: 'text', text: 'can you hear me' })
    const lid = encodeURIComponent(cal.lid)
    expect((await ask('DELETE', `/blocks/${lid}`)).json).toEqual({ jid: cal.lid, blocked: false })
    expect(linked.simulator.phone(number.phone).blocked()).toEqual([])
    const { id: heard } = await cal.sendTo(number.phone, { type: 'text', text: 'and now' })
    await told.until(ledger => ledger.some(({ body }) => body.includes(heard)))
    expect(told.ledger.some(({ body }) => body.includes(unheard))).toBe(false)
  })

  test('are listed by pages, with the number where it is known', async () => {
    const people = [ANA, BOB, CAL]
    for (const person of people) expect((await ask('PUT', `/blocks/${person}`)).status).toBe(200)
    const first = (await ask('GET', '/blocks?limit=2')).json
    expect(first.data.map(({ phone }: { phone: string }) => phone)).toEqual([jidOf(ANA), jidOf(BOB)])
    const second = (await ask('GET', `/blocks?limit=2&cursor=${first.next_cursor}`)).json
    expect(second).toEqual({ data: [{ jid: jidOf(CAL), phone: jidOf(CAL) }], next_cursor: null })
    for (const person of people) expect((await ask('DELETE', `/blocks/${person}`)).status).toBe(200)
  })

  test('that the platform refuses are errors', async () => {
    expectError(await ask('PUT', `/blocks/${NOT_ON_PLATFORM}`), 404, 'contact not found')
    expectError(await ask('PUT', `/blocks/${number.phone}`), 400, 'the platform refused the request (406)')
    const { lid } = linked.simulator.phone(HIDDEN_NUMBER)
    const byLid = await ask('PUT', `/blocks/${encodeURIComponent(lid)}`)
    expectError(byLid, 400, 'the platform blocks only people whose phone number is known')
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'blocklist', 429)
    expectError(await ask('PUT', `/blocks/${ANA}`), 502)
    expectError(await ask('GET', '/blocks'), 502)
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'blocklist')
    expect(linked.simulator.phone(number.phone).blocked()).toEqual([])
  })
})

describe('A check of phone numbers', () => {
  test('has an outcome for each number', async () => {
    const written = [`+${ANA}`, NOT_ON_PLATFORM, 'x', `+55 (11) 94000-0001`, '0151 2345678']
    const { status, json, text } = await ask('POST', '/contacts/check', { phones: written })
    expect(status, text).toBe(200)
    const found = { phone: ANA, outcome: 'found', exists: true, jid: jidOf(ANA) }
    expect(json.data).toEqual([
      found,
      { phone: NOT_ON_PLATFORM, outcome: 'not_found', exists: false, jid: null },
      { phone: 'x', outcome: 'invalid', exists: null, jid: null },
      found,
      { phone: '0151 2345678', outcome: 'invalid', exists: null, jid: null },
    ])
    expect(json.budget.limit).toBe(BUDGET)
    expect(json.budget.resets_at).toMatch(/T00:00:00.000Z$/)
    const again = await ask('POST', '/contacts/check', { phones: ['x'] })
    expect(again.json.budget.left).toBe(json.budget.left)
  })

  test('takes 1 to 100 numbers', async () => {
    const many = Array.from({ length: 101 }, (_, index) => String(5511941000000 + index))
    for (const phones of [[], many, 'x', undefined])
      expectError(await ask('POST', '/contacts/check', { phones }), 400, /^phones/)
    expectError(await ask('POST', '/contacts/check', { phones: [ANA], force: true }), 400, /^force/)
  })

  test('finds people under another number than the one that was written', async () => {
    const [written, real] = ['5511988887777', '551188887777']
    linked.simulator.faults.correctNumber(written, real)
    const { json } = await ask('POST', '/contacts/check', { phones: [written] })
    expect(json.data).toEqual([{ phone: written, outcome: 'found', exists: true, jid: jidOf(real) }])
  })

  test('answers 502 while the platform refuses, and still costs what was sent', async () => {
    const leftNow = async (): Promise<number> =>
      (await ask('POST', '/contacts/check', { phones: ['x'] })).json.budget.left
    const before = await leftNow()
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'usync', 429)
    expectError(await ask('POST', '/contacts/check', { phones: [ANA, BOB] }), 502)
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'usync')
    expect(await leftNow()).toBe(before - 2)
  })

  test('is 429 with Retry-After when the budget of the day does not suffice, also after a restart, for this number alone', async () => {
    const other = linked.numbers[1]!
    const phones = Array.from({ length: 100 }, (_, index) => String(5511942000000 + index))
    const check = (given: string[]) => ask('POST', '/contacts/check', { phones: given }, other)
    for (const left of [100, 0]) expect((await check(phones)).json.budget.left).toBe(left)
    const spent = await check([ANA])
    expectError(spent, 429, 'daily check budget exceeded')
    expect(spent.headers['x-error-code']).toBe('quota_exceeded')
    expect(Number(spent.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(spent.headers['retry-after'])).toBeLessThanOrEqual(86_400)
    expectError(await ask('GET', `/contacts/check?phone=${ANA}`, undefined, other), 429, 'daily check budget exceeded')
    // To look at a stranger is a check too.
    expectError(await ask('GET', '/contacts/5511942000999', undefined, other), 429, 'daily check budget exceeded')
    await linked.stop()
    await linked.start()
    await until(() => linked.allConnected())
    await until(async () => (await check([ANA])).status === 429)
    // The gateway may take up its numbers one after the other.
    await until(async () => (await ask('GET', '/privacy')).status === 200)
    expect((await ask('GET', `/contacts/check?phone=${ANA}`)).json).toEqual({
      phone: ANA,
      exists: true,
      jid: jidOf(ANA),
    })
  })
})

describe('The privacy settings of a number', () => {
  const own = () => linked.simulator.phone(number.phone)

  test('are shown, and changes reach the platform', async () => {
    own().changePrivacy('profile', 'contact_blacklist')
    const all = {
      last_seen: 'all',
      online: 'all',
      picture: 'contacts_except',
      about: 'all',
      read_receipts: 'all',
      group_add: 'all',
      call_add: 'all',
      messages: 'all',
    }
    expect((await ask('GET', '/privacy')).json).toEqual(all)
    const change = { last_seen: 'none', online: 'match_last_seen', picture: 'contacts', group_add: 'contacts' }
    const { status, json, text } = await ask('PATCH', '/privacy', { ...change, call_add: 'known' })
    expect(status, text).toBe(200)
    expect(json).toEqual({ ...all, ...change, call_add: 'known' })
    expect(['last', 'profile', 'calladd'].map(name => own().privacy(name))).toEqual(['none', 'contacts', 'known'])
  })

  test('decide whether people see that their messages were read', async () => {
    const ana = linked.simulator.phone(ANA)
    const readOf = async (): Promise<string> => {
      const { id } = await ana.sendTo(number.phone, { type: 'text', text: 'read me' })
      await told.until(ledger => ledger.some(({ body }) => body.includes(id)))
      expect((await ask('POST', '/read', { chat_jid: ANA, message_ids: [id] })).status).toBe(200)
      return id
    }
    expect((await ask('PATCH', '/privacy', { read_receipts: 'none' })).json.read_receipts).toBe('none')
    const unseen = await readOf()
    expect((await ask('PATCH', '/privacy', { read_receipts: 'all' })).json.read_receipts).toBe('all')
    const seen = await readOf()
    await until(() => ana.tick(seen, number.phone) === 'read')
    expect(ana.tick(unseen, number.phone)).toBe('delivered')
  })

  test('with unknown names or values, or nothing to change, are 400; 502 while the platform refuses', async () => {
    for (const body of [{}, { last_seen: 'friends' }, { shoe_size: 'all' }, { read_receipts: 'contacts' }])
      expectError(await ask('PATCH', '/privacy', body), 400)
    const except = await ask('PATCH', '/privacy', { about: 'contacts_except' })
    expectError(except, 400, 'about: contacts_except can be chosen on the phone only')
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'privacy', 429)
    expectError(await ask('GET', '/privacy'), 502)
    expectError(await ask('PATCH', '/privacy', { about: 'none' }), 502)
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'privacy')
    expect(own().privacy('status')).toBe('all')
  })
})

interface ContactNews {
  kind: string
  action: string
  contact_jid: string
  [field: string]: unknown
}

const newsOf = ({ ledger }: Receiver): ContactNews[] =>
  ledger.map(({ body }) => JSON.parse(body.toString()) as ContactNews).filter(({ kind }) => kind === 'contact')

describe('Events of kind contact', () => {
  const news = async (digits: string, action: string, count = 1): Promise<ContactNews> => {
    const all = () => newsOf(told).filter(each => each.contact_jid === jidOf(digits) && each.action === action)
    await told.until(() => all().length >= count)
    return all()[count - 1]!
  }
  const frame = (digits: string, action: string) => ({
    kind: 'contact',
    session_id: number.jid,
    contact_jid: jidOf(digits),
    contact_phone: jidOf(digits),
    action,
    timestamp_unix: expect.any(Number),
  })

  test('say which picture, about, number and name a person has from now on', async () => {
    const person = '5511940000011'
    const phone = linked.simulator.phone(person)
    await acquaint(person)
    phone.changeAbout('New here')
    expect(await news(person, 'about')).toEqual({ ...frame(person, 'about'), about: 'New here' })
    phone.changePicture(PICTURE)
    const { picture_id: id } = (await ask('GET', `/contacts/${person}`)).json
    expect(await news(person, 'picture')).toEqual({ ...frame(person, 'picture'), picture_id: id })
    phone.changePicture(undefined)
    expect(await news(person, 'picture', 2)).toEqual({ ...frame(person, 'picture'), picture_id: '' })
    for (const name of ['Dora', 'Dora', 'Dora B.']) {
      phone.name = name
      const { id } = await phone.sendTo(number.phone, { type: 'text', text: 'hi' })
      await told.until(ledger => ledger.some(({ body }) => body.includes(id)))
    }
    expect(await news(person, 'name')).toEqual({ ...frame(person, 'name'), name: 'Dora B.' })
    expect(
      newsOf(told).filter(({ action, contact_jid: jid }) => action === 'name' && jid === jidOf(person)),
    ).toHaveLength(1)
    const { receiving } = linked.simulator.faults
    receiving.announce(number.phone, 'notification contacts modify', { contact: person, newNumber: '5511940000012' })
    expect(await news(person, 'number')).toEqual({ ...frame(person, 'number'), new_jid: jidOf('5511940000012') })
  })

  test('have the about also where the platform announces only that it has changed', async () => {
    const person = '5511940000013'
    linked.simulator.phone(person).changeAbout('Ask me')
    linked.simulator.faults.receiving.announce(number.phone, 'notification status set', { contact: person })
    expect(await news(person, 'about')).toEqual({ ...frame(person, 'about'), about: 'Ask me' })
  })

  test('reach no other endpoint and no webhook, and leave no words in the history', async () => {
    const person = '5511940000014'
    const phone = linked.simulator.phone(person)
    await acquaint(person)
    phone.changeAbout('Secret About')
    await news(person, 'about')
    for (const name of ['Secret One', 'Secret Two']) {
      phone.name = name
      await phone.sendTo(number.phone, { type: 'text', text: 'hi' })
    }
    await news(person, 'name')
    const { id } = await phone.sendTo(number.phone, { type: 'text', text: 'later' })
    for (const receiver of [linked.receiver, untold]) {
      await receiver.until(ledger => ledger.some(({ body }) => body.includes(id)))
      expect(newsOf(receiver)).toEqual([])
    }
    const history = JSON.stringify((await linked.ask('GET', '/v1/deliveries?limit=100')).json)
    expect(history).toContain(jidOf(person))
    for (const secret of ['Secret About', 'Secret Two']) expect(history).not.toContain(secret)
  })
})
