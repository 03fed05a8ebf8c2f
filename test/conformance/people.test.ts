import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { expectNoDifferences } from '../harness/judged.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const jidOf = (digits: string): string => `${digits}@s.whatsapp.net`

let linked: LinkedGateway
let number: SandboxNumber
/** An endpoint that includes people, and one that does not. */
let told: Receiver
let untold: Receiver
let made = 0

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 1)
  number = linked.numbers[0]!
  told = await startReceiver()
  untold = await startReceiver()
  for (const body of [{ url: told.url(), kinds: ['message'], include: ['person'] }, { url: untold.url() }])
    expect((await linked.ask('POST', '/v1/endpoints', body)).status).toBe(201)
})
afterAll(async () => {
  expectNoDifferences(linked.simulator)
  await linked.close()
  await told.close()
  await untold.close()
})

/** A person whom the number has never met. */
const stranger = () => linked.simulator.phone(`55119400000${String(++made).padStart(2, '0')}`)

const askPeople = (body: unknown) => linked.ask('POST', `/v1/sessions/${encodeURIComponent(number.id)}/people`, body)

async function people(body: { jids: string[] } | { phones: string[] }) {
  const { status, json, text } = await askPeople(body)
  expect(status, text).toBe(200)
  return json.data
}

const unknown = { source: null, known_at: null }
const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

interface PersonNews {
  kind: string
  lid: string
  [field: string]: unknown
}

const newsOf = (receiver: Receiver, lid: string): PersonNews[] =>
  receiver.events().filter(each => each.kind === 'person' && each.lid === lid)

async function news(lid: string, count = 1): Promise<PersonNews[]> {
  await told.until(() => newsOf(told, lid).length >= count)
  return newsOf(told, lid)
}

describe('People', () => {
  test('are found by number and by hidden identifier once they have written, with the source and the time', async () => {
    const ana = stranger()
    const never = { jid: ana.lid, lid: ana.lid, phone: null, ...unknown }
    expect(await people({ jids: [ana.lid, ana.jid] })).toEqual([
      never,
      { jid: ana.jid, lid: null, phone: ana.jid, ...unknown },
    ])
    await ana.sendTo(number.jid, { type: 'text', text: 'hello' })
    const pair = { lid: ana.lid, phone: ana.jid, source: 'message', known_at: isTime }
    await until(async () => (await people({ jids: [ana.lid] }))[0].phone !== null)
    expect(await people({ jids: [ana.jid, ana.lid] })).toEqual([
      { jid: ana.jid, ...pair },
      { jid: ana.lid, ...pair },
    ])
    expect(await people({ phones: [`+${ana.digits}`] })).toEqual([{ jid: ana.jid, ...pair }])
  })

  test('whom the number writes to are known by lookup', async () => {
    const ben = stranger()
    const sent = { session_id: number.id, to: ben.digits, text: 'hello' }
    expect((await linked.ask('POST', '/v1/messages', sent)).status).toBe(202)
    expect(await news(ben.lid)).toMatchObject([{ phone: ben.jid, source: 'lookup' }])
    expect(await people({ phones: [ben.digits] })).toMatchObject([{ lid: ben.lid, source: 'lookup' }])
  })

  test('in a group are known by its members, and people who hide their number stay unknown', async () => {
    const [ana, shy] = [stranger(), stranger()]
    const group = linked.simulator.group({
      subject: 'Choir',
      owner: ana.digits,
      members: [number.phone, shy.digits],
      hidden: [shy.digits],
    })
    const { id } = await shy.sendTo(group.jid, { type: 'text', text: 'who am I' })
    await linked.receiver.until(ledger => ledger.some(({ body }) => body.includes(id)))
    expect(await people({ jids: [shy.lid, shy.jid] })).toEqual([
      { jid: shy.lid, lid: shy.lid, phone: null, ...unknown },
      { jid: shy.jid, lid: null, phone: shy.jid, ...unknown },
    ])
    expect(newsOf(told, shy.lid)).toEqual([])
    const groups = `/v1/sessions/${encodeURIComponent(number.id)}/groups`
    const bob = stranger()
    const own = await linked.ask('POST', groups, { subject: 'Ours', members: [bob.digits] })
    expect(own.status, own.text).toBe(201)
    expect(await news(bob.lid)).toMatchObject([{ phone: bob.jid, source: 'group' }])
    expect(await people({ phones: [bob.digits] })).toMatchObject([{ lid: bob.lid, source: 'group' }])
  })

  test('who change their number are found by the new one alone', async () => {
    const eve = stranger()
    const newNumber = '5511949999999'
    await eve.sendTo(number.jid, { type: 'text', text: 'hello' })
    await news(eve.lid)
    linked.simulator.faults.receiving.announce(number.phone, 'notification contacts modify', {
      contact: eve.digits,
      newNumber,
    })
    const [, changed] = await news(eve.lid, 2)
    expect(changed).toEqual({
      kind: 'person',
      session_id: number.jid,
      lid: eve.lid,
      phone: jidOf(newNumber),
      source: 'number_change',
      previous_phone: eve.jid,
      timestamp_unix: expect.any(Number),
    })
    expect(await people({ jids: [eve.lid] })).toMatchObject([{ phone: jidOf(newNumber), source: 'number_change' }])
    expect(await people({ phones: [newNumber, eve.digits] })).toMatchObject([
      { lid: eve.lid },
      { lid: null, phone: eve.jid, ...unknown },
    ])
  })

  test('are named by 1 to 100 jids or phones; everything else is 400', async () => {
    const ana = stranger()
    for (const [body, error] of [
      [{}, /either jids or phones/],
      [{ jids: [ana.lid], phones: [ana.digits] }, /either jids or phones/],
      [{ jids: [] }, /^jids/],
      [{ jids: Array.from({ length: 101 }, () => ana.lid) }, /^jids/],
      [{ jids: ['120363000000000001@g.us'] }, /^jids/],
      [{ jids: ['nobody@lid'] }, /^jids/],
      [{ phones: [ana.lid] }, /^phones/],
      [{ phones: ['0171 1234567'] }, /^phones/],
      [{ phones: ana.digits }, /^phones/],
      [{ phones: [ana.digits], guess: true }, /guess/],
    ] as const)
      expectError(await askPeople(body), 400, error)
    expect(await people({ jids: Array.from({ length: 100 }, () => ana.lid) })).toHaveLength(100)
  })
})

