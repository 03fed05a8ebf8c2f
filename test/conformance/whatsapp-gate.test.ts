import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeviceChange } from '../../src/platform/platform.ts'
import { giveToken, type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

let rig: Rig
beforeAll(async () => {
  rig = await startRig({
    platform: { stanzaTimeoutMs: 5_000, backoff: { lost: [20, 200], replaced: [60_000, 60_000] } },
  })
})
afterAll(() => rig.close())

const unacknowledged = (hosted: Hosted): number =>
  rig.simulator.numbers().find(({ jid }) => jid === hosted.jid)?.devices[0]?.unacknowledged ?? 0

const idsOf = (change: DeviceChange): string[] => (change.inbox ?? []).map(({ key }) => key.split('/').at(-1) ?? '')

const messagesOf = (hosted: Hosted): string[] =>
  hosted.events.flatMap(event => (event.kind === 'message' ? [event.message_id] : []))

test('with 200 messages and slow commits no receipt leaves before its commit, and sending continues', async () => {
  const number = await rig.link('999200000001')
  const phones = Array.from({ length: 8 }, (_, i) => rig.simulator.phone(`55118880000${i}0`))
  const committed: string[] = []
  const early: string[] = []
  number.storage.beforeCommit = async change => {
    await new Promise(resolve => setTimeout(resolve, 30))
    committed.push(...idsOf(change))
    early.push(...idsOf(change).filter(id => phones.some(phone => phone.tick(id, number.jid))))
  }
  const sent: string[] = []
  for (let i = 0; i < 200; i += 1) {
    const { id } = await phones[i % phones.length]!.sendTo(number.jid, { type: 'text', text: `message ${i}` })
    sent.push(id)
    if (i === 100) await number.send(phones[0]!.jid, text('meanwhile'))
  }
  await number.until(() => number.events.length === 200)
  await rig.simulator.until(() => unacknowledged(number) === 0)
  expect(committed).toEqual(expect.arrayContaining(sent))
  expect(early).toEqual([])
  expect([...messagesOf(number)].sort()).toEqual([...sent].sort())
  expect(phones[0]!.inbox().length).toBe(1)
})

test('a message and the keys that it changed are one commit', async () => {
  const number = await rig.link('999200000002')
  const phone = rig.simulator.phone('5511888810000')
  for (const words of ['one', 'two']) {
    const { id } = await phone.sendTo(number.jid, { type: 'text', text: words })
    await number.until(() => messagesOf(number).includes(id))
    const commits = number.storage.commits.filter(change => idsOf(change).includes(id))
    expect(commits).toHaveLength(1)
    expect(commits[0]?.keys?.map(({ category }) => category)).toContain('session')
  }
})

test('a process that dies between commit and receipt loses nothing and duplicates nothing', async () => {
  const first = await rig.link('999200000003')
  const phone = rig.simulator.phone('5511888820000')
  await phone.sendTo(first.jid, { type: 'text', text: 'before' })
  await first.until(() => first.events.length === 1 && unacknowledged(first) === 0)
  const written = first.storage.inbox.size
  first.storage.afterCommit = async change => {
    if (change.inbox?.some(({ key }) => key.includes(phone.lid))) await new Promise(() => {})
  }
  const sent = await Promise.all([1, 2, 3].map(i => phone.sendTo(first.jid, { type: 'text', text: `during ${i}` })))
  await first.until(() => first.storage.inbox.size > written)
  expect(unacknowledged(first)).toBe(3)
  first.abandon()
  const second = rig.host(first.device, first.storage.restarted())
  await second.open()
  await rig.simulator.until(() => unacknowledged(second) === 0)
  await second.until(() => messagesOf(second).length === 4)
  expect(messagesOf(second).slice(1).sort()).toEqual(sent.map(({ id }) => id).sort())
  expect(second.reasons.get('redelivered') ?? 0).toBeGreaterThan(0)
  expect(second.reasons.get('undecryptable')).toBeUndefined()
  await phone.sendTo(second.jid, { type: 'text', text: 'after' })
  await second.until(() => messagesOf(second).length === 5)
})

test('a process that dies before the commit receives everything again', async () => {
  const first = await rig.link('999200000004')
  const phone = rig.simulator.phone('5511888830000')
  await phone.sendTo(first.jid, { type: 'text', text: 'before' })
  await first.until(() => first.events.length === 1 && unacknowledged(first) === 0)
  first.storage.beforeCommit = () => new Promise(() => {})
  await phone.sendTo(first.jid, { type: 'text', text: 'lost?' })
  await phone.sendTo(first.jid, { type: 'text', text: 'lost too?' })
  await rig.simulator.until(() => unacknowledged(first) === 2)
  first.abandon()
  const second = rig.host(first.device, first.storage.restarted())
  await second.open()
  await second.until(() => messagesOf(second).length === 3)
  await rig.simulator.until(() => unacknowledged(second) === 0)
})

test('a commit that fails ends the link; nothing is acknowledged, and everything arrives again', async () => {
  const number = await rig.link('999200000005')
  const phone = rig.simulator.phone('5511888840000')
  let failures = 0
  number.storage.beforeCommit = async change => {
    if (change.inbox && failures++ < 2) throw new Error('the disk is full')
  }
  await phone.sendTo(number.jid, { type: 'text', text: 'hold on' })
  await number.until(() => messagesOf(number).length === 1)
  await rig.simulator.until(() => unacknowledged(number) === 0)
  expect(failures).toBeGreaterThan(2)
  expect(number.links.filter(({ state }) => state === 'closed').length).toBe(2)
})

test('a commit whose outcome is unknown duplicates nothing', async () => {
  const number = await rig.link('999200000006')
  const phone = rig.simulator.phone('5511888850000')
  let doubts = 0
  number.storage.afterCommit = async change => {
    const isOurs = change.inbox?.some(({ key }) => key.includes(phone.lid)) === true
    if (isOurs && doubts++ === 0) throw new Error('the connection to the database was lost')
  }
  const { id } = await phone.sendTo(number.jid, { type: 'text', text: 'once' })
  await rig.simulator.until(() => phone.tick(id, number.jid) && unacknowledged(number) === 0)
  await phone.sendTo(number.jid, { type: 'text', text: 'twice' })
  await number.until(() => messagesOf(number).length === 2)
  expect(number.reasons.get('redelivered')).toBe(1)
})

test('a stanza that arrives twice is one event', async () => {
  const number = await rig.link('999200000007')
  const phone = rig.simulator.phone('5511888860000')
  giveToken(rig, phone, number)
  rig.simulator.faults.duplicate(number.jid, 2, 3)
  for (let i = 0; i < 3; i += 1) await phone.sendTo(number.jid, { type: 'text', text: `twice ${i}` })
  await number.until(() => messagesOf(number).length === 3 && (number.reasons.get('redelivered') ?? 0) === 3)
  await rig.simulator.until(() => unacknowledged(number) === 0)
})

test('a message that cannot be decrypted is requested again and becomes one event', async () => {
  const number = await rig.link('999200000008')
  const phone = rig.simulator.phone('5511888870000')
  await phone.sendTo(number.jid, { type: 'text', text: 'clear' })
  await number.until(() => messagesOf(number).length === 1)
  rig.simulator.faults.tamper(number.jid, 1)
  const { id } = await phone.sendTo(number.jid, { type: 'text', text: 'garbled' })
  await number.until(() => messagesOf(number).includes(id))
  expect(number.reasons.get('undecryptable')).toBeGreaterThanOrEqual(1)
  await rig.simulator.until(() => unacknowledged(number) === 0)
  expect(messagesOf(number).length).toBe(2)
})

test('a link cut in the middle of a batch loses nothing', async () => {
  const number = await rig.link('999200000009')
  const phone = rig.simulator.phone('5511888880000')
  await phone.sendTo(number.jid, { type: 'text', text: 'first' })
  await number.until(() => messagesOf(number).length === 1)
  rig.simulator.faults.cutAfter(number.jid, 3)
  const sent = await Promise.all(
    Array.from({ length: 10 }, (_, i) => phone.sendTo(number.jid, { type: 'text', text: `batch ${i}` })),
  )
  await number.until(() => messagesOf(number).length === 11)
  expect(messagesOf(number).slice(1).sort()).toEqual(sent.map(({ id }) => id).sort())
  await rig.simulator.until(() => unacknowledged(number) === 0)
})

test('an outgoing message is stored before it leaves, for devices that request it again', async () => {
  const number = await rig.link('999200000010')
  const phone = rig.simulator.phone('5511888890000')
  rig.simulator.faults.makeUnreadable(phone.jid, 1)
  let keptBefore = false
  number.storage.beforeCommit = async change => {
    if (change.sent) keptBefore = phone.inbox().length === 0
  }
  await number.send(phone.jid, text('say that again'), { platformId: '3EB0AAAABBBBCCCC' })
  await rig.simulator.until(() => phone.message('3EB0AAAABBBBCCCC'))
  expect(keptBefore).toBe(true)
  expect(number.storage.sent.has('3EB0AAAABBBBCCCC')).toBe(true)
})

test('a message that is not handled in time ends the link; its frames never leave, and it arrives again', async () => {
  const number = await rig.link('999200000011')
  const phone = rig.simulator.phone('5511888891000')
  await phone.sendTo(number.jid, { type: 'text', text: 'first' })
  await number.until(() => messagesOf(number).length === 1 && unacknowledged(number) === 0)
  const { readKeys } = number.storage
  const stranger = rig.simulator.phone('5511888892000')
  giveToken(rig, stranger, number)
  // Only a read of the library for a new contact hangs; the reads that open a link succeed, because it may open again
  // immediately.
  number.storage.readKeys = (category, ids) =>
    category === 'identity-key' ? new Promise(() => {}) : readKeys(category, ids)
  const { id } = await stranger.sendTo(number.jid, { type: 'text', text: 'stuck' })
  await number.until(() => number.links.some(({ state }) => state === 'closed'))
  expect(number.links.find(({ state }) => state === 'closed')).toMatchObject({
    reason: expect.stringContaining('in time'),
  })
  expect(unacknowledged(number)).toBe(1)
  number.storage.readKeys = readKeys
  await number.until(() => messagesOf(number).includes(id))
  await rig.simulator.until(() => unacknowledged(number) === 0)
})

test('links that drop while messages are being handled lose and duplicate nothing', async () => {
  const number = await rig.link('999200000012')
  const phones = Array.from({ length: 5 }, (_, i) => rig.simulator.phone(`55118889${i}0000`))
  number.storage.beforeCommit = () => new Promise(resolve => setTimeout(resolve, 3))
  const sent: string[] = []
  for (let i = 0; i < 120; i += 1) {
    const { id } = await phones[i % phones.length]!.sendTo(number.jid, { type: 'text', text: `m ${i}` })
    sent.push(id)
    if (i % 15 === 14) rig.simulator.faults.cut(number.jid)
  }
  await number.until(() => new Set(messagesOf(number)).size === 120)
  await rig.simulator.until(() => unacknowledged(number) === 0)
  expect(messagesOf(number).length).toBe(120)
  expect(number.reasons.get('undecryptable') ?? 0).toBe(0)
  expect([...messagesOf(number)].sort()).toEqual([...sent].sort())
})
