import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proto } from 'baileys'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aboutCreds, aboutSent } from '../../src/domain/sealed.ts'
import { decodeCreds } from '../../src/platform/whatsapp/device/key-codec.ts'
import { Seal } from '../../src/store/seal.ts'
import { type Canary, canary, createScanner, filesBelow, shapesOf, watchFolder } from '../harness/canaries.ts'
import { type Answer, ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type PostgresServer, startPostgres } from '../harness/postgres.ts'
import { type GatewayProcess, startProcess } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { cells } from '../harness/matrix.ts'
import { type Place, queryPlace, STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

/** The prefix of every content, so that one search finds them all. */
const MARK = `zq${randomBytes(4).toString('hex').slice(0, 7)}`
/** Values that cannot carry the prefix: long enough not to occur by coincidence. */
const EMOJI = '🧑🏿‍🦽‍➡️'
const LATITUDE = '48.137154009'
const PASSWORD = `password ${randomBytes(8).toString('hex')}`
const CONTACT = '15550007777'
const word = (name: string): string => `${MARK} ${name}`

describe.each(cells(STORES))('Secrets and content on %s', kind => {
  let server: PostgresServer | undefined
  let place: Place
  let temporary: string
  const secretKey = randomBytes(32)
  const startedMs = Date.now() - 1_000

  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-canary-'))
    temporary = join(dataDir, 'temporary')
    mkdirSync(temporary)
    mkdirSync(join(dataDir, 'data'))
    if (kind === 'postgres') server = await startPostgres()
    const databaseUrl = server === undefined ? null : await server.createDatabase()
    const env = { POSTERN_DATA_DIR: join(dataDir, 'data'), ...(databaseUrl && { POSTERN_DATABASE_URL: databaseUrl }) }
    const remove = () => rmSync(dataDir, { recursive: true, force: true })
    place = { kind, dataDir: join(dataDir, 'data'), databaseUrl, env, remove }
  })
  afterAll(async () => {
    await server?.stop()
    place.remove()
  })

  /** The files of the database and of the data folder: heap, indexes and log of everything written so far. */
  const files = () => [
    ...filesBelow(place.dataDir),
    ...(server === undefined ? [] : filesBelow(server.folder, startedMs)),
  ]

  it('are in no table, index, database log, log, metric, error, response or temporary file', async () => {
    const receiver = await startReceiver(got => ({ status: got.path === '/broken' ? 500 : 200 }))
    const mark = createScanner([canary('content', MARK)])
    const seenFiles = new Set<string>()
    const isMediaSeen = () => [...seenFiles].some(path => path.includes('postern-media-'))
    const slow = await serveSlowly(Buffer.from(`%PDF-1.7 ${word('page ').repeat(5_000)}`), isMediaSeen)
    const inTemporary = new Set<string>()
    const watch = watchFolder(temporary, (path, bytes) => {
      seenFiles.add(path)
      for (const finding of mark.inBytes(path, bytes)) inTemporary.add(finding)
    })
    const gateway = await startProcess(place, {
      TMPDIR: temporary,
      POSTERN_ROLES: 'api,worker,dispatcher,simulator',
      POSTERN_RETRY_DELAYS: '50ms,50ms,50ms',
      POSTERN_LOG_LEVEL: 'debug',
      POSTERN_SECRET_KEY: secretKey.toString('base64'),
    })
    const everything = await sendEverything(gateway, receiver.url(), slow.url)
    const secrets = [...everything.secrets, ...keyCanaries(secretKey), canary('operator token', OPERATOR_TOKEN)]
    const link = canary('one-time link', /sign-in#(\S+)/.exec(gateway.stdout())![1]!)
    const content = [canary('content', MARK), canary('emoji', EMOJI), canary('latitude', LATITUDE)]
    await receiver.until(ledger => everything.events.every(text => ledger.some(got => got.body.includes(text))))
    await everything.settled()
    // Everything was really delivered, by content and with the signature: an absent value is absent because it is
    // protected.
    expect(receiver.ledger.filter(got => got.body.includes(MARK)).length).toBeGreaterThan(8)

    const metrics = await ask(gateway.url, 'GET', '/metrics', { key: OPERATOR_TOKEN })
    expect(metrics.text).toContain('postern_')
    const scanner = createScanner([...secrets, ...content, link])
    const whileRunning = scanner.inFiles(files())
    gateway.kill('SIGKILL')
    await gateway.exited
    const device = await deviceCanaries(place, secretKey)
    expect(device.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['noise key', 'identity key', 'pre-key', 'media key']),
    )
    const whole = createScanner([...secrets, ...content, link, ...device])
    expect(whileRunning).toEqual([])
    expect(whole.inFiles(files()), 'before a checkpoint').toEqual([])
    if (server !== undefined) await queryPlace(place, 'checkpoint')
    expect(whole.inFiles(files()), 'after a checkpoint').toEqual([])
    expect(whole.inBytes('the tables', await valuesOf(place))).toEqual([])

    expect(whole.inBytes('/metrics', Buffer.from(metrics.text))).toEqual([])
    expect(whole.inBytes('errors', Buffer.from(everything.refusals.map(answer => answer.text).join('\n')))).toEqual([])
    expect(whole.inBytes('the history', Buffer.from(everything.history()))).toEqual([])
    const printed = Buffer.from(gateway.stdout() + gateway.stderr())
    expect(printed.includes('"msg":"request.answered"')).toBe(true)
    // The one-time link is printed for the person who starts the gateway, and nothing else is.
    expect(createScanner([...secrets, ...content, ...device]).inBytes('the log', printed)).toEqual([])

    expect(isMediaSeen()).toBe(true)
    expect([...inTemporary]).toEqual([])
    writeFileSync(join(temporary, 'planted'), `x${word('planted')}`)
    await until(() => inTemporary.size > 0)
    await watch.stop()
    slow.close()
    await receiver.close()
  })

  it('would be found if they were: a canary planted in each place and each encoding is detected', async () => {
    const scanner = createScanner([canary('planted', `${MARK}-planted`)])
    for (const [how, shape] of shapesOf(Buffer.from(`${MARK}-planted`))) {
      const around = Buffer.concat([randomBytes(1_001), shape, randomBytes(999)])
      expect(scanner.inBytes('bytes', around), how).not.toEqual([])
    }
    expect(scanner.inFiles(files())).toEqual([])
    // The name is the key of its table, so that it is also in the index.
    await queryPlace(place, `insert into settings (name, value) values ('${MARK}-planted', 'x')`)
    expect(scanner.inFiles(files()), 'before a checkpoint').not.toEqual([])
    if (server !== undefined) await queryPlace(place, 'checkpoint')
    const found = scanner.inFiles(files())
    expect(found, 'after a checkpoint').not.toEqual([])
    if (server !== undefined) {
      expect(found.some(each => each.includes('/pg_wal/'))).toBe(true)
      expect(new Set(found.filter(each => each.includes('/base/')).map(each => each.split(' in ')[1])).size).toBe(2)
    }
    expect(scanner.inBytes('the tables', await valuesOf(place))).not.toEqual([])
  })
})

