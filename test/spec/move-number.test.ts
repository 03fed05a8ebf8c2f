import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textOfMessage } from '@postern/simulator/phone/message-text'
import { sealLines } from '../../src/actions/moving/number-file.ts'
import { operatorRoutes } from '../../src/http/routes.ts'
import { type Answer, ask, expectError } from '../harness/client.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { linkNumber, publish, type SandboxNumber } from '../harness/linked-gateway.ts'
import { deviations } from '../harness/openapi.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ROLES = { POSTERN_ROLES: 'api,worker,dispatcher', POSTERN_DISCONNECT_GRACE: '100ms' }
const PASSPHRASE = 'four words are enough'
const ANA = '5511900000001'

/** A gateway with an account, on the network that it shares with the other one. */
interface Home {
  gateway: TestGateway
  account: TestAccount
}

let simulator: Simulator
let receiver: Receiver
let places: Place[]
let here: Home
let there: Home
let number: SandboxNumber

async function openHome(place: Place): Promise<Home> {
  await publish(place, simulator)
  const gateway = await startTestGateway(place, ROLES)
  return { gateway, account: await gateway.account() }
}

beforeAll(async () => {
  simulator = await startSimulator()
  receiver = await startReceiver()
  places = [await newPlace('sqlite'), await newPlace('postgres')]
  here = await openHome(places[0]!)
  there = await openHome(places[1]!)
  const askHere = (method: string, path: string, body?: unknown) => here.account.ask(method, path, body)
  number = await linkNumber(askHere, simulator, receiver.url('/here'), '999100000007')
  await here.account.ask('PATCH', sessionPath(), { label: 'Shop', appear: 'offline' })
  const { json } = await send(here, 'before the move')
  await sent(here, json.message_id)
  await simulator.phone(ANA).sendTo(number.jid, { type: 'text', text: 'before' })
  await receiver.until(() => told('before', '/here'))
})
afterAll(async () => {
  await here.gateway.stop()
  await there.gateway.stop()
  await receiver.close()
  await simulator.close()
  for (const place of places) place.remove()
})

const sessionPath = () => `/v1/sessions/${encodeURIComponent(number.id)}`
const session = async ({ account }: Home) => (await account.ask('GET', sessionPath())).json
const told = (text: string, path: string) =>
  receiver.ledger.some(got => got.path === path && got.body.toString().includes(text))
const exportPath = () => `/operator/sessions/${encodeURIComponent(number.id)}/export`

/** Bytes, which the client of the tests reads as text otherwise. */
async function download({ gateway }: Home, body: object): Promise<{ status: number; bytes: Buffer; error: string }> {
  const answer = await fetch(gateway.url + exportPath(), {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const error = answer.status === 200 ? '' : (JSON.parse(bytes.toString()) as { error: string }).error
  return { status: answer.status, bytes, error }
}

const upload = ({ gateway, account }: Home, bytes: Buffer, passphrase = PASSPHRASE) =>
  ask(gateway.url, 'POST', `/operator/sessions/import?account_id=${account.id}`, {
    key: OPERATOR_TOKEN,
    body: bytes,
    headers: {
      'content-type': 'application/octet-stream',
      'postern-passphrase': Buffer.from(passphrase).toString('base64'),
    },
  })

async function unlikeTheReference(name: string, answer: Answer): Promise<string[]> {
  const route = operatorRoutes.find(({ method, path }) => `${method} ${path}` === name)!
  return deviations((await ask(here.gateway.url, 'GET', '/openapi.json')).json, route, answer)
}

const send = ({ account }: Home, text: string, more: object = {}) =>
  account.ask('POST', '/v1/messages', { session_id: number.id, to: ANA, text, ...more })
const sent = (home: Home, id: string) =>
  until(async () =>
    ['sent', 'delivered', 'read'].includes((await home.account.ask('GET', `/v1/messages/${id}`)).json.state),
  )

async function* textLines(...lines: unknown[]): AsyncGenerator<string> {
  for (const line of lines) yield JSON.stringify(line)
}
async function sealed(...lines: unknown[]): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of sealLines(PASSPHRASE, textLines(...lines))) parts.push(part)
  return Buffer.concat(parts)
}

