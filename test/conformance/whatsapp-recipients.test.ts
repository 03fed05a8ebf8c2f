import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GroupHandle } from '@postern/simulator/handles'
import { userOf } from '@postern/simulator/people'
import { decryptGroupMessage } from '@postern/simulator/phone/keys'
import type { Phone } from '@postern/simulator/phone/phone'
import { differingHash } from '@postern/simulator/server/participant-hash'
import { type BinaryNode, bytesOf, child, children, node } from '@postern/simulator/wire/node'
import { makePlatformId } from '../../src/domain/ids.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'
import { deviceOf, say } from '../harness/wire-fuzz/wire.ts'

/** The recipients of a message: every reachable device of every recipient, once, and no others. */

let rig: Rig
let number: Hosted
let queries = 0
const NUMBER = '999540000001'
const COMPUTER = 12
let people = 0
/** What the platform has received of its clients. */
const received: BinaryNode[] = []

beforeAll(async () => {
  const logger = {
    debug: (fields: Record<string, unknown>) => void (queries += fields.tag === 'iq' ? 1 : 0),
    warn() {},
  }
  rig = await startRig({ historySync: false, logger })
  rig.simulator.network.onReceived = (_device, stanza) => void received.push(stanza)
  number = await rig.link(NUMBER)
})
afterAll(() => rig.close())

const newContact = (): Phone => {
  people += 1
  return rig.simulator.phone(`55119600${String(people).padStart(5, '0')}`)
}
const groupOf = (addressing: 'lid' | 'pn', ...members: Phone[]): GroupHandle =>
  rig.simulator.group({
    subject: 'G',
    owner: NUMBER,
    members: members.map(({ digits }) => digits),
    addressing,
  })
const send = async (to: string, platformId = makePlatformId()): Promise<string> => {
  await number.send(to, text('words'), { platformId })
  return platformId
}
const unread = (id: string) => rig.simulator.unread().filter(each => each.id === id)
/** Waits until these devices of a person have read a message. */
const readBy = (who: Phone, id: string, ...devices: number[]) =>
  number.until(() => devices.every(device => who.hasRead(id, device)))

describe('Every device', () => {
  test('of a contact gets a message in a direct chat, once', async () => {
    const ana = newContact()
    for (const id of [await send(ana.jid), await send(ana.jid)]) {
      await readBy(ana, id, 0, COMPUTER)
      expect(ana.message(id)?.copies).toBe(1)
      expect(unread(id)).toEqual([])
    }
  })

  test.each(['lid', 'pn'] as const)('of the members gets a message in a group that names them by %s', async mode => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf(mode, ana, ben)
    for (const id of [await send(group.jid), await send(group.jid)]) {
      await readBy(ana, id, 0, COMPUTER)
      await readBy(ben, id, 0, COMPUTER)
      expect(unread(id)).toEqual([])
    }
  })

  test('of the number itself gets what is sent to its own chat, once', async () => {
    const id = await send(number.jid)
    const own = rig.simulator.phone(NUMBER)
    await readBy(own, id, 0)
    expect(own.message(id)?.copies).toBe(1)
  })

  test('that a contact links gets messages from then on', async () => {
    const ana = newContact()
    const group = groupOf('lid', ana)
    await send(ana.jid)
    await send(group.jid)
    const tablet = ana.linkCompanion()
    await number.until(() => number.reasons.get('notification_devices'))
    for (const to of [ana.jid, group.jid]) await readBy(ana, await send(to), 0, COMPUTER, tablet)
  })

  test('that is linked to the number itself gets copies from then on', async () => {
    const ana = newContact()
    const own = rig.simulator.phone(NUMBER)
    await send(ana.jid)
    const tablet = own.linkCompanion()
    await number.until(() => number.reasons.get('notification_account_sync'))
    const id = await send(ana.jid)
    await readBy(own, id, 0, tablet)
    expect(unread(id)).toEqual([])
  })

  test('of which the number was not notified gets the message by which the platform notices it', async () => {
    const ana = newContact()
    ana.linkCompanion({ hosted: true })
    await send(ana.jid)
    const tablet = ana.linkCompanion({ isAnnounced: false })
    const own = rig.simulator.phone(NUMBER)
    const first = await send(ana.jid)
    await readBy(ana, first, 0, COMPUTER, tablet)
    const stanzas = received.filter(({ tag, attrs }) => tag === 'message' && attrs.id === first)
    const reached = stanzas.flatMap(stanza => children(child(stanza, 'participants'), 'to').map(to => to.attrs.jid))
    expect(new Set(reached).size).toBe(reached.length)
    const watch = own.linkCompanion({ isAnnounced: false })
    const id = await send(ana.jid)
    await readBy(own, id, 0, watch)
    await readBy(ana, id, 0, COMPUTER, tablet)
    const before = queries
    expect(unread(await send(ana.jid))).toEqual([])
    expect(queries).toBe(before)
  })

  test('of a member, of which the number was not notified, gets the key with the next message, even if its requests are lost', async () => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf('lid', ana, ben)
    await send(group.jid)
    const tablet = ana.linkCompanion({ isAnnounced: false })
    rig.simulator.faults.loseRetries(ana.digits, 10, tablet)
    await send(group.jid)
    await readBy(ana, await send(group.jid), 0, COMPUTER, tablet)
    const before = queries
    await send(group.jid)
    expect(queries).toBe(before)
  })

  test.each(['lid', 'pn'] as const)('is counted in the hash of a group that names members by %s', async mode => {
    const group = groupOf(mode, newContact(), newContact())
    const id = await send(group.jid)
    const sent = received.find(({ tag, attrs }) => tag === 'message' && attrs.id === id)!
    expect(sent.attrs.phash).toMatch(/^2:/)
    expect(differingHash(rig.simulator.network, deviceOf(rig.simulator.network, NUMBER), sent)).toBeUndefined()
  })

  test('is queried once: a chat that was used before costs no query', async () => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf('lid', ana, ben)
    for (const to of [ana.jid, group.jid]) {
      await send(to)
      const before = queries
      await send(to)
      expect(queries).toBe(before)
    }
  })
})

