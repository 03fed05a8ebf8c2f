import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { blackPng } from '../harness/pictures.ts'
import { type GatewayProcess, startProcess } from '../harness/process.ts'
import { inSize } from '../harness/matrix.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const MB = 1024 * 1024
const PEAK_GROWTH = 150 * MB
const PASSWORD = 'a password of good length'
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="30000"><rect width="9" height="9"/></svg>'
const FILES: Record<string, { type: string; body: Buffer }> = {
  '/huge.png': { type: 'image/png', body: blackPng({ width: 16_000, height: 16_000, interlaced: true }) },
  '/deep.png': { type: 'image/png', body: blackPng({ width: 7_000, height: 7_000, interlaced: true, deep: true }) },
  '/usual.png': { type: 'image/png', body: blackPng({ width: 4_000, height: 3_000 }) },
  '/drawing.png': { type: 'image/png', body: Buffer.from(SVG) },
  '/broken.png': { type: 'image/png', body: blackPng({ width: 40, height: 40 }).subarray(0, 20) },
  '/torn.jpg': { type: 'image/jpeg', body: Buffer.concat([Buffer.from('ffd8ffe1ffff', 'hex'), Buffer.alloc(90, 255)]) },
  '/cut.webp': { type: 'image/webp', body: Buffer.from('RIFF\xff\xff\xff\xffWEBPVP8X\xff', 'latin1') },
}

let files: Server
let base: string
let place: Place
let gateway: GatewayProcess
let key: string
let sessionId: string

beforeAll(async () => {
  files = createServer((request, response) => {
    const file = FILES[request.url!.split('?')[0]!]!
    response.writeHead(200, { 'content-type': file.type }).end(file.body)
  })
  await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  place = await newPlace('sqlite')
  gateway = await startProcess(place, { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
  const account = await ask(gateway.url, 'POST', '/operator/accounts', {
    key: OPERATOR_TOKEN,
    body: {
      name: 'Pictures',
      plan: 'max',
      accept_tos: true,
      email: 'pictures@example.com',
      password: PASSWORD,
      limits: { messages_per_second: null, messages_burst: null, requests_per_second: null, requests_burst: null },
    },
  })
  key = account.json.api_key.key
  const session = await call('POST', '/v1/sessions', { platform: 'sandbox' })
  sessionId = session.json.id
  // By then the engine and the first sign-in have loaded what they need.
  await outcome(await send('/usual.png'))
  await signIn()
})
afterAll(async () => {
  gateway.kill('SIGTERM')
  await gateway.exited
  files.closeAllConnections()
  await new Promise(resolve => files.close(resolve))
  place.remove()
})

const call = (method: string, path: string, body?: unknown) =>
  ask(gateway.url, method, path, { key, ...(body === undefined ? {} : { body }) })

let sent = 0
async function send(path: string, to = '15551230001'): Promise<string> {
  const media = { media_type: 'image', media_url: `${base}${path}?${++sent}` }
  const answer = await call('POST', '/v1/messages', { session_id: sessionId, to, ...media })
  expect(answer.status, answer.text).toBe(202)
  return answer.json.message_id
}

const outcome = (id: string): Promise<Answer['json']> =>
  until(async () => {
    const { json } = await call('GET', `/v1/messages/${id}`)
    return json.state === 'queued' ? undefined : json
  })

async function signIn(): Promise<void> {
  const answer = await ask(gateway.url, 'POST', '/portal/api/sign-in', {
    body: { email: 'pictures@example.com', password: PASSWORD },
    headers: { origin: gateway.url },
  })
  expect(answer.status, answer.text).toBe(200)
}

/** The peak memory of the process so far. */
const peak = (): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))![1]) * 1024

describe('A picture that is a small file and huge when decoded', () => {
  test.each([
    ['of 256 million pixels', '/huge.png'],
    ['of 49 million pixels of eight bytes', '/deep.png'],
  ])('%s is sent, while the gateway’s memory stays constant and sign-in answers', async (_, path) => {
    const before = peak()
    const id = await send(path)
    await signIn()
    expect(await outcome(id)).toMatchObject({ state: expect.stringMatching(/sent|delivered|read/) })
    expect(peak() - before).toBeLessThan(PEAK_GROWTH)
  })

  const MANY = inSize(8, 100)
  test('is sent even if there are many at once, while the gateway’s memory stays constant and sign-in answers', async () => {
    const before = peak()
    const people = Array.from({ length: MANY }, (_, i) => `1555124${String(i).padStart(4, '0')}`)
    const ids = await Promise.all(people.map((to, i) => send(i % 10 === 0 ? '/deep.png' : '/huge.png', to)))
    await signIn()
    for (const id of ids) expect((await outcome(id)).state).toMatch(/sent|delivered|read/)
    // The sandbox keeps the files in the same process.
    const held = ids.length * FILES['/huge.png']!.body.length
    expect(peak() - before).toBeLessThan(PEAK_GROWTH + 2 * held)
  })
})

test('no picture is decoded in the gateway’s own process', async () => {
  expect((await outcome(await send('/usual.png'))).state).toMatch(/sent|delivered|read/)
  expect(readFileSync(`/proc/${gateway.pid}/maps`, 'utf8')).not.toContain('libvips')
})

test('a vector drawing that is declared as a picture is MEDIA_FAILED', async () => {
  expect(await outcome(await send('/drawing.png'))).toMatchObject({ state: 'failed', reason: 'MEDIA_FAILED' })
})

test.each(['/broken.png', '/torn.jpg', '/cut.webp'])(
  'a picture with a damaged header is sent unchanged: %s',
  async path => {
    expect((await outcome(await send(path))).state).toMatch(/sent|delivered|read/)
  },
)
