import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import { accountRoutes } from '../../src/http/routes.ts'
import { ask, sendBytes } from '../harness/client.ts'
import { errorFlaws } from '../harness/error-shape.ts'
import { OPERATOR_TOKEN, registerTestSession } from '../harness/gateway.ts'
import {
  type Chance,
  makeChance,
  oddBody,
  oddBytes,
  oddHeaders,
  oddPath,
  oddValue,
} from '../harness/hostile-requests.ts'
import { follow, hostSessions, readyUrl, type Running } from '../harness/process.ts'
import { inSize } from '../harness/matrix.ts'
import { newPlace, openStore, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const REQUESTS = Number(process.env.FUZZ ?? inSize(3_000, 100_000))
const WINDOW = inSize(1_500, 5_000)
const IN_FLIGHT = 24
const SEED = Number(process.env.SEED ?? 20_261_115)

interface Finding {
  what: string
  status: number
  headers?: IncomingHttpHeaders
  body: string
}

interface Target {
  url: string
  key: string
  /** Hosted, so that messages are accepted. */
  session: string
  ids: string[]
}

it(`${REQUESTS} hostile requests cause no 5xx and no crash, every rejection is {"error": …}, and memory grows by less than 10 %`, {
  timeout: inSize(600_000, 1_800_000),
}, async () => {
  const place = await newPlace('sqlite')
  const { running, target } = await startTarget(place)
  const chance = makeChance(SEED)
  const findings: Finding[] = []
  const statuses: Record<number, number> = {}
  let crashed = false
  void running.exited.then(() => (crashed = true))

  const note = (finding: Finding) => {
    statuses[finding.status] = (statuses[finding.status] ?? 0) + 1
    if (finding.status >= 500 || !isProper(finding)) findings.push(finding)
  }
  let sent = 0
  let first: Memory | undefined
  const worker = async (upTo: number) => {
    while (sent < upTo && !crashed) {
      const n = ++sent
      if (n % 40 === 0) (await raw(chance, target)).forEach(note)
      else note(await oneRequest(chance, target))
    }
  }
  for (const upTo of [WINDOW, REQUESTS]) {
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => worker(upTo)))
    first ??= await memoryOf(running, place)
  }
  const last = await memoryOf(running, place)
  const heap = last.heap / first!.heap - 1
  const resident = last.resident / first!.resident - 1
  console.log(
    `${sent} requests, seed ${SEED}: ${JSON.stringify(statuses)}; heap ${mb(first!.heap)} → ${mb(last.heap)} MB (${percent(heap)}), ` +
      `resident without page caches ${mb(first!.resident)} → ${mb(last.resident)} MB (${percent(resident)})`,
  )
  // The gateway's own log has the internal error.
  const log =
    findings.length === 0
      ? ''
      : running
          .stdout()
          .split('\n')
          .filter(line => line.includes('request.failed'))
          .join('\n')
  expect(findings.slice(0, 5), log).toEqual([])
  expect(crashed).toBe(false)
  expect((await ask(target.url, 'GET', '/readyz')).status).toBe(200)
  expect(statuses[202]).toBeGreaterThan(50)
  expect(heap).toBeLessThan(0.1)
  expect(resident).toBeLessThan(0.1)
  running.kill('SIGTERM')
  expect((await running.exited).code).toBe(0)
  place.remove()
})

const mb = (bytes: number): number => Math.round(bytes / 1_048_576)
const percent = (growth: number): string => `${(growth * 100).toFixed(1)} %`

/** Anything below 400; from there on the common shape of errors. */
function isProper({ status, headers = {}, body }: Finding): boolean {
  if (status < 400 || body === '') return true
  try {
    return errorFlaws(JSON.parse(body), status, headers).length === 0
  } catch {
    return false
  }
}