describe('Events of kind person', () => {
  test('are told once for each pair to endpoints that include person, also if the gateway is killed', async () => {
    const [ana, ben] = [stranger(), stranger()]
    await ana.sendTo(number.jid, { type: 'text', text: 'one' })
    expect(await news(ana.lid)).toEqual([
      {
        kind: 'person',
        session_id: number.jid,
        lid: ana.lid,
        phone: ana.jid,
        source: 'message',
        timestamp_unix: expect.any(Number),
      },
    ])
    await ben.sendTo(number.jid, { type: 'text', text: 'two' })
    await linked.kill()
    await linked.start()
    await news(ben.lid)
    for (const phone of [ana, ben]) {
      const { id } = await phone.sendTo(number.jid, { type: 'text', text: 'again' })
      await told.until(ledger => ledger.some(({ body }) => body.includes(id)))
    }
    expect(newsOf(told, ana.lid)).toHaveLength(1)
    expect(newsOf(told, ben.lid)).toHaveLength(1)
  })

  test('reach no other endpoint and no webhook, and the history shows both names', async () => {
    const ana = stranger()
    const { id } = await ana.sendTo(number.jid, { type: 'text', text: 'words' })
    await news(ana.lid)
    for (const receiver of [linked.receiver, untold]) {
      await receiver.until(ledger => ledger.some(({ body }) => body.includes(id)))
      expect(newsOf(receiver, ana.lid)).toEqual([])
    }
    const recorded = await until(async () => {
      const { json } = await linked.ask('GET', '/v1/deliveries?limit=100')
      return json.data.find(
        ({ payload }: { payload: PersonNews }) => payload?.kind === 'person' && payload.lid === ana.lid,
      )
    })
    expect(recorded).toMatchObject({
      event_type: 'other',
      payload: { phone: ana.jid, source: 'message', session_id: number.jid },
    })
  })
})

test('People are found while their number is offline', async () => {
  const session = `/v1/sessions/${encodeURIComponent(number.id)}`
  const ana = stranger()
  await ana.sendTo(number.jid, { type: 'text', text: 'hello' })
  await news(ana.lid)
  expect((await linked.ask('PATCH', session, { paused: true })).status).toBe(200)
  await until(() => !linked.allConnected())
  expect(await people({ jids: [ana.lid] })).toMatchObject([{ phone: ana.jid }])
})
