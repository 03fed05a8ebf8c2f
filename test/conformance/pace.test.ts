import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const HOUR_MS = 3_600_000
const ANA = '5511900000001'
const BEN = '5511900000002'

let linked: LinkedGateway
let number: SandboxNumber

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 1)
  number = linked.numbers[0]!
})
afterAll(() => linked.close())

const path = () => `/v1/sessions/${encodeURIComponent(number.id)}`
const patch = (body: object) => linked.ask('PATCH', path(), body)
const message = async (id: string) => (await linked.ask('GET', `/v1/messages/${id}`)).json

async function send(to: string, text: string, more: object = {}): Promise<string> {
  const answer = await linked.ask('POST', '/v1/messages', { session_id: number.id, to, text, ...more })
  expect(answer.status, answer.text).toBe(202)
  return answer.json.message_id
}

const timeIn = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16)
const quietNow = () => ({ from: timeIn(-1), to: timeIn(2), time_zone: 'UTC' })

describe('The pace of a number', () => {
  test('is null at first, is replaced as a whole, and null removes it', async () => {
    expect((await linked.ask('GET', path())).json).toMatchObject({ pace: null, pace_ms: 0 })
    const rules = { min_ms: 5, max_ms: 10, new_per_day: 40, ramp_days: 14, quiet: quietNow() }
    expect((await patch({ pace: rules })).json).toMatchObject({ pace: rules, pace_ms: 5 })
    const rest = { max_ms: 10, new_per_day: null, ramp_days: null, quiet: null }
    expect((await patch({ pace: { max_ms: 10 } })).json).toMatchObject({ pace: { min_ms: 0, ...rest }, pace_ms: 0 })
    expect((await patch({ pace: null })).json).toMatchObject({ pace: null, pace_ms: 0 })
  })

  test('has pace_ms as the short form of a fixed pause', async () => {
    const fixed = { min_ms: 250, max_ms: 250, new_per_day: null, ramp_days: null, quiet: null }
    expect((await patch({ pace_ms: 250 })).json).toMatchObject({ pace: fixed, pace_ms: 250 })
    await patch({ pace: { new_per_day: 3 } })
    expect((await patch({ pace_ms: 20 })).json.pace).toMatchObject({ min_ms: 20, max_ms: 20, new_per_day: 3 })
    expect((await patch({ pace_ms: 0 })).json.pace).toMatchObject({ min_ms: 0, max_ms: 0, new_per_day: 3 })
    expect((await patch({ pace: null })).json.pace).toBeNull()
    expectError(await patch({ pace_ms: 1, pace: { max_ms: 1 } }), 400, /^pace_ms does not go with pace/)
  })

  test.each([
    [{ min_ms: -1 }, /pace.*min_ms/],
    [{ max_ms: 600_001 }, /pace.*max_ms/],
    [{ new_per_day: 0 }, /pace.*new_per_day/],
    [{ new_per_day: 5, ramp_days: 366 }, /pace.*ramp_days/],
    [{ min_ms: 2, max_ms: 1 }, /^pace\.max_ms must be at least pace\.min_ms/],
    [{ max_ms: 1, ramp_days: 2 }, /^pace\.ramp_days needs pace\.new_per_day/],
    [{ quiet: { from: '25:00', to: '07:00', time_zone: 'UTC' } }, /^pace\.quiet\.from must be a time of day/],
    [
      { quiet: { from: '22:00', to: '07:00', time_zone: 'Berlin' } },
      /^pace\.quiet\.time_zone must be an IANA time zone/,
    ],
    [{ quiet: { from: '22:00', to: '07:00' } }, /time_zone/],
    [{ max_ms: 1, hourly: 3 }, /hourly/],
    [{}, /^pace has no rule/],
    ['slow', /^pace/],
  ])('is rejected if it is %j, with the field at fault', async (pace, error) => {
    expectError(await patch({ pace }), 400, error)
  })

  test('holds a message that its record and the list explain, until the person writes', async () => {
    await patch({ pace: { quiet: quietNow() } })
    const id = await send(ANA, 'good evening')
    await until(async () => (await message(id)).held_because === 'quiet_hours')
    const held = await message(id)
    expect(held).toMatchObject({ state: 'queued', content: expect.anything() })
    expect(Date.parse(held.held_until)).toBeGreaterThan(Date.now())
    const [listed] = (await linked.ask('GET', '/v1/messages?limit=1')).json.data
    expect(listed).toMatchObject({ id, held_until: held.held_until, held_because: 'quiet_hours' })
    await linked.simulator.phone(ANA).sendTo(number.jid, { type: 'text', text: 'still awake' })
    await until(async () => (await message(id)).state !== 'queued')
    expect(await message(id)).toMatchObject({ held_until: null, held_because: null })
  })

  test('forgets no held message in a restart, and DELETE cancels it', async () => {
    const id = await send(BEN, 'cancelled')
    await until(async () => (await message(id)).held_because === 'quiet_hours')
    const { held_until } = await message(id)
    await linked.stop()
    await linked.start()
    await until(() => linked.allConnected())
    expect(await message(id)).toMatchObject({ held_until, held_because: 'quiet_hours' })
    const cancelled = await linked.ask('DELETE', `/v1/messages/${id}`)
    expect(cancelled.json).toEqual({ id, status: 'cancelled' })
    expect(await message(id)).toMatchObject({ state: 'cancelled', held_until: null, held_because: null })
    await patch({ pace: null })
  })
})

describe('A message with typing_ms', () => {
  test('shows its typing sign while it is not sent yet', async () => {
    const ana = linked.simulator.phone(ANA)
    const id = await send(ANA, 'typed', { typing_ms: 30_000 })
    await until(() => ana.typingFrom(number.jid) === 'composing')
    expect(await message(id)).toMatchObject({ state: 'queued', held_because: null })
  })

  test.each([
    [{ typing_ms: 30_001 }, /typing_ms/],
    [{ typing_ms: 1.5 }, /typing_ms/],
    [{ typing_ms: 100, to: 'status@broadcast' }, /^typing_ms is for people and groups/],
    [{ typing_ms: 100, to: '120363000000000001@newsletter' }, /^typing_ms is for people and groups/],
    [{ priority: 'urgent' }, /priority/],
  ])('or with a priority is rejected if it has %j', async (more, error) => {
    const body = { session_id: number.id, to: ANA, text: 'hello', ...more }
    expectError(await linked.ask('POST', '/v1/messages', body), 400, error)
  })

  test('and high priority is accepted and sent', async () => {
    const id = await send(BEN, 'code 1234', { priority: 'high', typing_ms: 0 })
    await until(async () => (await message(id)).state !== 'queued')
  })
})
