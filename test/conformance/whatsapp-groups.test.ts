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