const keyCanaries = (key: Buffer): Canary[] => [canary('secret key', key)]

/** A file whose second half is sent only after the first was seen in the temporary folder. */
async function serveSlowly(content: Buffer, isSeen: () => boolean): Promise<{ url: string; close(): void }> {
  const half = content.length >> 1
  const web = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': content.length })
    response.write(content.subarray(0, half))
    const end = () => response.end(content.subarray(half))
    until(isSeen).then(end, end)
  })
  await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(web.address() as AddressInfo).port}/report.pdf`, close: () => void web.close() }
}

interface SentEverything {
  secrets: Canary[]
  /** The values that the receiver must have received. */
  events: string[]
  refusals: Answer[]
  history(): string
  /** Resolves when everything is delivered or dead. */
  settled(): Promise<void>
}

/** Uses every secret and sends every content, in both directions. */
async function sendEverything({ url }: GatewayProcess, receiverUrl: string, mediaUrl: string): Promise<SentEverything> {
  const owner = { name: 'x', plan: 'max', accept_tos: true, email: 'ann@example.com', password: PASSWORD }
  const made = await ask(url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: owner })
  const key = made.json.api_key.key as string
  const refusals: Answer[] = []
  const texts: string[] = []
  const call = async (method: string, path: string, status: number, body?: unknown) => {
    const answer = await ask(url, method, path, { key, body })
    expect(answer.status, answer.text).toBe(status)
    if (status >= 400) refusals.push(answer)
    return answer
  }
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' }
  const credentials = { email: owner.email, password: PASSWORD }
  const signedIn = await ask(url, 'POST', '/portal/api/sign-in', { body: credentials, headers })
  expect(signedIn.status, signedIn.text).toBe(200)
  const cookie = /postern=([^;]+)/.exec(signedIn.headers['set-cookie']![0]!)![1]!
  refusals.push(
    await ask(url, 'POST', '/portal/api/sign-in', { body: { ...credentials, password: `${PASSWORD}x` }, headers }),
    await ask(url, 'GET', '/v1/me', { key: `${key}x` }),
  )

  const session = (await call('POST', '/v1/sessions', 201, { platform: 'sandbox' })).json.id as string
  const urls = { messages_url: `${receiverUrl}ok`, status_url: `${receiverUrl}broken`, events_url: `${receiverUrl}ok` }
  const webhook = (await call('POST', '/v1/webhooks', 201, { session_id: session, ...urls })).json
  const path = `/v1/webhooks/${webhook.id}`
  const rotated = (await call('POST', `${path}/rotate-secret`, 200, { overlap_seconds: 600 })).json
  const of = encodeURIComponent(session)
  await until(async () => (await call('GET', `/v1/sessions/${of}`, 200)).json.state === 'connected')
  const events = await receiveEverything(call, of)
  await sayEverything(call, session, mediaUrl)
  const pending = async (status: string) => {
    const { text, json } = await call('GET', `/v1/deliveries?status=${status}`, 200)
    texts.push(text)
    return json.data.length as number
  }
  return {
    secrets: [
      canary('API key', key.slice(4)),
      canary('webhook secret', webhook.secret.slice(6)),
      canary('rotated secret', rotated.secret.slice(6)),
      canary('password', PASSWORD),
      canary('cookie', cookie),
    ],
    events,
    refusals,
    history: () => texts.join('\n'),
    async settled() {
      await until(async () => (await pending('pending')) === 0 && (await pending('failed')) === 0)
      expect(await pending('dead')).toBeGreaterThan(0)
      expect(await pending('delivered')).toBeGreaterThan(0)
    },
  }
}

type Call = (method: string, path: string, status: number, body?: unknown) => Promise<Answer>

/** Contacts send every content. */
async function receiveEverything(call: Call, session: string): Promise<string[]> {
  const write = async (body: object): Promise<string> => {
    const said = { from: CONTACT, from_name: word('sender'), ...body }
    return (await call('POST', `/sandbox/sessions/${session}/incoming`, 202, said)).json.message_id as string
  }
  const file = {
    mimetype: 'application/pdf',
    filename: word('file.pdf'),
    data: Buffer.from(word('data')).toString('base64'),
  }
  const first = await write({ type: 'text', text: word('text in') })
  await write({ type: 'text', text: word('answer in'), quoted_message_id: first })
  await write({ type: 'edit', text: word('edit in'), edited_message_id: first })
  await write({ type: 'reaction', text: EMOJI, reacted_message_id: first })
  await write({ type: 'document', text: word('caption in'), media: file })
  await write({ type: 'poll', poll: { name: word('question in'), options: [word('option in'), word('other in')] } })
  const at = { latitude: Number(LATITUDE), longitude: 11.57612, name: word('place in'), address: word('address in') }
  await write({ type: 'location', location: at })
  await write({ type: 'button_response', button_response: { id: 'yes', text: word('button in') } })
  await write({ type: 'contact', text: word('contact in') })
  const everything = ['sender', 'text in', 'answer in', 'edit in', 'caption in', 'file.pdf', 'question in', 'option in']
  return [...everything, 'place in', 'address in', 'button in'].map(word).concat(LATITUDE)
}

/** The account sends every content; some requests are wrong. */
async function sayEverything(call: Call, session: string, mediaUrl: string): Promise<void> {
  const to = { session_id: session, to: CONTACT }
  const send = async (body: object) => (await call('POST', '/v1/messages', 202, { ...to, ...body })).json.message_id
  const first = await send({ text: word('text out'), quoted_message_id: 'Q', quoted_text: word('quoted out') })
  const media = { media_type: 'document', media_url: mediaUrl, filename: word('file out'), text: word('caption out') }
  const second = await send(media)
  await send({ poll: { name: word('question out'), options: [word('option out'), word('other out')] } })
  await send({ location: { latitude: Number(LATITUDE), longitude: 1, name: word('place out'), address: word('at') } })
  await send({ contacts: [{ name: word('contact out'), phone: '+15550009999' }] })
  await send({ text: word('above'), buttons: [{ id: 'a', text: word('button') }], footer: word('footer') })
  await send({ text: `${word('look')} http://127.0.0.1:9/${MARK}`, link_preview: true })
  await send({ text: word('later'), send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const stateOf = async (id: string) => (await call('GET', `/v1/messages/${id}`, 200)).json.state as string
  const isOut = (state: string) => ['sent', 'delivered', 'read', 'played'].includes(state)
  for (const id of [first, second]) await until(async () => isOut(await stateOf(id)))
  await call('PATCH', `/v1/messages/${first}`, 202, { text: word('edit out') })
  const encoded = encodeURIComponent(session)
  const reject = { enabled: true, message: word('busy') }
  await call('POST', `/v1/sessions/${encoded}/calls/auto-reject`, 200, reject)
  await call('POST', `/sandbox/sessions/${encoded}/actions`, 202, { action: 'call', from: CONTACT })
  await call('POST', '/v1/messages', 400, { ...to, text: word('wrong'), unknown: word('wrong') })
  await call('POST', '/v1/messages', 400, { ...to, to: word('nobody'), text: word('wrong') })
  await call('POST', '/v1/messages', 400, { ...to, media_type: word('x').slice(0, 20), media_url: word('wrong') })
  await call('GET', `/v1/messages?cursor=${MARK}`, 400)
  await call('GET', `/v1/${MARK}`, 404)
}

/** Data that only the number itself may know, decrypted with the secret key. */
async function deviceCanaries(place: Place, secretKey: Buffer): Promise<Canary[]> {
  const seal = new Seal([secretKey])
  type Row = { session_id: string; platform_id: string; sealed: Uint8Array }
  const [row] = await queryPlace<Row>(place, 'select session_id, sealed from device_creds')
  const creds = decodeCreds(seal.open(row!.sealed, aboutCreds(row!.session_id)))
  const sent = await queryPlace<Row>(place, 'select session_id, platform_id, sealed from sent_messages')
  const mediaKeys = sent.flatMap(({ session_id, platform_id, sealed }) => {
    const message = proto.Message.decode(seal.open(sealed, aboutSent(session_id, platform_id)))
    const { mediaKey } = (message.documentWithCaptionMessage?.message ?? message).documentMessage ?? {}
    return mediaKey ? [canary('media key', mediaKey)] : []
  })
  return [
    canary('noise key', creds.noiseKey.private),
    canary('identity key', creds.signedIdentityKey.private),
    canary('pre-key', creds.signedPreKey.keyPair.private),
    canary('companion key', Buffer.from(creds.advSecretKey, 'base64')),
    ...mediaKeys,
  ]
}

/** Every value of every table: the database may compress in its files what is plain when it is read. */
async function valuesOf(place: Place): Promise<Buffer> {
  const names =
    place.databaseUrl === null
      ? "select name from sqlite_master where type = 'table'"
      : "select table_name as name from information_schema.tables where table_schema = 'public'"
  const parts: Buffer[] = []
  for (const { name } of await queryPlace<{ name: string }>(place, names)) {
    for (const row of await queryPlace(place, `select * from "${name}"`)) {
      for (const value of Object.values(row)) {
        parts.push(value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)), Buffer.from('\n'))
      }
    }
  }
  return Buffer.concat(parts)
}