async function startTarget(place: Place): Promise<{ running: Running; target: Target }> {
  const entry = join(import.meta.dirname, '../harness/fuzz-target.mjs')
  const env = {
    PATH: process.env.PATH ?? '',
    POSTERN_PORT: '0',
    POSTERN_ROLES: 'api',
    POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
    POSTERN_LOG_LEVEL: 'error',
    ...place.env,
  }
  const spawned = () =>
    follow(spawn(process.execPath, ['--expose-gc', entry], { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  const preparing = spawned()
  const limits = { messages_per_second: null, messages_per_month: null, requests_per_second: null }
  const body = { name: 'Fuzz', plan: 'max', accept_tos: true, limits }
  const { json } = await ask(await readyUrl(preparing), 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body })
  preparing.kill('SIGTERM')
  await preparing.exited
  const store = await openStore(place)
  const hosted = await registerTestSession(store, json.account.id, true)
  const offline = await registerTestSession(store, json.account.id, false)
  await store.close()
  const running = spawned()
  const url = await readyUrl(running)
  hostSessions(place, hosted.jid)
  const ids = [offline.id, offline.jid, 'key_01', json.account.id, 'msg_01', 'wh_01', 'dlv_01', 'pair_01']
  return { running, target: { url, key: json.api_key.key, session: hosted.id, ids } }
}

interface Memory {
  /** What the gateway's own objects and buffers use. */
  heap: number
  /** What the process uses, without SQLite's page caches. */
  resident: number
}

/** The size that SQLite's page cache of a connection may have: `cache_size`. */
const PAGE_CACHE_BYTES = 16_384 * 1_024
/** The one that writes and the one that reads. */
const CONNECTIONS = 2

/** Measured after a garbage collection. The page caches grow with the database file, up to their limit. */
async function memoryOf(running: Running, place: Place): Promise<Memory> {
  const lines = () => [...running.stderr().matchAll(/^memory (.*)\n/gm)].map(line => line[1]!)
  const before = lines().length
  running.kill('SIGUSR2')
  await until(() => lines().length > before)
  const { heap, resident } = JSON.parse(lines().at(-1)!) as Memory
  const file = statSync(join(place.dataDir, 'postern.db')).size
  return { heap, resident: resident - CONNECTIONS * Math.min(file, PAGE_CACHE_BYTES) }
}

const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
/** These answer only when a worker does, or contact other hosts: here they get nothing that they would accept. */
const NEEDS_MORE = /^POST \/v1\/(pairings|sessions|webhooks\/:id\/test)$/

async function oneRequest(chance: Chance, target: Target): Promise<Finding> {
  const route =
    chance.below(3) === 0
      ? accountRoutes.find(each => each.path === '/v1/messages' && each.method === 'POST')!
      : chance.pick(accountRoutes)
  const method =
    chance.below(25) === 0 ? chance.pick(['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE']) : route.method
  const path = oddPath(chance, route, target.ids)
  const key =
    chance.below(20) === 0
      ? String(JSON.stringify(oddValue(chance)))
          .replace(/[^\x21-\x7e]/g, '')
          .slice(0, 500)
      : target.key
  const hasBody = route.body !== undefined || chance.below(10) === 0
  const body = hasBody ? bodyFor(chance, route, target) : undefined
  return await exchange(target, method, path, key, oddHeaders(chance), body)
}

function bodyFor(chance: Chance, route: Route, target: Target): string | Buffer {
  if (NEEDS_MORE.test(`${route.method} ${route.path}`)) return JSON.stringify({ nonsense: oddValue(chance) })
  const good = { ...(route.example?.body as Record<string, unknown> | undefined) }
  if ('session_id' in good) good.session_id = target.session
  return oddBody(chance, route, good)
}

function exchange(
  target: Target,
  method: string,
  path: string,
  key: string,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
): Promise<Finding> {
  const what = `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 200)} ${String(body).slice(0, 300)}`
  return new Promise(resolve => {
    const asking = request(target.url, {
      method,
      path,
      agent,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    // A rejection before the body is read may cut the connection while it is still being written.
    asking.once('error', error => resolve({ what: `${what} ${error.message}`, status: 0, body: '' }))
    asking.once('response', response => {
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.destroy()
        resolve({ what, status: response.statusCode!, body: '' })
        return
      }
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      const { statusCode, headers } = response
      response.once('close', () => resolve({ what, status: statusCode!, headers, body: method === 'HEAD' ? '' : text }))
    })
    asking.setTimeout(60_000, () => {
      resolve({ what: `no answer: ${what}`, status: 599, body: '' })
      asking.destroy()
    })
    asking.end(body)
  })
}

async function raw(chance: Chance, target: Target): Promise<Finding[]> {
  const bytes = oddBytes(chance, target.key)
  const answer = await sendBytes(target.url, bytes, 2_000)
  const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(match => Number(match[1]))
  return statuses.map(status => ({ what: `raw ${bytes.toString('latin1').slice(0, 200)}`, status, body: '' }))
}
