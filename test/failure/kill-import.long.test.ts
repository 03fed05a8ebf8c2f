import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { linkNumber, publish, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type GatewayProcess, startProcess } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { newPlace, type Place, queryPlace, STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ROLES = { POSTERN_ROLES: 'api,worker,dispatcher', POSTERN_DISCONNECT_GRACE: '100ms' }
const PASSPHRASE = 'four words are enough'
const ANA = '5511900000001'
/** So many that the file has several pieces. */
const REMEMBERED = 6_000

describe.each(STORES)('A gateway on %s that is killed while it imports a number', kind => {
  let simulator: Simulator
  let receiver: Receiver
  let here: TestGateway
  let account: TestAccount
  let there: Place
  let gateway: GatewayProcess
  let other: { id: string; key: string }
  let number: SandboxNumber
  let file: Buffer

  beforeEach(async () => {
    simulator = await startSimulator()
    receiver = await startReceiver()
    const place = await newPlace('sqlite')
    there = await newPlace(kind)
    for (const each of [place, there]) await publish(each, simulator)
    here = await startTestGateway(place, ROLES)
    account = await here.account()
    const askHere = (method: string, path: string, body?: unknown) => account.ask(method, path, body)
    number = await linkNumber(askHere, simulator, receiver.url('/here'), '999100000009')
    await queryPlace(
      place,
      `insert into seen_messages (session_id, message_id, chat_jid, sender_jid, from_me, secret, expires_at)
       select '${number.jid}', 'SEEN' || n, '${ANA}@s.whatsapp.net', '${ANA}@s.whatsapp.net', 0, null, 9000000000000
       from (with recursive c(n) as (select 1 union all select n + 1 from c where n < ${REMEMBERED}) select n from c)
       returning message_id`,
    )
    gateway = await startProcess(there, ROLES)
    const body = { name: 'there', plan: 'max', accept_tos: true }
    const made = await ask(gateway.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body })
    other = { id: made.json.account.id, key: made.json.api_key.key }
    file = await download()
  })
  afterEach(async () => {
    gateway.kill('SIGKILL')
    await gateway.exited
    await here.stop()
    await receiver.close()
    await simulator.close()
    there.remove()
  })

  const sessionPath = () => `/v1/sessions/${encodeURIComponent(number.id)}`
  const askThere = (method: string, path: string, body?: unknown) =>
    ask(gateway.url, method, path, { key: other.key, body })
  const importPath = () => `/operator/sessions/import?account_id=${other.id}`
  const importHeaders = {
    'content-type': 'application/octet-stream',
    'postern-passphrase': Buffer.from(PASSPHRASE).toString('base64'),
  }
  const importFile = () =>
    ask(gateway.url, 'POST', importPath(), { key: OPERATOR_TOKEN, body: file, headers: importHeaders })

  async function download(): Promise<Buffer> {
    const answer = await fetch(`${here.url}/operator/sessions/${encodeURIComponent(number.id)}/export`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ passphrase: PASSPHRASE }),
    })
    expect(answer.status).toBe(200)
    return Buffer.from(await answer.arrayBuffer())
  }

  /** Sends the beginning of the file, and no more. */
  function importPartOf(bytes: number): void {
    const headers = { ...importHeaders, authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-length': file.length }
    const sending = request(gateway.url + importPath(), { method: 'POST', headers })
    sending.on('error', () => {})
    sending.write(file.subarray(0, bytes))
  }

  const countThere = async (what: string): Promise<number> =>
    Number((await queryPlace<{ n: number }>(there, `select count(*) as n from ${what}`))[0]!.n)

  async function killAndStart(): Promise<void> {
    gateway.kill('SIGKILL')
    await gateway.exited
    gateway = await startProcess(there, ROLES)
  }

  /** It is online once, there, and what was written to it meanwhile arrives once. */
  async function livesThere(): Promise<void> {
    const url = receiver.url('/there')
    expect((await askThere('POST', '/v1/webhooks', { session_id: number.id, messages_url: url })).status).toBe(201)
    await simulator.phone(ANA).sendTo(number.jid, { type: 'text', text: 'welcome' })
    await receiver.until(ledger => ledger.some(({ body }) => body.toString().includes('welcome')))
    const got = receiver.ledger.filter(({ body }) => /"text":"(welcome)"/.test(body.toString()))
    expect(got.map(({ path }) => path)).toEqual(['/there'])
    expect((await askThere('GET', sessionPath())).json.state).toBe('connected')
    expect((await account.ask('GET', sessionPath())).json.state).toBe('logged_out')
    expect(simulator.numbers().flatMap(({ devices }) => devices.map(({ connected }) => connected))).toEqual([true])
    expect(await countThere(`seen_messages where message_id like 'SEEN%'`)).toBe(REMEMBERED)
  }

  test('has no number before the last commit of the import, and imports the same file again', async () => {
    importPartOf(file.length - 100_000)
    await until(async () => (await countThere('seen_messages')) > 0)
    await killAndStart()
    expect((await askThere('GET', sessionPath())).status).toBe(403)
    expect((await account.ask('GET', sessionPath())).json.state).toBe('logged_out')
    expect(simulator.numbers().flatMap(({ devices }) => devices.map(({ connected }) => connected))).toEqual([false])
    const early = await importFile()
    expect([early.status, early.json.error]).toEqual([400, expect.stringContaining('is being imported now')])
    await queryPlace(there, 'update moved_numbers set importing_at = importing_at - 30000 returning epoch')
    const imported = await importFile()
    expect(imported.status, imported.text).toBe(201)
    await until(async () => (await askThere('GET', sessionPath())).json.state === 'connected')
    await livesThere()
  })

  test('has the number after the last commit of the import, even without a response, and rejects the same file', async () => {
    const lost = importFile().catch(() => undefined)
    await until(async () => (await countThere('sessions')) === 1)
    await killAndStart()
    await lost
    const again = await importFile()
    expect([again.status, again.json.error]).toEqual([400, expect.stringContaining('the file was imported already')])
    await until(async () => (await askThere('GET', sessionPath())).json.state === 'connected')
    await livesThere()
  })
})
