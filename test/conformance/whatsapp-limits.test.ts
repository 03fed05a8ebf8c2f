import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** What the platform reports about the limits of an account. */

const DIGITS = '999591000021'
const HOUR_MS = 3_600_000

let stack: Stack
let number: StackNumber
let made = 0

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  number = await stack.link(DIGITS)
})
afterAll(() => stack.close())

const person = (): Phone => stack.simulator.phone(`55119591${String(30_000 + ++made)}`)
const stored = async () => (await stack.bed.store.sessions.getSession(number.jid))!
const restricted = () => number.until(async () => (await stored()).restrictedUntil)
const lifted = () => number.until(async () => (await stored()).restrictedUntil === null)

describe('A restriction that the platform reports', () => {
  test('is kept with its end and its type, also one that the library does not know', async () => {
    const before = Date.now()
    stack.simulator.faults.pushRestriction(DIGITS, HOUR_MS, 'RESTRICT_ALL_COMPANIONS')
    expect(await restricted()).toBeGreaterThanOrEqual(before + HOUR_MS)
    expect((await stored()).restrictionType).toBe('restrict_all_companions')
  })

  test('holds back messages to strangers until the platform lifts it', async () => {
    const [stranger, known] = [person(), person()]
    const { id } = await known.sendTo(number.jid, { type: 'text', text: 'hello' })
    await number.next('message', event => event.message_id === id)
    const handle = await number.send(stranger.jid, 'hello')
    await number.sendAndSettle(known.jid, 'hello')
    expect((await number.message(handle)).state).toBe('queued')
    stack.simulator.faults.liftRestriction(DIGITS)
    await lifted()
    expect((await stored()).restrictionType).toBeNull()
    await number.next('status', event => event.message_id === handle.messageId && event.status === 'sent')
  })

  test('is lifted by the next login if the platform lifted it while the number was offline', async () => {
    stack.simulator.faults.pushRestriction(DIGITS, HOUR_MS)
    await restricted()
    stack.simulator.faults.cut(DIGITS, 60_000)
    await number.until(() => stack.simulator.numbers().every(({ devices }) => devices.every(one => !one.connected)))
    stack.simulator.faults.liftRestriction(DIGITS)
    expect((await stored()).restrictedUntil).not.toBeNull()
    stack.simulator.faults.cut(DIGITS, 0)
    await lifted()
  })
})

describe('The platform’s limit of new chats', () => {
  test.each([
    ['as text', 'FIRST_WARNING', { total_quota: '50', used_quota: '40' }, { limit: 50, used: 40 }],
    ['as numbers', 'CAPPED', { total_quota: 50, used_quota: 50 }, { limit: 50, used: 50 }],
    ['without a limit', 'NONE', { total_quota: '-1', used_quota: '0' }, { limit: null, used: 0 }],
  ])('is kept as the platform reported it last: %s', async (_, status, quota, kept) => {
    const ends = Math.floor(Date.now() / 1000) + 3_600
    const period = { cycle_end_timestamp: String(ends), capping_status: status }
    stack.simulator.faults.capNewChats(DIGITS, { ...quota, ...period })
    const wanted = status.toLowerCase()
    const cap = await number.until(async () => {
      const { newChatCap } = await stored()
      return newChatCap?.status === wanted ? newChatCap : undefined
    })
    expect(cap).toEqual({ status: wanted, ...kept, untilMs: ends * 1_000, asOfMs: expect.any(Number) })
  })
})

test('a change of the protocol that the platform turns on is counted', async () => {
  const counted = async () => {
    const text = await stack.bed.context.metrics.registry.metrics()
    return Number(/^postern_platform_flags_total\{.*"sandbox",flag="pq_keys_upload"\} (\d+)$/m.exec(text)?.[1])
  }
  stack.simulator.faults.turnOnFlag(21198)
  stack.simulator.faults.cut(DIGITS)
  await number.until(async () => (await counted()) === 1)
})
