import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oldContact } from '@postern/simulator/phone/history'
import type { Phone } from '@postern/simulator/phone/phone'
import { expectError } from '../harness/client.ts'
import { expectNoDifferences } from '../harness/judged.ts'
import { type LinkedGateway, linkNumber, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ANA = '5511950000001'
const BOB = '5511950000002'
const CAL = '5511950000003'
const DAN = '5511950000004'
const EVA = '5511950000005'
const jidOf = (digits: string): string => `${digits}@s.whatsapp.net`
const FOREVER = '9999-12-31T00:00:00.000Z'

let place: Place
let linked: LinkedGateway
let number: SandboxNumber
/** A number whose chats are not followed at first. */
let other: SandboxNumber
/** An endpoint that includes changes of chats of the first number, and one that does not. */
let told: Receiver
let untold: Receiver

beforeAll(async () => {
  place = await newPlace('sqlite')
  linked = await openLinkedGateway(place, 2)
  number = linked.numbers[0]!
  other = linked.numbers[1]!
  told = await startReceiver()
  untold = await startReceiver()
  const first = { url: told.url(), kinds: ['message'], include: ['chat'], session_ids: [number.id] }
  for (const body of [first, { url: untold.url() }])
    expect((await linked.ask('POST', '/v1/endpoints', body)).status).toBe(201)
  // The numbers know whose hidden identifiers these are, since these people have written.
  for (const person of [ANA, BOB, CAL, DAN, EVA])
    for (const to of linked.numbers) {
      await linked.simulator.phone(person).sendTo(to.phone, { type: 'text', text: 'hello' })
      await until(async () => (await ask('GET', `/contacts/${person}`, undefined, to)).json.lid)
    }
  await untold.until(
    ledger => ledger.filter(({ body }) => JSON.parse(body.toString()).kind === 'message').length === 10,
  )
})
afterAll(async () => {
  expectNoDifferences(linked.simulator)
  await linked.close()
  await told.close()
  await untold.close()
})

const ask = (method: string, tail: string, body?: unknown, { id } = number) =>
  linked.ask(method, `/v1/sessions/${encodeURIComponent(id)}${tail}`, body)

const phone = ({ phone: digits } = number) => linked.simulator.phone(digits)

const shown = async (person: string, of = number) => (await ask('GET', `/chats/${person}`, undefined, of)).json

const isSynced = async (of = number): Promise<boolean> =>
  (await ask('GET', '/chats', undefined, of)).json.synced_at !== null

// oxlint-disable-next-line typescript/no-explicit-any -- the payload of any event
const events = (receiver: Receiver): any[] => receiver.events().filter(({ kind }) => kind === 'chat')

describe('A chat that the owner changes on the phone', () => {
  test('is in the list, and endpoints that include chats receive an event', async () => {
    await until(isSynced)
    await phone().changeChat(ANA, { archived: true })
    await until(async () => (await shown(ANA)).archived === true)
    const { json } = await ask('GET', '/chats?limit=1')
    expect(json).toEqual({
      data: [
        {
          jid: jidOf(ANA),
          last_activity: expect.stringMatching(/Z$/),
          unread: 1,
          marked_unread: false,
          archived: true,
          pinned: false,
          muted_until: null,
          labels: [],
        },
      ],
      next_cursor: expect.any(String),
      synced_at: expect.stringMatching(/Z$/),
    })
    await until(() => events(told).length === 1)
    expect(events(told)[0]).toEqual({
      kind: 'chat',
      session_id: number.jid,
      chat_jid: jidOf(ANA),
      action: 'archive',
      archived: true,
      timestamp_unix: expect.any(Number),
    })
    expect(events(untold)).toEqual([])
  })

  test('is pinned, muted, marked and labelled in the list too', async () => {
    const label = {
      index: ['label_edit', '7'],
      value: { timestamp: 1, labelEditAction: { name: 'Customers', color: 1 } },
    }
    await phone().changeSettings('regular', [label])
    const mutedUntil = Date.UTC(2030, 0, 1)
    await phone().changeChat(BOB, { pinned: true, mutedUntil, read: false, label: ['7', true] })
    await until(async () => (await shown(BOB)).labels?.length === 1 && (await shown(BOB)).muted_until !== null)
    expect(await shown(BOB)).toMatchObject({
      archived: false,
      pinned: true,
      marked_unread: true,
      muted_until: '2030-01-01T00:00:00.000Z',
      labels: [{ id: '7', name: 'Customers' }],
    })
    await phone().changeChat(BOB, { pinned: false, mutedUntil: -1, read: true, label: ['7', false] })
    await until(async () => (await shown(BOB)).labels?.length === 0 && (await shown(BOB)).muted_until === FOREVER)
    expect(await shown(BOB)).toMatchObject({ pinned: false, marked_unread: false })
    const ofBob = () => events(told).filter(({ chat_jid: jid }) => jid === jidOf(BOB))
    await until(() => ofBob().length === 8)
    const actions = ofBob().map(({ action, pinned, muted_until_unix, read, label_id, labelled }) =>
      JSON.stringify({ action, pinned, muted_until_unix, read, label_id, labelled }),
    )
    expect(actions.sort()).toEqual(
      [
        { action: 'pin', pinned: true },
        { action: 'read', read: false },
        { action: 'mute', muted_until_unix: mutedUntil / 1000 },
        { action: 'label', label_id: '7', labelled: true },
        { action: 'pin', pinned: false },
        { action: 'read', read: true },
        { action: 'mute', muted_until_unix: Date.parse(FOREVER) / 1000 },
        { action: 'label', label_id: '7', labelled: false },
      ]
        .map(event => JSON.stringify(event))
        .sort(),
    )
    const history = await linked.ask('GET', '/v1/deliveries?limit=100')
    expect(history.text).not.toContain('Customers')
  })

  test('has one entry, whether the phone names the person by number or by hidden identifier', async () => {
    await phone().changeChat(CAL, { archived: true }, 'pn')
    await until(async () => (await shown(CAL)).archived === true)
    await phone().changeChat(CAL, { pinned: true }, 'lid')
    await until(async () => (await shown(CAL)).pinned === true)
    const { data } = (await ask('GET', '/chats?limit=100')).json
    expect(data.filter(({ jid }: { jid: string }) => jid.includes('@lid'))).toEqual([])
  })

  test('while the number has missed more patches than one answer has is as the phone shows it last', async () => {
    linked.simulator.faults.silenceQueries(number.phone)
    for (let i = 0; i < 61; i += 1) await phone().changeChat(EVA, { archived: i % 2 === 0 })
    linked.simulator.faults.silenceQueries(number.phone, false)
    expect((await ask('POST', '/restart')).status).toBe(202)
    await until(async () => (await shown(EVA)).archived === true && events(told).filter(isOf(EVA)).length === 61)
    expect(events(told).filter(isOf(EVA)).at(-1)).toMatchObject({ archived: true })
  })
})

const isOf =
  (person: string) =>
  ({ chat_jid: jid }: { chat_jid: string }): boolean =>
    jid === jidOf(person)

describe('A chat that the API changes', () => {
  test('is archived, pinned, muted, marked and labelled on the phone', async () => {
    const before = events(told).length
    const archived = await ask('PATCH', `/chats/${DAN}`, { archived: true })
    expect(archived.status, archived.text).toBe(200)
    expect(archived.json).toMatchObject({ jid: jidOf(DAN), archived: true, pinned: false })
    expect(phone().chat(DAN).archived).toBe(true)
    const change = {
      archived: false,
      pinned: true,
      muted_until: '2030-01-01T00:00:00Z',
      read: false,
      labels: ['7', '8'],
    }
    expect((await ask('PATCH', `/chats/${DAN}`, change)).json).toMatchObject({
      archived: false,
      pinned: true,
      muted_until: '2030-01-01T00:00:00.000Z',
      marked_unread: true,
      labels: [
        { id: '7', name: 'Customers' },
        { id: '8', name: null },
      ],
    })
    const mutedUntil = Date.UTC(2030, 0, 1)
    expect(phone().chat(DAN)).toEqual({ archived: false, pinned: true, mutedUntil, read: false, labels: ['7', '8'] })
    const back = { pinned: false, muted_until: FOREVER, read: true, labels: ['8'] }
    expect((await ask('PATCH', `/chats/${DAN}`, back)).json).toMatchObject({ pinned: false, muted_until: FOREVER })
    expect(phone().chat(DAN)).toEqual({ archived: false, pinned: false, mutedUntil: -1, read: true, labels: ['8'] })
    expect((await ask('PATCH', `/chats/${DAN}`, { muted_until: null })).json.muted_until).toBeNull()
    expect(phone().chat(DAN).mutedUntil).toBeNull()
    expect(events(told)).toHaveLength(before)
  })

  test('stays changed if the same request comes again', async () => {
    const first = await ask('PATCH', `/chats/${DAN}`, { archived: true })
    expect(await ask('PATCH', `/chats/${DAN}`, { archived: true })).toMatchObject({ status: 200, json: first.json })
    expect(phone().chat(DAN)).toMatchObject({ archived: true, pinned: false })
  })

  test('and that the phone changes at the same time is changed by both, one after the other', async () => {
    const both = Array.from({ length: 5 }, async (_, i) => {
      const answer = ask('PATCH', `/chats/${DAN}`, { pinned: i % 2 === 0, archived: false })
      await phone().changeChat(BOB, { archived: i % 2 === 0 })
      return (await answer).status
    })
    expect(await Promise.all(both)).toEqual([200, 200, 200, 200, 200])
    expect(phone().chat(DAN).archived).toBe(false)
    await until(async () => (await shown(BOB)).archived === phone().chat(BOB).archived)
    expect((await shown(DAN)).pinned).toBe(phone().chat(DAN).pinned)
  })

  test('is changed with the newest key of the phone', async () => {
    phone().renewSettingsKey()
    await phone().changeChat(ANA, { archived: false })
    await until(async () => (await shown(ANA)).archived === false)
    expect((await ask('PATCH', `/chats/${ANA}`, { pinned: true })).status).toBe(200)
    expect(phone().chat(ANA)).toMatchObject({ archived: false, pinned: true })
  })

  test('answers 400 for what is no chat or no change', async () => {
    expectError(
      await ask('PATCH', '/chats/status@broadcast', { archived: true }),
      400,
      /^jid must be a contact or a group/,
    )
    expectError(await ask('PATCH', `/chats/${DAN}`, {}), 400)
    expectError(await ask('PATCH', `/chats/${DAN}`, { archived: true, color: 1 }), 400)
    expectError(
      await ask('PATCH', `/chats/${DAN}`, { archived: true, pinned: true }),
      400,
      /archived chat cannot be pinned/,
    )
    expectError(await ask('PATCH', `/chats/${DAN}`, { muted_until: 'tomorrow' }), 400, /muted_until/)
    expectError(await ask('GET', '/chats/5511950000999'), 404, 'chat not found')
  })

  test('answers 502 while the platform refuses, and is not changed then', async () => {
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'w:sync:app:state', 503)
    expectError(await ask('PATCH', `/chats/${DAN}`, { archived: true }), 502)
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'w:sync:app:state')
    expect((await shown(DAN)).archived).toBe(false)
  })
})

