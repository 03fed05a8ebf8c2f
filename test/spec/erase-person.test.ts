import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { linkNumber, publish, type SandboxNumber } from '../harness/linked-gateway.ts'
import { cells } from '../harness/matrix.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { newPlace, type Place, queryPlace, STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'
import { createSeal } from '../harness/opened-columns.ts'

const ROLES = { POSTERN_ROLES: 'api,worker,dispatcher', POSTERN_RETRY_DELAYS: '50ms,50ms,50ms' }
const ANA = '5511900000001'
const BOB = '5511900000002'

describe.each(cells(STORES))('A person who is erased, on %s', kind => {
  let simulator: Simulator
  let receiver: Receiver
  let place: Place
  let gateway: TestGateway
  let account: TestAccount
  let number: SandboxNumber
  let lid: string
  let repeated: { status: number; message_id: string }

  beforeAll(async () => {
    simulator = await startSimulator()
    receiver = await startReceiver(got => ({ status: got.path === '/broken' ? 500 : 200 }))
    place = await newPlace(kind)
    await publish(place, simulator)
    gateway = await startTestGateway(place, ROLES)
    account = await gateway.account()
    const asked = (method: string, path: string, body?: unknown) => account.ask(method, path, body)
    number = await linkNumber(asked, simulator, receiver.url('/ok'), '999100000017')
    const broken = receiver.url('/broken')
    const kinds = ['message', 'receipt', 'status']
    const endpoint = await account.ask('POST', '/v1/endpoints', {
      url: broken,
      kinds,
      media: 'url',
      include: ['context', 'own'],
    })
    expect(endpoint.status, endpoint.text).toBe(201)
    simulator.phone(ANA).name = 'Ana Canary'
    for (const phone of [ANA, BOB]) {
      expect((await send(phone, `to ${phone}`)).status).toBe(202)
      await simulator.phone(phone).sendTo(number.jid, { type: 'text', text: `from ${phone}` })
      await receiver.until(() => told(`from ${phone}`))
    }
    // Data that names both.
    expect((await send('status@broadcast', 'for two', { audience: [ANA, BOB] })).status).toBe(202)
    const group = simulator.group({ subject: 'Both', owner: BOB, members: [number.phone, ANA] })
    expect((await send(group.jid, 'to both')).status).toBe(202)
    await until(() => simulator.phone(ANA).inbox(group.jid).length > 0)
    await until(async () => (await linesWith('postern-status-audiences')).length > 0)
    await simulator
      .phone(ANA)
      .sendTo(number.jid, { type: 'image', data: Buffer.alloc(2_000, 7), caption: 'her picture' })
    await receiver.until(() => told('her picture'))
    // Another person's message that names her.
    await simulator.phone(BOB).sendTo(number.jid, { type: 'text', text: `call +${ANA} please` })
    await receiver.until(() => told(`call +${ANA}`))
    await account.ask('POST', `${path()}/presence/subscribe`, { contact_jid: ANA })
    await account.ask('GET', `${path()}/contacts/${ANA}`)
    await account.ask('GET', `${path()}/chats`)
    const people = await account.ask('POST', `${path()}/people`, { phones: [ANA] })
    lid = String(people.json.data[0].lid).split('@')[0]!
    expect(lid).toMatch(/^\d{5,}$/)
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const { status, json, text } = await send(ANA, 'later', { send_at: later }, 'the-same-key')
    expect(status, text).toBe(202)
    repeated = { status, message_id: json.message_id }
    // The endpoint is down, so its deliveries wait.
    await until(async () => (await queryPlace(place, 'select id from deliveries where attempt > 0 limit 1')).length > 0)
  })
  afterAll(async () => {
    await gateway.stop()
    await receiver.close()
    await simulator.close()
    place.remove()
  })

  const path = () => `/v1/sessions/${encodeURIComponent(number.id)}`
  const told = (text: string) => receiver.ledger.some(got => got.path === '/ok' && got.body.toString().includes(text))
  const send = (to: string, text: string, more: object = {}, key?: string) =>
    account.ask(
      'POST',
      '/v1/messages',
      { session_id: number.id, to, text, ...more },
      key === undefined ? {} : { 'idempotency-key': key },
    )

  /** Every value of every table, with the content of what is sealed. */
  async function everything(): Promise<string> {
    const open = await createSeal(place)
    const tables = await queryPlace<{ name: string }>(
      place,
      kind === 'sqlite'
        ? "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
        : "select table_name as name from information_schema.tables where table_schema = 'public'",
    )
    const texts: string[] = []
    for (const { name } of tables) {
      for (const row of await queryPlace<Record<string, unknown>>(place, `select * from ${name}`))
        texts.push(`${name} ${open(name, row)}`)
    }
    return texts.join('\n')
  }
  const filesLeft = () => queryPlace(place, 'select id from media where expires_at > 0')
  const linesWith = async (name: string) =>
    (await everything())
      .split('\n')
      .filter(line => line.includes(name))
      .map(line => line.slice(0, 200))

  it('is exported first, with everything that names her', async () => {
    const answer = await account.ask('POST', '/v1/people/export', { jid: `+${ANA}` })
    expect(answer.status).toBe(200)
    const lines = answer.text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { kind: string })
    expect(lines[0]).toEqual({ kind: 'person', names: [ANA, lid] })
    const kinds = new Set(lines.map(each => each.kind))
    for (const each of ['messages', 'received_items', 'history', 'deliveries', 'keys', 'subscriptions', 'references'])
      expect(kinds, each).toContain(each)
    expect(answer.text).toContain('Ana Canary')
    expect(answer.text).not.toContain('chainKey')
    expect((await account.ask('POST', '/v1/people/export', { jid: lid + '@lid' })).text.split('\n')[0]).toContain(ANA)
  })

  // The embedded database answers at once, so nothing else would let the event loop run.
  it.runIf(kind === 'sqlite')('is searched for in parts, and others are served between two of them', async () => {
    const { erasures } = gateway.store
    const { searchRows } = erasures
    let [parts, most, isOver] = [0, 0, false]
    const round = (): void => {
      parts = 0
      if (!isOver) setImmediate(round)
    }
    round()
    erasures.searchRows = search => {
      most = Math.max(most, ++parts)
      return searchRows(search)
    }
    expect((await account.ask('POST', '/v1/people/export', { jid: ANA })).status).toBe(200)
    const other = await gateway.account()
    const { json } = await other.ask('POST', '/v1/people/erase', { jid: '15550001111' })
    await until(async () => (await other.ask('GET', `/v1/people/erase/${json.id}`)).json.state === 'done')
    isOver = true
    erasures.searchRows = searchRows
    // An export and an erasure may each have one.
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(2)
  })

  it('is not erased if she is a number of the account, a group, or nobody', async () => {
    const erase = (jid: unknown) => account.ask('POST', '/v1/people/erase', { jid })
    expectError(await erase(number.jid), 400, 'jid is a number of the account: delete the number instead')
    expectError(await erase('120363000000000001@g.us'), 400, 'jid must be a contact')
    expectError(await erase(''), 400, 'jid must not be empty')
    expect((await account.ask('GET', '/v1/people/erase/job_none')).status).toBe(404)
  })

  it('is not erased by more than five jobs of an account at a time', async () => {
    const other = await gateway.account()
    const asked = await Promise.all(
      Array.from({ length: 6 }, () => other.ask('POST', '/v1/people/erase', { jid: '15550001111' })),
    )
    expect(asked.map(({ status }) => status).sort((a, b) => a - b)).toEqual([202, 202, 202, 202, 202, 429])
  })

  it('is in no row, no sealed content and no free page afterwards', async () => {
    expect((await linesWith(ANA)).length).toBeGreaterThan(10)
    expect(await filesLeft()).toHaveLength(1)
    const { status, json } = await account.ask('POST', '/v1/people/erase', { jid: ANA })
    expect([status, json]).toEqual([
      202,
      {
        id: expect.stringMatching(/^job_/),
        state: 'running',
        erased: {},
        created_at: expect.any(String),
        finished_at: null,
      },
    ])
    const report = async () => (await account.ask('GET', `/v1/people/erase/${json.id}`)).json
    await until(async () => (await report()).state === 'done')
    const { erased } = await report()
    for (const each of ['messages', 'received_items', 'history', 'deliveries', 'keys', 'subscriptions'])
      expect(erased[each], each).toBeGreaterThan(0)
    for (const name of [ANA, lid, 'Ana Canary']) expect(await linesWith(name)).toEqual([])
    if (kind !== 'sqlite') return
    for (const file of readdirSync(place.dataDir).filter(name => name.startsWith('postern.db')))
      for (const name of [ANA, lid]) expect(readFileSync(join(place.dataDir, file)).includes(name), file).toBe(false)
  })

  it('leaves the data of others, and the records of messages without their recipient', async () => {
    expect((await linesWith(BOB)).length).toBeGreaterThan(5)
    const { json } = await account.ask('GET', `/v1/messages/${repeated.message_id}`)
    expect(json).toMatchObject({ state: 'failed', to: '', detail: 'a person whom it named was erased' })
    const again = await send(ANA, 'later', {}, 'the-same-key')
    expectError(again, 400, 'Idempotency-Key was already used with a different request')
  })

  it('is taken out of what names several people, which stays for the others', async () => {
    const of = async (category: string) => (await linesWith(`category=${category}`)).join('\n')
    const bob = simulator.phone(BOB)
    expect(await of('postern-status-audiences')).toMatch(new RegExp(`${bob.digits}|${bob.lid.split('@')[0]!}`))
    expect(await of('postern-group-keys')).toContain('devices')
    expect(await filesLeft()).toEqual([])
  })

  it('can write again, and gets messages, as somebody new', async () => {
    await until(async () => (await account.ask('GET', path())).json.state === 'connected')
    await simulator.phone(ANA).sendTo(number.jid, { type: 'text', text: 'hello again' })
    await receiver.until(() => told('hello again'))
    const { json } = await send(ANA, 'welcome back')
    await until(async () =>
      ['sent', 'delivered', 'read'].includes((await account.ask('GET', `/v1/messages/${json.message_id}`)).json.state),
    )
  })
})