describe('A device that is listed but removed', () => {
  test.each(['error', 'omitted', 'whole'] as const)('delays no other device: %s', async gone => {
    const [ana, ben] = [newContact(), newContact()]
    ana.loseDevice(COMPUTER, gone)
    const group = groupOf('lid', ana, ben)
    const direct = await send(ana.jid)
    const grouped = await send(group.jid)
    await readBy(ana, direct, 0)
    await readBy(ana, grouped, 0)
    await readBy(ben, grouped, 0, COMPUTER)
    expect([...unread(direct), ...unread(grouped)]).toEqual([])
  })

  test('that received messages before delays no other device when its session has to be created again', async () => {
    const ana = newContact()
    const ben = newContact()
    await send(ana.jid)
    const group = groupOf('lid', ana, ben)
    ana.loseDevice(0)
    await readBy(ben, await send(group.jid), 0, COMPUTER)
    ana.change()
    await number.until(() => number.reasons.get('notification_encrypt'))
    ana.loseDevice(0)
    await readBy(ben, await send(group.jid), 0, COMPUTER)
  })

  test('gets messages again when it returns', async () => {
    const ana = newContact()
    ana.loseDevice(0)
    ana.loseDevice(COMPUTER)
    await expect(send(ana.jid)).rejects.toMatchObject({ failure: { kind: 'transient' } })
    ana.findDevice(0)
    ana.findDevice(COMPUTER)
    await readBy(ana, await send(ana.jid), 0, COMPUTER)
  })
})

describe('A member’s new phone', () => {
  test('reads the next message, even if its request for the previous one was lost', async () => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf('lid', ana, ben)
    await readBy(ana, await send(group.jid), 0)
    rig.simulator.faults.loseRetries(ana.digits, 10)
    const before = number.reasons.get('notification_encrypt') ?? 0
    ana.change()
    await number.until(() => (number.reasons.get('notification_encrypt') ?? 0) > before)
    for (const to of [group.jid, ana.jid]) await readBy(ana, await send(to), 0)
  })

  test('reads the next message, even if the number was offline when it changed', async () => {
    const other = await rig.link('999540000002')
    const [ana, ben] = [newContact(), newContact()]
    const group = rig.simulator.group({ subject: 'G', owner: '999540000002', members: [ana.digits, ben.digits] })
    for (const to of [group.jid, ana.jid]) await other.send(to, text('before'))
    await other.close()
    rig.simulator.faults.loseRetries(ana.digits, 10)
    ana.change()
    const back = rig.host(other.device, other.storage)
    await back.open()
    await back.until(() => back.reasons.get('notification_encrypt'))
    for (const to of [group.jid, ana.jid]) {
      const platformId = makePlatformId()
      await back.send(to, text('after'), { platformId })
      await readBy(ana, platformId, 0)
    }
    await back.close()
  })

  test('gets the group’s key with the message that it requests again, even without a notification of the change', async () => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf('lid', ana, ben)
    await send(group.jid)
    rig.simulator.network.users.get(ana.digits)!.watchedBy.clear()
    ana.change()
    const first = await send(group.jid)
    await readBy(ana, first, 0)
    rig.simulator.faults.loseRetries(ana.digits, 10)
    await readBy(ana, await send(group.jid), 0)
    expect(unread(first)).toEqual([])
  })
})

