import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { PairingAttempt, type StepOf } from '../harness/pairing-attempt.ts'
import { until } from '../harness/until.ts'
import { type Rig, startRig } from '../harness/whatsapp-rig.ts'

/** Numbers that are linked by a code entered on the phone, as the platform does it today. */

let rig: Rig
let last = 999_560_000_000
let aheadMs = 0

beforeAll(async () => {
  rig = await startRig({ clock: { now: () => new Date(Date.now() + aheadMs) } })
})
afterAll(() => rig.close())
afterEach(() => {
  aheadMs = 0
})

/** A new number that is linked by a code. */
class Attempt extends PairingAttempt {
  readonly digits: string

  constructor(arrange: (digits: string) => void = () => {}) {
    const digits = String((last += 1))
    arrange(digits)
    super(rig.platform, { method: 'code', phone: digits })
    this.digits = digits
  }

  enter({ code }: StepOf<'code'>): Promise<unknown> {
    return rig.simulator.linkByCode(this.digits, code)
  }
}

describe('A code that the platform refuses is never shown', () => {
  test.each([
    [400, 'bad-request', /check the number/],
    [404, 'item-not-found', /does not know this number/],
  ])(
    'with %i, which says that there is none for this number: the pairing ends, and names the remedy',
    async (code, text, why) => {
      const attempt = new Attempt(digits => rig.simulator.faults.pairing.refuseCodes(digits, { code, text }, 9))
      await expect(attempt.linked).rejects.toThrow(why)
      await expect(attempt.linked).rejects.toMatchObject({ name: 'PairingRefused' })
      expect(attempt.kinds).toEqual([])
    },
  )

  test.each([
    [429, 'rate-overlimit', /too many codes/],
    [503, 'service-unavailable', /503/],
  ])(
    'with %i, which is temporary: the pairing shows when it retries, and the next code links',
    async (code, text, why) => {
      const refusal = { code, text, backoff: '1' }
      const askedAtMs = Date.now()
      const attempt = new Attempt(digits => rig.simulator.faults.pairing.refuseCodes(digits, refusal))
      const shown = await attempt.step('code')
      expect(attempt.kinds).toEqual(['trouble', 'code'])
      const [trouble] = attempt.all('trouble')
      expect(trouble!.why).toMatch(why)
      // The platform's wait counts from its refusal; the next code is not shown before.
      expect(trouble!.retryAtMs!).toBeGreaterThanOrEqual(askedAtMs + 1_000)
      expect(trouble!.retryAtMs!).toBeLessThanOrEqual(Date.now())
      await attempt.enter(shown)
      expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
    },
  )
})

test('while the platform imposes a wait, no other connection requests a code, and the pairing keeps the reason', async () => {
  const refusal = { code: 429, text: 'rate-overlimit', backoff: '4' }
  const attempt = new Attempt(digits => rig.simulator.faults.pairing.refuseCodes(digits, refusal))
  await until(() => attempt.kinds.at(-1) === 'trouble')
  const before = [...rig.simulator.network.pairings]
  for (const { connection } of before) connection.cut()
  await attempt.step('code')
  expect(attempt.kinds).toEqual(['trouble', 'renewing', 'trouble', 'code'])
  const [first, again] = attempt.all('trouble')
  expect(again).toEqual(first)
  await attempt.end()
})

describe('A code that is shown', () => {
  test('is valid for three minutes', async () => {
    const before = Date.now()
    const attempt = new Attempt()
    const shown = await attempt.step('code')
    expect(shown.expiresAtMs).toBeGreaterThanOrEqual(before + 175_000)
    expect(shown.expiresAtMs).toBeLessThanOrEqual(Date.now() + 185_000)
    aheadMs = 181_000
    await expect(attempt.enter(shown)).rejects.toThrow('no longer good')
    aheadMs = 0
    await attempt.enter(shown)
    expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
  })

  test('is replaced on the same connection if the platform withdraws it', async () => {
    const attempt = new Attempt(digits => rig.simulator.faults.pairing.spoilCode(digits, 'retired'))
    const first = await attempt.step('code')
    const connections = rig.simulator.network.pairings.size
    await expect(attempt.enter(first)).rejects.toThrow('no longer good')
    const second = await attempt.step('code', 2)
    expect(attempt.kinds).toEqual(['code', 'renewing', 'code'])
    expect(second.code).not.toBe(first.code)
    expect(rig.simulator.network.pairings.size).toBe(connections)
    await attempt.enter(second)
    expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
  })

  test('is confirmed to a phone that sends its hello twice', async () => {
    const attempt = new Attempt(digits => rig.simulator.faults.pairing.spoilCode(digits, 'repeated_hello'))
    await attempt.enter(await attempt.step('code'))
    expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
  })

  test('is not confirmed to a hello about another code', async () => {
    const attempt = new Attempt(digits => rig.simulator.faults.pairing.spoilCode(digits, 'foreign_hello'))
    await attempt.enter(await attempt.step('code'))
    expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
  })

  test('links even if the platform requests a new secret after the phone was answered', async () => {
    const attempt = new Attempt(digits => rig.simulator.faults.pairing.spoilCode(digits, 'refreshed_secret'))
    await attempt.enter(await attempt.step('code'))
    expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
  })

  test('can be entered again after a wrong entry', async () => {
    const attempt = new Attempt()
    const shown = await attempt.step('code')
    await expect(attempt.enter({ ...shown, code: 'WRONGCOD' })).rejects.toThrow('the code is wrong')
    await attempt.enter(shown)
    expect(await attempt.linked).toMatchObject({ phone: attempt.digits })
  })
})