describe('The list of chats', () => {
  test('is kept from the first request on, without events, and has what the phone shared before', async () => {
    await phone(other).changeChat(ANA, { archived: true })
    await phone(other).changeChat(BOB, { mutedUntil: -1 })
    const first = (await ask('GET', '/chats', undefined, other)).json
    expect(first).toEqual({ data: [], next_cursor: null, synced_at: null })
    await until(() => isSynced(other))
    const page = (await ask('GET', '/chats?limit=1', undefined, other)).json
    expect(page.data).toMatchObject([{ jid: jidOf(ANA), archived: true }])
    const rest = (await ask('GET', `/chats?limit=1&cursor=${page.next_cursor}`, undefined, other)).json
    expect(rest).toMatchObject({ data: [{ jid: jidOf(BOB), muted_until: FOREVER }], next_cursor: null })
  })

  test('counts unread messages until the owner or the API reads them, and has the time of the last message', async () => {
    const ana = linked.simulator.phone(ANA)
    const { id } = await ana.sendTo(other.phone, { type: 'text', text: 'one' })
    await ana.sendTo(other.phone, { type: 'text', text: 'two' })
    await until(async () => (await shown(ANA, other)).unread === 2)
    expect((await shown(ANA, other)).last_activity).toMatch(/Z$/)
    await ana.react(other.phone, id, '👍')
    const read = await ask('POST', '/read', { chat_jid: ANA, message_ids: [id] }, other)
    expect(read.status, read.text).toBe(200)
    await until(async () => (await shown(ANA, other)).unread === 0)
    await ana.sendTo(other.phone, { type: 'text', text: 'three' })
    await phone(other).changeChat(ANA, { read: true })
    await until(async () => (await shown(ANA, other)).unread === 0)
  })

  test('needs no connection, while changes answer 409', async () => {
    expect((await linked.ask('PATCH', `/v1/sessions/${encodeURIComponent(other.id)}`, { paused: true })).status).toBe(
      200,
    )
    await until(async () => (await ask('PATCH', `/chats/${ANA}`, { archived: false }, other)).status === 409)
    expect((await ask('GET', '/chats', undefined, other)).json.data).toHaveLength(2)
  })

  test('is complete after a kill: what the phone changed meanwhile is in it once', async () => {
    const before = events(told).filter(isOf(CAL)).length
    await linked.kill()
    await phone().changeChat(CAL, { archived: false })
    await phone().changeChat(CAL, { mutedUntil: -1 })
    await linked.start()
    // The two changes are in different collections, which are read in any order.
    await until(async () => {
      const { archived, muted_until } = await shown(CAL)
      return !archived && muted_until === FOREVER
    })
    expect((await ask('PATCH', `/chats/${CAL}`, { archived: true })).status).toBe(200)
    expect(phone().chat(CAL)).toMatchObject({ archived: true, mutedUntil: -1 })
    await until(() => events(told).filter(isOf(CAL)).length === before + 2)
  })
})