describe('A device that requests a message that the number no longer has', () => {
  const lose = (id: string) => void number.storage.sent.delete(id)

  test('reads the next one in a direct chat, without another request', async () => {
    const ana = newContact()
    await readBy(ana, await send(ana.jid), 0)
    rig.simulator.network.users.get(ana.digits)!.watchedBy.clear()
    ana.change()
    const before = number.reasons.get('retry_of_unknown') ?? 0
    const first = makePlatformId()
    const release = rig.simulator.faults.holdAcks(NUMBER)
    const sending = send(ana.jid, first)
    await number.until(() => number.storage.sent.has(first))
    lose(first)
    release()
    await sending
    await number.until(() => (number.reasons.get('retry_of_unknown') ?? 0) > before)
    rig.simulator.faults.loseRetries(ana.digits, 10)
    await readBy(ana, await send(ana.jid), 0)
  })

  test('reads the next one in a group, without another request', async () => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf('lid', ana, ben)
    await readBy(ana, await send(group.jid), 0)
    rig.simulator.network.users.get(ana.digits)!.watchedBy.clear()
    ana.change()
    const before = number.reasons.get('retry_of_unknown') ?? 0
    const first = makePlatformId()
    const release = rig.simulator.faults.holdAcks(NUMBER)
    const sending = send(group.jid, first)
    await number.until(() => number.storage.sent.has(first))
    lose(first)
    release()
    await sending
    await number.until(() => (number.reasons.get('retry_of_unknown') ?? 0) > before)
    rig.simulator.faults.loseRetries(ana.digits, 10)
    await readBy(ana, await send(group.jid), 0)
  })
})

describe('The key of a group', () => {
  test('is sent again if it is not known to have left', async () => {
    const ana = newContact()
    const group = groupOf('lid', ana)
    const silent = rig.host(await rig.pair('999540000003'))
    await silent.open()
    group.change('add', ['999540000003'])
    for (const device of [0, COMPUTER]) rig.simulator.faults.loseRetries(ana.digits, 10, device)
    rig.simulator.faults.rejectMessages('999540000003', 479)
    const detail = 'the platform refused the message (479)'
    await expect(silent.send(group.jid, text('refused'))).rejects.toMatchObject({ failure: { detail } })
    const platformId = makePlatformId()
    await silent.send(group.jid, text('taken'), { platformId })
    await readBy(ana, platformId, 0, COMPUTER)
    await silent.close()
  })

  test('follows a group that changes its addressing, under the same id', async () => {
    const ana = newContact()
    const group = groupOf('pn', ana)
    await send(group.jid)
    group.readdress('lid')
    const id = await send(group.jid)
    await readBy(ana, id, 0, COMPUTER)
    expect(ana.inbox().filter(held => held.id === id)).toHaveLength(1)
  })
})

describe('A person who was removed from a group', () => {
  /** Whether the keys of this person's phone open a message that was sent to the group. */
  const canOpen = (who: Phone, group: GroupHandle, from: Hosted, id: string): boolean => {
    const { network } = rig.simulator
    const stanza = received.find(({ tag, attrs }) => tag === 'message' && attrs.id === id)
    const body = bytesOf(children(stanza, 'enc').find(({ attrs }) => attrs.type === 'skmsg'))
    const [device] = userOf(network, from.device.phone).devices.values()
    try {
      decryptGroupMessage(network, userOf(network, who.digits), group.jid, device!, body)
      return true
    } catch {
      return false
    }
  }

  test.each(['lid', 'pn'] as const)('cannot read what follows, with members named by %s', async addressing => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf(addressing, ana, ben)
    const before = await send(group.jid)
    await readBy(ben, before, 0)
    const notified = number.reasons.get('notification_w:gp2') ?? 0
    group.change('remove', [ben.digits])
    await number.until(() => (number.reasons.get('notification_w:gp2') ?? 0) > notified)
    const after = await send(group.jid)
    await readBy(ana, after, 0, COMPUTER)
    expect(canOpen(ben, group, number, after)).toBe(false)
    // The key is renewed once, not with every message.
    const next = await send(group.jid)
    await readBy(ana, next, 0, COMPUTER)
    const stanza = received.find(({ tag, attrs }) => tag === 'message' && attrs.id === next)
    expect(children(stanza).map(({ tag }) => tag)).not.toContain('participants')
  })

  test('cannot read what follows, even if the number was offline then', async () => {
    const other = await rig.link('999540000004')
    const [ana, ben] = [newContact(), newContact()]
    const members = [ana.digits, ben.digits]
    const group = rig.simulator.group({ subject: 'G', owner: '999540000004', members })
    await other.send(group.jid, text('before'))
    await other.close()
    group.change('remove', [ben.digits])
    const back = rig.host(other.device, other.storage)
    await back.open()
    await back.until(() => back.reasons.get('notification_w:gp2'))
    const platformId = makePlatformId()
    await back.send(group.jid, text('after'), { platformId })
    await readBy(ana, platformId, 0)
    expect(canOpen(ben, group, back, platformId)).toBe(false)
    await back.close()
  })

  test('gets neither a message again nor the new key', async () => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf('lid', ana, ben)
    const id = await send(group.jid)
    await readBy(ben, id, 0)
    const notified = number.reasons.get('notification_w:gp2') ?? 0
    group.change('remove', [ben.digits])
    await number.until(() => (number.reasons.get('notification_w:gp2') ?? 0) > notified)
    const refused = number.reasons.get('retry_of_unknown') ?? 0
    received.length = 0
    const { network } = rig.simulator
    const wire = { network, device: deviceOf(network, NUMBER), sender: userOf(network, ben.digits), label: 'a retry' }
    const retry = node('retry', { count: '1', id, t: '1790000000', v: '1' })
    say(wire, node('receipt', { from: group.jid, participant: ben.lid, id, type: 'retry', t: '1790000000' }, [retry]))
    await number.until(() => (number.reasons.get('retry_of_unknown') ?? 0) > refused)
    expect(received.filter(({ tag }) => tag === 'message')).toEqual([])
  })
})