describe('A number that moves to another gateway', () => {
  let file: Buffer

  it('does not leave while messages wait, unless they may fail, and goes on until then', async () => {
    const later = (await send(here, 'later', { send_at: new Date(Date.now() + 3_600_000).toISOString() })).json
    const refused = await download(here, { passphrase: PASSPHRASE })
    expect(refused).toMatchObject({ status: 400, error: expect.stringContaining('1 messages and changes') })
    expect(await session(here)).toMatchObject({ paused: false, state: 'connected' })
    const left = await download(here, { passphrase: PASSPHRASE, fail_waiting: true })
    expect(left.status).toBe(200)
    file = left.bytes
    expect((await here.account.ask('GET', `/v1/messages/${later.message_id}`)).json).toMatchObject({
      state: 'failed',
      detail: 'the number was moved to another gateway',
    })
  })

  it('is offline before its file exists, and its gateway never connects it again', async () => {
    expect(simulator.numbers().flatMap(({ devices }) => devices.map(({ connected }) => connected))).toEqual([false])
    expect(await session(here)).toMatchObject({
      state: 'logged_out',
      hosted: false,
      reason: 'the number was moved to another gateway',
    })
    await receiver.until(() => told('"event":"logged_out"', '/here'))
    expect((await send(here, 'too late')).status).toBe(409)
    expect((await here.account.ask('POST', `${sessionPath()}/restart`)).status).toBe(400)
  })

  it('has a file that says nothing without its passphrase, and is the same again after a broken download', async () => {
    for (const word of [ANA, number.phone, 'Shop', 'noiseKey', 'device_creds'])
      expect(file.includes(word), word).toBe(false)
    const again = await download(here, { passphrase: PASSPHRASE })
    expect(again.status).toBe(200)
    expect(Math.abs(again.bytes.length - file.length)).toBeLessThan(64)
    file = again.bytes
  })

  it('is not imported from a file that is cut short, changed, of another kind, or with another passphrase', async () => {
    const changed = Buffer.from(file)
    changed[changed.length - 40]! ^= 1
    const files = {
      'the file is incomplete': file.subarray(0, -20),
      'the passphrase is wrong, or the file is damaged': changed,
      'it is not a file of `postern sessions export`': Buffer.from('hello, hello, hello, hello'),
    }
    for (const [words, bytes] of Object.entries(files)) {
      const refused = await upload(there, bytes)
      expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining(words)])
    }
    expectError(
      await upload(there, file, 'another passphrase'),
      400,
      'body: the passphrase is wrong, or the file is damaged',
    )
    expectError(await upload(there, file, 'short'), 400, 'Postern-Passphrase must have 12 to 200 characters, in base64')
    expect((await there.account.ask('GET', sessionPath())).status).toBe(403)
  })

  it('leaves nothing of an import that fails in the middle', async () => {
    const header = {
      session_id: number.jid,
      epoch: 1,
      schema: 1,
      settings: { platform: 'sandbox', phone: '1', device: 1, label: '' },
    }
    const row = { category: 'session', id: 'x', sealed: 'AAAA' }
    const refused = await upload(there, await sealed(header, { table: 'device_keys', row }, { rows: 2 }))
    expect(refused.status).toBe(400)
    for (const table of ['device_keys', 'moved_numbers'])
      expect(await queryPlace(places[1]!, `select session_id from ${table}`)).toEqual([])
    const newer = await upload(there, await sealed({ ...header, schema: 10_000 }))
    expect(newer.json.error).toContain('a newer version of Postern made the file')
  })

  it('connects there without a new link, with its settings and what it knows', async () => {
    await simulator.phone(ANA).sendTo(number.jid, { type: 'text', text: 'on the way' })
    const urls = { messages_url: receiver.url('/there') }
    const imported = await upload(there, file)
    expect(imported.status, imported.text).toBe(201)
    expect(imported.json).toEqual({
      id: number.jid,
      account_id: there.account.id,
      move: 1,
      rows: expect.any(Number),
    })
    const webhook = await there.account.ask('POST', '/v1/webhooks', { session_id: number.id, ...urls })
    expect(webhook.status).toBe(201)
    await until(async () => (await session(there)).state === 'connected')
    expect(await session(there)).toMatchObject({ id: number.id, label: 'Shop', appear: 'offline', paused: false })
    expect(simulator.numbers().flatMap(({ devices }) => devices)).toHaveLength(1)
    const people = { phones: [ANA] }
    const known = (home: Home) => home.account.ask('POST', `${sessionPath()}/people`, people)
    expect((await known(there)).json).toEqual((await known(here)).json)
    expect((await known(there)).json.data[0].lid).toMatch(/@lid$/)
  })

  it('sends and receives there, and what was written meanwhile arrives once', async () => {
    const { json } = await send(there, 'after the move')
    await sent(there, json.message_id)
    await until(() =>
      simulator
        .phone(ANA)
        .inbox()
        .some(({ message }) => textOfMessage(message) === 'after the move'),
    )
    await simulator.phone(ANA).sendTo(number.jid, { type: 'text', text: 'welcome' })
    await receiver.until(() => told('welcome', '/there'))
    expect(told('welcome', '/here')).toBe(false)
    // What was published here is known there, so that nothing is published twice; and phones can request what it sent.
    for (const rows of ["inbox where kind = 'message'", 'sent_messages', 'seen_messages']) {
      const count = async (place: Place) =>
        Number((await queryPlace<{ n: number }>(place, `select count(*) as n from ${rows}`))[0]!.n)
      expect(await count(places[0]!), rows).toBeGreaterThan(0)
      expect(await count(places[1]!), rows).toBeGreaterThan(await count(places[0]!))
    }
  })

  it('is imported once, and not into the gateway that it left', async () => {
    const again = await upload(there, file)
    expect([again.status, again.json.error]).toEqual([400, expect.stringContaining('the file was imported already')])
    const back = await upload(here, file)
    expect([back.status, back.json.error]).toEqual([400, expect.stringContaining('the file was imported already')])
  })

  it('comes back with a new file, to the other kind of database', async () => {
    const left = await download(there, { passphrase: PASSPHRASE })
    expect(left.status, left.error).toBe(200)
    expect(await session(there)).toMatchObject({ state: 'logged_out' })
    const imported = await upload(here, left.bytes)
    expect(imported.json).toMatchObject({ move: 2 })
    expect(await unlikeTheReference('POST /operator/sessions/import', imported)).toEqual([])
    await until(async () => (await session(here)).state === 'connected')
    await sent(here, (await send(here, 'home again')).json.message_id)
    // The first file is older than what both gateways know by now.
    for (const home of [here, there]) expect((await upload(home, file)).status).toBe(400)
  })

  it('runs where it was if it is taken back', async () => {
    const takeBack = () =>
      here.gateway.operator('POST', `/operator/sessions/${encodeURIComponent(number.id)}/take-back`)
    expectError(await takeBack(), 400, 'the number was not moved away')
    expect((await download(here, { passphrase: PASSPHRASE })).status).toBe(200)
    const back = await takeBack()
    expect(back.status).toBe(200)
    expect(await unlikeTheReference('POST /operator/sessions/:id/take-back', back)).toEqual([])
    await until(async () => (await session(here)).state === 'connected')
    await sent(here, (await send(here, 'still here')).json.message_id)
  })
})
