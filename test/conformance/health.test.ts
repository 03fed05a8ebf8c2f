import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectNoDifferences } from '../harness/judged.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const HOUR_MS = 3_600_000

let linked: LinkedGateway
let first: SandboxNumber
let second: SandboxNumber
/** An endpoint that includes health, and one that does not. */
let told: Receiver
let untold: Receiver

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 2)
  ;[first, second] = [linked.numbers[0]!, linked.numbers[1]!]
  told = await startReceiver()
  untold = await startReceiver()
  for (const body of [{ url: told.url(), kinds: ['message'], include: ['health'] }, { url: untold.url() }])
    expect((await linked.ask('POST', '/v1/endpoints', body)).status).toBe(201)
})
afterAll(async () => {
  expectNoDifferences(linked.simulator)
  await linked.close()
  await told.close()
  await untold.close()
})

async function health(number: SandboxNumber) {
  const { status, json, text } = await linked.ask('GET', `/v1/sessions/${encodeURIComponent(number.id)}/health`)
  expect(status, text).toBe(200)
  return json
}

interface HealthNews {
  kind: string
  session_id: string
  event: string
  [field: string]: unknown
}

const newsOf = ({ ledger }: Receiver, { jid }: SandboxNumber): HealthNews[] =>
  ledger
    .map(({ body }) => JSON.parse(body.toString()) as HealthNews)
    .filter(({ kind, session_id }) => kind === 'health' && session_id === jid)

/** The events of a number since the last call. */
const seen = new Map<string, number>()
async function news(number: SandboxNumber, count = 1): Promise<HealthNews[]> {
  const from = seen.get(number.jid) ?? 0
  await told.until(() => newsOf(told, number).length >= from + count)
  const all = newsOf(told, number)
  seen.set(number.jid, all.length)
  return all.slice(from)
}

/** Sends a message, and waits for its outcome. */
async function send(number: SandboxNumber, to: string): Promise<string> {
  const { json, status } = await linked.ask('POST', '/v1/messages', { session_id: number.id, to, text: 'hello' })
  expect(status).toBe(202)
  return await until(async () => {
    const { state } = (await linked.ask('GET', `/v1/messages/${json.message_id}`)).json
    return state === 'queued' ? undefined : (state as string)
  })
}

const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
const cap = (status: string, used: number) => ({
  total_quota: '50',
  used_quota: String(used),
  cycle_end_timestamp: String(Math.floor(Date.now() / 1000) + 3_600),
  capping_status: status,
})