describe('A hosted device of a business', () => {
  test('is addressed in direct chats, only under its own name, and is not part of groups', async () => {
    const ana = newContact()
    const hosted = ana.linkCompanion({ hosted: true })
    expect(ana.companions()).toEqual([99, COMPUTER])
    const group = groupOf('lid', ana)
    const direct = await send(ana.jid)
    await readBy(ana, direct, 0, COMPUTER, hosted)
    const grouped = await send(group.jid)
    await readBy(ana, grouped, 0, COMPUTER)
    expect([...unread(direct), ...unread(grouped)]).toEqual([])
  })
})

describe('A device that could not read a message', () => {
  test.each([0, COMPUTER])('gets it again, alone: device %i in a direct chat', async device => {
    const ana = newContact()
    await send(ana.jid)
    rig.simulator.faults.makeUnreadable(ana.digits, 2, device)
    const id = await send(ana.jid)
    await readBy(ana, id, 0, COMPUTER)
    await number.until(() => unread(id).length === 0)
    expect(ana.message(id)?.copies).toBe(1)
    await readBy(ana, await send(ana.jid), 0, COMPUTER)
  })

  test.each([0, COMPUTER])('gets it again, alone: device %i in a group', async device => {
    const [ana, ben] = [newContact(), newContact()]
    const group = groupOf('lid', ana, ben)
    await send(group.jid)
    rig.simulator.faults.makeUnreadable(ana.digits, 2, device)
    const id = await send(group.jid)
    await readBy(ana, id, 0, COMPUTER)
    await number.until(() => unread(id).length === 0)
    expect(ben.message(id)?.copies).toBe(1)
    const next = await send(group.jid)
    await readBy(ana, next, 0, COMPUTER)
  })

  test('of the number itself gets its copy again', async () => {
    const ana = newContact()
    const own = rig.simulator.phone(NUMBER)
    await send(ana.jid)
    rig.simulator.faults.makeUnreadable(NUMBER, 1)
    const id = await send(ana.jid)
    await readBy(own, id, 0)
    expect(own.message(id)).toMatchObject({ chat: ana.digits, fromMe: true })
  })

  test('does not get it if the platform refuses to send it again, which is counted', async () => {
    const ana = newContact()
    await send(ana.jid)
    rig.simulator.faults.makeUnreadable(ana.jid, 1)
    rig.simulator.faults.delayAcks(NUMBER, 0, 1)
    rig.simulator.faults.rejectMessages(NUMBER, 463, 1)
    await send(ana.jid)
    await number.until(() => number.reasons.get('retry_refused_463') === 1)
    expect(number.restrictions).toEqual([])
  })

  test('gets it at most five times', async () => {
    const ana = newContact()
    await send(ana.jid)
    rig.simulator.faults.makeUnreadable(ana.digits, 6, COMPUTER)
    const id = await send(ana.jid)
    await number.until(() => number.reasons.get('receipt_retry_of_others') === undefined && unread(id).length === 1)
    const next = await send(ana.jid)
    await readBy(ana, next, 0)
    expect(ana.hasRead(id, COMPUTER)).toBe(false)
  })
})