describe('Older messages of a chat', () => {
  const FIA = '5511950000006'
  let third: SandboxNumber
  /** An endpoint that includes history, and wants the ids of files. */
  let historian: Receiver
  /** What Fia and the owner of the number wrote before it was linked, the oldest first. */
  const old: string[] = []
  let newest = ''

  beforeAll(async () => {
    historian = await startReceiver()
    const digits = '999100000009'
    const fia = linked.simulator.phone(FIA)
    const owner = linked.simulator.phone(digits)
    for (let i = 0; i < 4; i += 1) {
      old.push((await fia.sendTo(digits, { type: 'text', text: `question ${i}` })).id)
      old.push((await owner.sendTo(FIA, { type: 'text', text: `answer ${i}` })).id)
    }
    third = await linkNumber(linked.ask, linked.simulator, linked.receiver.url(), digits)
    const body = { url: historian.url(), include: ['history'], media: 'url', session_ids: [third.id] }
    expect((await linked.ask('POST', '/v1/endpoints', body)).status).toBe(201)
    newest = (await fia.sendTo(digits, { type: 'text', text: 'now' })).id
    await historian.until(ledger => ledger.some(({ body: event }) => event.includes(newest)))
  })
  afterAll(() => historian.close())

  const request = (body: object, chat = FIA) => ask('POST', `/chats/${chat}/history`, body, third)
  const jobNow = async (id: string) => (await ask('GET', `/history/${id}`, undefined, third)).json
  // oxlint-disable-next-line typescript/no-explicit-any -- the payload of any event
  const historic = (receiver = historian): any[] => receiver.events().filter(event => event.historic)

  test('arrive with historic: true, once each and in parts, at endpoints that include history', async () => {
    phone(third).sendHistoryInParts(2)
    const asked = await request({ before_message_id: newest, count: 5 })
    expect(asked.status, asked.text).toBe(202)
    expect(asked.json).toMatchObject({ chat_jid: jidOf(FIA), count: 5, ends_at: expect.stringMatching(/Z$/) })
    await until(async () => (await jobNow(asked.json.id)).state === 'done')
    expect(await jobNow(asked.json.id)).toMatchObject({ found: 5, more: true })
    await until(() => historic().length === 5)
    const found = new Map(historic().map(event => [event.message_id, event]))
    expect(old).toEqual(expect.arrayContaining([...found.keys()]))
    expect(found.get(old[6]!)).toEqual({
      kind: 'message',
      message_id: old[6],
      session_id: third.jid,
      sender_jid: jidOf(FIA),
      sender_phone: jidOf(FIA),
      sender_name: expect.any(String),
      chat_jid: jidOf(FIA),
      is_group: false,
      broadcast: false,
      type: 'text',
      text: 'question 3',
      timestamp_unix: expect.any(Number),
      historic: true,
      from_me: false,
    })
    expect(found.get(old[7]!)).toMatchObject({ sender_jid: third.jid, from_me: true, text: 'answer 3' })
    // The same again finds nothing that is new.
    const again = await request({ before_message_id: newest, count: 5 })
    await until(async () => (await jobNow(again.json.id)).state === 'done')
    expect(await jobNow(again.json.id)).toMatchObject({ found: 0, more: true })
    expect(historic()).toHaveLength(5)
    for (const receiver of [linked.receiver, untold]) expect(historic(receiver)).toEqual([])
  })

  test('are waited for while the phone sleeps, through a kill, and those that have arrived are left out', async () => {
    phone(third).sleep()
    const before = historic().length
    const asked = await request({ before_message_id: newest, count: 500 })
    expect(asked.status, asked.text).toBe(202)
    expect((await jobNow(asked.json.id)).state).toBe('waiting')
    await linked.kill()
    await phone(third).wakeUp()
    await linked.start()
    await until(async () => (await jobNow(asked.json.id)).state === 'done')
    expect(await jobNow(asked.json.id)).toMatchObject({ found: 3, more: false })
    await until(() => historic().length === before + 3)
    expect(new Set(historic().map(({ message_id }) => message_id)).size).toBe(8)
  })

  test('are requested only where the request can be answered', async () => {
    for (const body of [{}, { before_message_id: newest, count: 501 }, { before_message_id: newest, page: 2 }])
      expectError(await request(body), 400)
    expectError(await request({ before_message_id: 'UNKNOWN' }), 400, /^before_message_id refers to no message/)
    expectError(await ask('POST', `/chats/${ANA}/history`, { before_message_id: 'X' }), 400, /^no endpoint/)
    expectError(await ask('GET', '/history/job_00000000000000000000000000'), 404, 'history job not found')
    phone(third).sleep()
    const answers = []
    for (let i = 0; i < 21; i += 1) answers.push((await request({ before_message_id: newest })).status)
    expect(answers).toEqual([...Array.from({ length: 20 }, () => 202), 429])
    await linked.ask('PATCH', `/v1/sessions/${encodeURIComponent(third.id)}`, { paused: true })
    await phone(third).wakeUp()
  })
})