describe('The health of a number', () => {
  test('is good while the platform has reported nothing', async () => {
    expect(await health(first)).toEqual({
      session_id: first.jid,
      status: 'good',
      restriction: null,
      ban: null,
      new_chats: null,
      answered: { chats: 0, answered: 0, share: null, since: aTime, as_of: aTime },
      refusals: { codes: [], since: aTime, as_of: aTime },
    })
  })

  test('has the share of people who answered', async () => {
    const [ana, ben] = [linked.simulator.phone('5511950000001'), linked.simulator.phone('5511950000002')]
    await ana.sendTo(first.jid, { type: 'text', text: 'hello' })
    await linked.receiver.until(ledger => ledger.some(({ body }) => body.includes(ana.digits)))
    for (const to of [ana.digits, ben.digits, ben.digits]) expect(await send(first, to)).not.toBe('failed')
    expect((await health(first)).answered).toMatchObject({ chats: 2, answered: 1, share: 0.5 })
  })

  test('has restrictions as the platform reports them, and each is told once', async () => {
    const { faults } = linked.simulator
    faults.pushRestriction(first.phone, HOUR_MS, 'RESTRICT_ALL_COMPANIONS')
    const [restricted] = await news(first)
    expect(restricted).toEqual({
      kind: 'health',
      session_id: first.jid,
      event: 'restricted',
      cause: 'restriction',
      until_unix: expect.any(Number),
      restriction_type: 'restrict_all_companions',
      timestamp_unix: expect.any(Number),
    })
    expect(await health(first)).toMatchObject({
      status: 'restricted',
      restriction: { active: true, type: 'restrict_all_companions', until: aTime, as_of: aTime },
    })
    faults.pushRestriction(first.phone, HOUR_MS, 'RESTRICT_ALL_COMPANIONS')
    faults.liftRestriction(first.phone)
    expect(await news(first)).toMatchObject([{ event: 'lifted', cause: 'restriction' }])
    expect(await health(first)).toMatchObject({
      status: 'good',
      restriction: { active: false, type: null, until: null, as_of: aTime },
    })
  })

  test('has the budget of new chats, with a warning, the cap and its end', async () => {
    const { faults } = linked.simulator
    faults.capNewChats(first.phone, cap('FIRST_WARNING', 40))
    expect(await news(first)).toMatchObject([
      { event: 'warned', cause: 'new_chats', new_chats: { limit: 50, used: 40 }, until_unix: expect.any(Number) },
    ])
    expect(await health(first)).toMatchObject({
      status: 'warned',
      new_chats: { status: 'first_warning', limit: 50, used: 40, until: aTime, as_of: aTime },
    })
    faults.capNewChats(first.phone, cap('CAPPED', 50))
    expect(await news(first)).toMatchObject([{ event: 'restricted', cause: 'new_chats' }])
    expect((await health(first)).status).toBe('restricted')
    expect(await send(first, '5511950000003')).toBe('failed')
    expect(await send(first, '5511950000001')).not.toBe('failed')
    faults.capNewChats(first.phone, cap('NONE', 0))
    expect(await news(first)).toMatchObject([{ event: 'lifted', cause: 'new_chats' }])
    expect((await health(first)).status).toBe('good')
  })

  test('counts the messages that the platform refused, by code', async () => {
    expect(await send(first, '5511950000475')).toBe('failed')
    const { refusals } = await health(first)
    expect(refusals.codes).toEqual([{ code: 475, count: 2, last_at: aTime }])
  })

  test('has what the platform reported while the number was offline, from the next login on', async () => {
    const { faults } = linked.simulator
    faults.cut(first.phone, 60_000)
    await until(() => !linked.allConnected())
    faults.capNewChats(first.phone, cap('SECOND_WARNING', 48))
    expect((await health(first)).new_chats.status).toBe('none')
    faults.cut(first.phone, 0)
    expect(await news(first)).toMatchObject([{ event: 'warned', new_chats: { limit: 50, used: 48 } }])
  })

  test('tells a ban, and its end with the next login', async () => {
    linked.simulator.faults.ban(second.phone, 3_000, '104')
    expect(await news(second)).toMatchObject([
      { event: 'banned', cause: 'ban', until_unix: expect.any(Number), detail: expect.stringMatching(/banned/) },
    ])
    expect((await health(second)).ban).toEqual({
      reason: expect.stringMatching(/the same message to too many people/),
      until: aTime,
      as_of: aTime,
    })
    expect(await news(second)).toMatchObject([{ event: 'lifted', cause: 'ban' }])
    expect(await health(second)).toMatchObject({ status: 'good', ban: null })
  })

  test('reaches no other endpoint and no webhook, and the history has its causes but no words', async () => {
    const { id } = await linked.simulator.phone('5511950000001').sendTo(first.jid, { type: 'text', text: 'later' })
    for (const receiver of [linked.receiver, untold]) {
      await receiver.until(ledger => ledger.some(({ body }) => body.includes(id)))
      for (const number of [first, second]) expect(newsOf(receiver, number)).toEqual([])
    }
    const { json } = await linked.ask('GET', '/v1/deliveries?limit=100')
    const payloads: HealthNews[] = json.data.map(({ payload }: { payload: HealthNews }) => payload)
    const banned = payloads.find(({ kind, event }) => kind === 'health' && event === 'banned')
    expect(banned).toMatchObject({
      cause: 'ban',
      until_unix: expect.any(Number),
      detail: expect.stringMatching(/^\[redacted/),
    })
  })

  test('stays readable when the platform has banned the number for good', async () => {
    linked.simulator.faults.failLogins(second.phone, 406, 1)
    linked.simulator.faults.cut(second.phone, 0)
    const [banned] = await news(second)
    expect(banned).toMatchObject({ event: 'banned', cause: 'ban' })
    expect(banned).not.toHaveProperty('until_unix')
    expect(await health(second)).toMatchObject({ status: 'banned', ban: { until: null, as_of: aTime } })
  })
})
