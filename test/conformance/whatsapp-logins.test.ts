import { afterAll, beforeAll, expect, test } from 'vitest'
import { cells } from '../harness/matrix.ts'
import { type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'

/** Logins that fail and streams that the platform ends, as it does today. */

let rig: Rig
let last = 999_540_000_000

beforeAll(async () => {
  const backoff = { lost: [20, 200], replaced: [100, 400], busy: [60_000, 60_000] } as const
  rig = await startRig({ platform: { backoff } })
})
afterAll(() => rig.close())

const link = (): Promise<Hosted> => rig.link(String((last += 1)))
/** The last state from the platform; that the previous connection was cut does not count. */
const closed = (number: Hosted) =>
  number.until(() =>
    number.links.find(change => change.state !== 'open' && !/lost \((428|408|0)\)/.test(change.reason)),
  )
const logins = (number: Hosted): number => rig.simulator.faults.logins(number.jid)

test('a temporary ban is waited for exactly as long as the platform says, and the number reconnects automatically', async () => {
  const number = await link()
  rig.simulator.faults.ban(number.jid, 2_000, '104')
  const change = await closed(number)
  expect(change).toMatchObject({ kind: 'paused', reason: expect.stringContaining('same message') })
  await number.until(() => number.links.at(-1)?.state === 'open')
  expect(rig.simulator.faults.earlyLogins(number.jid)).toBe(0)
})

/** Each kind of advice comes first. */
const REFUSED = [
  [400, 'refused', /refused the login/],
  [409, 'refused', /kind of client/],
  [415, 'refused', /pair the number again/],
  [412, 'refused', /refused the login/],
  [413, 'refused', /refused the login/],
  [414, 'refused', /refused the login/],
  [416, 'refused', /refused the login/],
  [417, 'refused', /refused the login/],
  [419, 'refused', /refused the login/],
  [418, 'refused', /pair the number again/],
  [501, 'refused', /refused the login/],
] as const
test.each(cells(REFUSED, 3))(
  'a login that fails with %i is not retried, because only a person can fix it',
  async (reason, kind, text) => {
    const number = await link()
    rig.simulator.faults.failLogins(number.jid, reason, 100)
    const before = logins(number)
    rig.simulator.faults.cut(number.jid)
    expect(await closed(number)).toMatchObject({ kind, reason: expect.stringMatching(text) })
    // A retry would have happened several times before another number's link is up.
    await link()
    expect(logins(number)).toBe(before + 1)
  },
)

test.each([
  [401, /unlinked/],
  [403, /locked or banned/],
  [406, /banned/],
] as const)('a login that fails with %i ends the link permanently', async (reason, text) => {
  const number = await link()
  rig.simulator.faults.failLogins(number.jid, reason, 1)
  rig.simulator.faults.cut(number.jid)
  expect(await closed(number)).toMatchObject({ state: 'logged_out', reason: expect.stringMatching(text) })
})

test.each([500, 503])('a login that fails with %i is a temporary failure', async reason => {
  const number = await link()
  number.links.length = 0
  rig.simulator.faults.failLogins(number.jid, reason, 2)
  rig.simulator.faults.cut(number.jid)
  expect(await closed(number)).toMatchObject({ kind: 'lost' })
  await number.open()
})

test('the gateway waits a minute after a platform that asks for patience', async () => {
  const number = await link()
  const before = logins(number)
  rig.simulator.faults.streamError(number.jid, 'rate_limited')
  expect(await closed(number)).toMatchObject({ kind: 'busy', reason: expect.stringContaining('429') })
  await link()
  expect(logins(number)).toBe(before)
})

test('a device that is removed reports the reason if the platform names one', async () => {
  const number = await link()
  rig.simulator.faults.streamError(number.jid, 'account_locked')
  expect(await closed(number)).toMatchObject({
    state: 'logged_out',
    reason: 'the device was unlinked (account_locked)',
  })
})

test('stored routing information is deleted if a login fails with it', async () => {
  const number = await link()
  rig.simulator.faults.refuseRouting(true)
  rig.simulator.faults.cut(number.jid)
  await number.until(() => number.links.at(-1)?.state === 'closed')
  await number.until(() => number.links.at(-1)?.state === 'open')
  rig.simulator.faults.refuseRouting(false)
})
