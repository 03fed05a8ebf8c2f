import type { Phone } from '@postern/simulator/phone/phone'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

/** Queries about groups, which the platform limits. */

const NUMBER = '999592000001'

let rig: Rig
let number: Hosted
let made = 0
beforeAll(async () => {
  rig = await startRig({ historySync: false })
  number = await rig.link(NUMBER)
})
afterAll(() => rig.close())
beforeEach(() => {
  number.events.length = 0
  rig.simulator.faults.receiving.refuseGroupQueries(NUMBER)
})

const person = (): Phone => rig.simulator.phone(`55119592${String(10_000 + ++made)}`)
const queries = (): number => rig.simulator.faults.receiving.groupQueries(NUMBER)

test.each([429, 403])(
  'messages of people without a known number cause one query while the platform answers %i',
  async code => {
    const ana = person()
    const group = rig.simulator.group({ subject: 'G', owner: ana.digits, members: [NUMBER], hidden: [ana.digits] })
    await ana.sendTo(group.jid, { type: 'text', text: 'first' })
    await number.until(() => number.events.length === 1)
    rig.simulator.faults.receiving.refuseGroupQueries(NUMBER, code)
    // A change of the group makes the gateway forget its members.
    const notified = number.reasons.get('notification_w:gp2') ?? 0
    group.change('promote', [NUMBER])
    await number.until(() => (number.reasons.get('notification_w:gp2') ?? 0) > notified)
    const before = queries()
    for (let n = 0; n < 12; n += 1) await ana.sendTo(group.jid, { type: 'text', text: `again ${n}` })
    await number.until(() => number.events.length === 13)
    expect(queries() - before).toBeLessThanOrEqual(1)
  },
)

test('a report that the groups have changed is confirmed, without a query about all of them', async () => {
  const ana = person()
  const group = rig.simulator.group({ subject: 'G', owner: ana.digits, members: [NUMBER] })
  await number.send(group.jid, text('before'))
  rig.simulator.faults.receiving.refuseGroupQueries(NUMBER, 429)
  rig.simulator.faults.receiving.soilGroups(NUMBER)
  const before = queries()
  number.links.length = 0
  rig.simulator.faults.cut(number.jid)
  await number.open()
  await rig.simulator.until(() => !rig.simulator.faults.receiving.hasDirtyGroups(NUMBER))
  expect(queries()).toBe(before)
  // What was known of the groups is read again.
  rig.simulator.faults.receiving.refuseGroupQueries(NUMBER)
  await number.send(group.jid, text('after'))
  expect(queries()).toBe(before + 1)
})

test('a number in 1,000 groups logs in without a query about them, and each group that it writes to costs one', async () => {
  const digits = '999592000002'
  const { simulator } = rig
  const asked = (): number => simulator.faults.receiving.groupQueries(digits)
  const bob = person()
  const groups = Array.from({ length: 1_000 }, (_, i) =>
    simulator.group({ subject: `G${i}`, owner: bob.digits, members: [digits] }),
  )
  const busy = groups.slice(0, 8)
  const large = await rig.link(digits)
  simulator.faults.receiving.soilGroups(digits)
  simulator.faults.cut(large.jid)
  large.links.length = 0
  await large.open()
  await simulator.until(() => !simulator.faults.receiving.hasDirtyGroups(digits))
  expect(asked()).toBe(0)
  for (const { jid } of busy) await bob.sendTo(jid, { type: 'text', text: 'heard' })
  await large.until(() => large.events.length === busy.length)
  expect(asked()).toBe(0)
  // The second round writes to groups that are known by then.
  for (const { jid } of [...busy, ...busy]) await large.send(jid, text('hello'))
  expect(asked()).toBe(busy.length)
  const page = { kind: 'group_list', limit: 100 } as const
  const first = await large.run({ ...page, after: null })
  expect(first).toMatchObject({ kind: 'groups', after: expect.any(String) })
  await large.run({ ...page, after: groups.map(({ jid }) => jid).sort()[99]! })
  expect(asked()).toBe(busy.length + 1)
})