describe('The history that a phone sends after it is linked', () => {
  const GIL = '5511950000007'
  const HUGO = '5511950000008'
  const digits = '999100000010'
  let historian: Receiver
  let jobId: string
  const old: string[] = []
  let tooOld: string
  let groupJid: string
  const path = `/v1/sessions/${encodeURIComponent(jidOf(digits))}`
  // oxlint-disable-next-line typescript/no-explicit-any -- the payload of any event
  const historic = (receiver = historian): any[] => receiver.events().filter(event => event.historic)
  const job = async () => (await linked.ask('GET', `${path}/history/${jobId}`)).json

  /** Links the number by a code that its phone scans. */
  async function pair(body: object) {
    const created = await linked.ask('POST', '/v1/pairings', {
      method: 'qr',
      platform: 'sandbox',
      phone: digits,
      ...body,
    })
    expect(created.status, created.text).toBe(201)
    await linked.simulator.linkByQr(created.json.qr, digits)
    const shown = () => linked.ask('GET', `/v1/pairings/${created.json.id}`)
    await until(async () => (await shown()).json.status === 'linked')
    return (await shown()).json
  }

  beforeAll(async () => {
    const body = { method: 'qr', platform: 'sandbox', phone: digits, history: true }
    await linked.ask('GET', '/v1/endpoints').then(async ({ json }) => {
      for (const { id, include } of json.data)
        if (include.includes('history')) await linked.ask('DELETE', `/v1/endpoints/${id}`)
    })
    historian = await startReceiver()
    // An endpoint of another number gets nothing of this one.
    const limited = { url: historian.url(), include: ['history'], session_ids: [number.id] }
    const { id: limitedId } = (await linked.ask('POST', '/v1/endpoints', limited)).json
    expectError(await linked.ask('POST', '/v1/pairings', body), 400, /^history needs an endpoint that includes history/)
    expect((await linked.ask('DELETE', `/v1/endpoints/${limitedId}`)).status).toBeLessThan(300)
    const endpoint = { url: historian.url(), include: ['history'] }
    expect((await linked.ask('POST', '/v1/endpoints', endpoint)).status).toBe(201)
    const [gil, hugo, owner] = [GIL, HUGO, digits].map(person => linked.simulator.phone(person)) as [
      Phone,
      Phone,
      Phone,
    ]
    const timestamp = Math.floor(Date.now() / 1000) - 91 * 86_400
    tooOld = (await gil.sendTo(digits, { type: 'text', text: 'long ago' }, { timestamp })).id
    for (let i = 0; i < 4; i += 1) {
      old.push((await gil.sendTo(digits, { type: 'text', text: `question ${i}` })).id)
      old.push((await owner.sendTo(GIL, { type: 'text', text: `answer ${i}` })).id)
    }
    const group = linked.simulator.group({ subject: 'Old friends', owner: HUGO, members: [digits, GIL] })
    groupJid = group.jid
    old.push((await hugo.sendTo(group.jid, { type: 'text', text: 'to all' })).id)
    const poll = { type: 'poll', name: 'Which day?', options: ['Monday', 'Friday'], selectableCount: 1 } as const
    old.push((await gil.sendTo(digits, poll)).id)
    const eventMessage = { name: 'Dinner', startTime: Math.floor(Date.now() / 1000) }
    old.push((await gil.sendTo(digits, { type: 'raw', message: { eventMessage } })).id)
    await gil.react(digits, old[0]!, '👍')
    owner.sendHistoryInParts(3)
    jobId = (await pair({ history: true })).history_job_id
  })
  afterAll(() => historian.close())

  test('arrives with historic: true, once each, at endpoints that include history and nowhere else', async () => {
    await until(async () => (await job()).state === 'done')
    expect(await job()).toMatchObject({ chat_jid: null, count: 10_000, found: old.length, more: null })
    await until(() => historic().length === old.length)
    const found = new Map(historic().map(event => [event.message_id, event]))
    expect(new Set(found.keys())).toEqual(new Set(old))
    expect(found.has(tooOld)).toBe(false)
    expect(found.get(old[0]!)).toEqual({
      kind: 'message',
      message_id: old[0],
      session_id: jidOf(digits),
      sender_jid: jidOf(GIL),
      sender_phone: jidOf(GIL),
      sender_name: expect.any(String),
      chat_jid: jidOf(GIL),
      is_group: false,
      broadcast: false,
      type: 'text',
      text: 'question 0',
      timestamp_unix: expect.any(Number),
      historic: true,
      from_me: false,
    })
    expect(found.get(old[1]!)).toMatchObject({ sender_jid: jidOf(digits), from_me: true, text: 'answer 0' })
    expect(found.get(old[8]!)).toMatchObject({ chat_jid: groupJid, is_group: true, text: 'to all' })
    for (const receiver of [linked.receiver, told, untold]) expect(historic(receiver)).toEqual([])
  })

  test('is remembered for 30 days, and its polls and events for 90', async () => {
    await until(async () => (await job()).state === 'done')
    const rows = await queryPlace<{ id: string; days: number }>(
      place,
      `select message_id id, round((expires_at - ${Date.now()}) / 86400000.0) days from seen_messages`,
    )
    const days = new Map(rows.map(row => [row.id, row.days]))
    expect(old.slice(8).map(id => days.get(id))).toEqual([30, 90, 90])
  })

  test('is complete and has nothing twice after a kill in the middle of a large part', async () => {
    const messages = 500
    linked.simulator.phone(digits).sendOldChats({ chats: 20, messages: messages / 20 })
    await until(async () => (await job()).found > old.length)
    await linked.kill()
    await linked.start()
    await until(async () => (await job()).found === old.length + messages)
    const ids = () => new Set(historic().map(({ message_id }) => message_id))
    await until(() => ids().size === old.length + messages)
    // The phone sends the same history again, with a message that came live.
    await linked.simulator.phone(digits).sendTo(GIL, { type: 'text', text: 'from the phone' })
    linked.simulator.phone(digits).sendHistory()
    linked.simulator.phone(digits).sendOldChats({ first: 20, chats: 1, messages: 1 })
    await until(async () => (await job()).found === old.length + messages + 1)
    expect(historic().some(({ text }) => text === 'from the phone')).toBe(false)
  })

  test('says that the phone has more if a part cannot be read', async () => {
    const { faults } = linked.simulator
    const { found, more } = await job()
    expect(more).toBe(null)
    for (const host of faults.mediaHosts()) faults.breakMediaHost(host, 404)
    linked.simulator.phone(digits).sendOldChats({ first: 25, chats: 1, messages: 1 })
    await until(async () => (await job()).more === true)
    for (const host of faults.mediaHosts()) faults.breakMediaHost(host)
    expect(await job()).toMatchObject({ found, state: 'done' })
  })

  test('stays with the phone if the request that links it does not ask for it', async () => {
    const { found } = await job()
    expect((await pair({})).history_job_id).toBeUndefined()
    linked.simulator.phone(digits).sendOldChats({ first: 30, chats: 1, messages: 1 })
    const person = oldContact(30)
    await until(async () => (await linked.ask('GET', `${path}/contacts/${person}`)).json.lid)
    expect(await job()).toMatchObject({ found, state: 'done' })
    expect(historic().some(({ chat_jid: jid }) => jid === jidOf(person))).toBe(false)
  })
})
