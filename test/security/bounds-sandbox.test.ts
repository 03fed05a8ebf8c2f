import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { Control } from '../../src/sandbox/control.ts'
import { perform } from '../../src/sandbox/perform.ts'
import { Sandbox } from '../../src/sandbox/sandbox.ts'
import { type Client, linkClient, prepareEngine, trust } from '../conformance/simulator-client.ts'
import { expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { takeSandbox } from '../harness/leases.ts'
import { createMemoryStorage } from '../harness/simulator-storage.ts'
import { until } from '../harness/until.ts'

const PHONE = '999100200900'
const MAX_CONTACTS = 40
const MAX_BYTES = 60_000
const MAX_WAITING = 30

let gateway: TestGateway
let simulator: Simulator
let client: Client
let account: TestAccount
let control: Promise<void>
const storage = createMemoryStorage()
const stopping = new AbortController()
const path = (what: string) => `/sandbox/sessions/${PHONE}:1@s.whatsapp.net/${what}`
const contact = (n: number) => `1555123${String(n).padStart(4, '0')}`
const write = (body: object) => account.ask('POST', path('incoming'), { type: 'text', text: 'x', ...body })
const act = (body: object) => account.ask('POST', path('actions'), body)

beforeAll(async () => {
  prepareEngine()
  gateway = await startTestGateway('sqlite')
  simulator = await startSimulator({
    storage,
    maxContacts: MAX_CONTACTS,
    heldBytes: MAX_BYTES,
  })
  trust(simulator)
  client = await linkClient(simulator, PHONE)
  account = await gateway.account({ limits: { requests_per_second: null } })
  const id = `${PHONE}@s.whatsapp.net`
  const number = { id, phone: PHONE, device: 1, label: '', platform: 'sandbox', maxSessions: null } as const
  await gateway.store.sessions.registerSession({ ...number, accountId: account.id })
  control = new Control(gateway.context, await takeSandbox(gateway.store), new Sandbox(simulator, MAX_WAITING)).run(
    stopping.signal,
  )
})
afterAll(async () => {
  await client.end()
  stopping.abort()
  await control
  await simulator.close()
  await gateway.stop()
})

describe('The data of a customer in the sandbox', () => {
  test('contacts are limited: the oldest is deleted with all its messages, and numbers stay linked', async () => {
    for (let n = 1; n <= MAX_CONTACTS + 20; n++) expect((await write({ from: contact(n) })).status).toBe(202)
    expect(simulator.phones()).toHaveLength(MAX_CONTACTS)
    expect(simulator.numbers().map(({ digits }) => digits)).toEqual([PHONE])
    await simulator.saved()
    const kept = [...(await storage.load()).keys()]
    expect(kept.filter(key => key.startsWith('user/'))).toHaveLength(MAX_CONTACTS)
    expect(kept.filter(key => key.includes(`/${contact(1)}`))).toEqual([])
    expect((await write({ from: contact(1) })).status).toBe(202)
  })

  test('messages on the phones are limited: the oldest are deleted', async () => {
    for (let n = 0; n < 60; n++) await write({ from: contact(500 + (n % 5)), text: 'x'.repeat(4_000) })
    const sent = simulator.phones().flatMap(phone => phone.sent())
    expect(sent.length).toBeGreaterThan(5)
    expect(sent.length).toBeLessThanOrEqual(MAX_BYTES / 4_000)
    await simulator.saved()
    const kept = [...(await storage.load()).keys()].filter(key => /^(sent|inbox)\//.test(key))
    expect(kept.length).toBeLessThanOrEqual(MAX_BYTES / 1_024)
  })

  test('one account does not displace the contacts and messages of another, even with several numbers', async () => {
    const [victim, twin] = ['999100200902', '999100200903']
    const clients = [await linkClient(simulator, victim), await linkClient(simulator, twin)]
    simulator.giveTo('victim', victim)
    for (const phone of [PHONE, twin]) simulator.giveTo('flooder', phone)
    const arrive = (phone: string, from: string, text: string) =>
      perform(new Sandbox(simulator), { kind: 'incoming', phone, incoming: { from, type: 'text', text } })
    const own = Array.from({ length: 5 }, (_, n) => contact(700 + n))
    for (const from of own) await arrive(victim, from, 'mine')
    for (let n = 0; n < MAX_CONTACTS * 2; n++)
      await arrive(n % 2 === 0 ? PHONE : twin, contact(800 + n), 'x'.repeat(2_000))
    const phones = new Map(simulator.phones().map(phone => [phone.digits, phone]))
    expect(phones.size).toBe(MAX_CONTACTS)
    expect(own.map(digits => phones.get(digits)?.sent().length)).toEqual([1, 1, 1, 1, 1])
    await simulator.saved()
    const again = await startSimulator({ storage, maxContacts: MAX_CONTACTS, heldBytes: MAX_BYTES })
    for (let n = 0; n < MAX_CONTACTS * 2; n++)
      await perform(new Sandbox(again), {
        kind: 'incoming',
        phone: twin,
        incoming: { from: contact(900 + n), type: 'text', text: 'x'.repeat(2_000) },
      })
    expect(own.map(digits => again.phone(digits).sent().length)).toEqual([1, 1, 1, 1, 1])
    await again.close()
    for (const each of clients) await each.end()
  })

  test('messages that wait for a number that is not connected are limited, and other numbers continue', async () => {
    const phone = '999100200904'
    const gone = await linkClient(simulator, phone)
    const id = `${phone}@s.whatsapp.net`
    const number = { id, phone, device: 1, label: '', platform: 'sandbox', maxSessions: null } as const
    await gateway.store.sessions.registerSession({ ...number, accountId: account.id })
    await gone.end()
    await until(() => simulator.numbers().find(each => each.digits === phone)?.devices[0]?.connected === false)
    const send = (what: string, body: object) =>
      account.ask('POST', `/sandbox/sessions/${phone}:1@s.whatsapp.net/${what}`, body)
    const text = { from: contact(1), type: 'text', text: 'x' }
    let taken = 0
    while (taken <= MAX_WAITING && (await send('incoming', text)).status === 202) taken++
    expect(taken).toBeGreaterThan(MAX_WAITING / 2)
    expect(taken).toBeLessThanOrEqual(MAX_WAITING)
    const full = `${MAX_WAITING} messages wait for the number already: let it connect first`
    expectError(await send('incoming', text), 400, full)
    expectError(await send('actions', { action: 'call', from: contact(1) }), 400, full)
    expect((await write({ from: contact(1) })).status).toBe(202)
  })

  test('groups and channels of a number are limited, and existing ones continue', async () => {
    for (let n = 0; n < BOUNDS.sandboxGroups - 1; n++)
      simulator.group({ subject: `group ${n}`, owner: contact(1), members: [PHONE] })
    // The number first takes the notices of its new groups.
    await expect.poll(async () => (await write({ from: contact(1), group: 'the last one' })).status).toBe(202)
    expectError(
      await write({ from: contact(1), group: 'one more' }),
      400,
      'group: a sandbox number is in at most 200 groups; name one that it is in',
    )
    expect((await write({ from: contact(1), group: 'group 0' })).status).toBe(202)
    const post = (name: string) => act({ action: 'newsletter_post', name, text: 'x' })
    for (let n = 0; n < BOUNDS.sandboxChannels; n++) expect((await post(`channel ${n}`)).status).toBe(202)
    expectError(await post('one more'), 400, 'name: a sandbox number has at most 100 channels; name one of them')
    expect((await post('channel 0')).status).toBe(202)
  })

  test('members of a group are limited', async () => {
    const [group] = simulator.groups()
    group!.change(
      'add',
      Array.from({ length: BOUNDS.membersOfSandboxGroup }, (_, n) => contact(2_000 + n)),
    )
    expectError(
      await write({ from: contact(9), group: group!.jid }),
      400,
      'group: a group of the sandbox has at most 1024 members',
    )
  })

  test('a number that is deleted while its link is down leaves no device behind', async () => {
    const phone = '999100200901'
    const gone = await linkClient(simulator, phone)
    const id = `${phone}@s.whatsapp.net`
    const number = { id, phone, device: 1, label: '', platform: 'sandbox', maxSessions: null } as const
    await gateway.store.sessions.registerSession({ ...number, accountId: account.id })
    expect(simulator.numbers().map(({ digits }) => digits)).toContain(phone)
    await gone.end()
    expect((await account.ask('DELETE', `/v1/sessions/${phone}:1@s.whatsapp.net`)).status).toBe(200)
    await until(() => !simulator.numbers().some(({ digits }) => digits === phone))
  })

  test('planned faults of a number are limited', async () => {
    const fail = (times: number) => act({ action: 'fail_next', ack: 'rejected', times })
    expect((await fail(BOUNDS.sandboxFaults)).status).toBe(202)
    expectError(await fail(1), 400, 'times: at most 1000 messages of a number may be planned to fail')
  })
})
