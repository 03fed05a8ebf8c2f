import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountRoutes, operatorRoutes } from '../../dist/http/routes.js'
import { eachOf, later, startChild } from '../shared/child.mjs'
import { WORST } from './worst-requests.mjs'

/**
 * Measures the worst valid request of every route: its cost for the gateway's process, one at a time and a hundred
 * at once. The blocking time of the loop excludes the time in which other programs had the processor.
 */
const OPERATOR = 'operator-token-0123456789'
const [ALONE, AT_ONCE, FEW, ROUNDS] = [5, 100, 4, 3]
/** Measures only routes whose name contains this. */
const only = process.argv[2]
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
const child = startChild(new URL('gateway.mjs', import.meta.url), {
  POSTERN_PORT: '0',
  POSTERN_DATA_DIR: dataDir,
  POSTERN_LOG_LEVEL: 'silent',
  POSTERN_OPERATOR_TOKEN: OPERATOR,
  POSTERN_SIGNUP: 'open',
})
const known = new Set([...accountRoutes, ...operatorRoutes].map(({ method, path }) => `${method} ${path}`))
const missing = [...known].filter(name => WORST[name] === undefined)
if (missing.length > 0) throw new Error(`no worst request is defined for ${missing.join(', ')}`)

try {
  const stage = await openStage()
  console.log('| Route | Worst request | Status | CPU ms | Loop ms | Loop ms, 100 at once | MB | MB, 100 at once |')
  console.log('|---|---|---|---|---|---|---|---|')
  for (const [route, worst] of Object.entries(WORST)) {
    if (only !== undefined && !route.includes(only)) continue
    for (const [label, request] of worst(stage)) console.log(row(route, label, await measure(stage, route, request)))
  }
} finally {
  await child.stop()
  agent.destroy()
  rmSync(dataDir, { recursive: true, force: true })
}

function row(route, label, { status, alone, held, together }) {
  const figures = [alone.cpuMs / ALONE, held.holdMs, together.holdMs].map(value => value.toFixed(1))
  const memory = [alone, together].map(({ rssMb, heapMb }) => Math.max(0, rssMb, heapMb).toFixed(0))
  return `| ${[`\`${route}\``, label, status, ...figures, ...memory].join(' | ')} |`
}

/**
 * Warms up, then measures processor time and memory, then the loop, then many at once. A request blocks the loop in
 * every round: the round with the shortest block contains the least other work of the process.
 */
async function measure(stage, route, request) {
  const [method, path] = route.split(' ')
  const ask = () => send(stage, method, request.path ?? path, request)
  const status = await ask()
  const phase = async (count, atOnce, spin) => {
    await child.ask('begin', { spin })
    await eachOf(Array.from({ length: count }), atOnce, ask)
    if (request.stream) await later(600)
    return await child.ask('end')
  }
  const alone = await phase(ALONE, 1, false)
  const rounds = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await phase(ALONE, 1, true))
  const held = rounds.reduce((least, round) => (round.holdMs < least.holdMs ? round : least))
  const many = request.few ? FEW : AT_ONCE
  const together = await phase(many, many, true)
  return { status, alone, held, together }
}

function send(stage, method, path, { body, raw, operator, open, cookie, headers, stream }) {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const key = operator ? OPERATOR : stage.key
  return new Promise((resolve, reject) => {
    const request = httpRequest(stage.url + path, {
      method,
      agent,
      headers: {
        ...(open || cookie ? {} : { authorization: `Bearer ${key}` }),
        ...(path.startsWith('/portal/') ? { origin: stage.url, ...(cookie ? { cookie: stage.cookie } : {}) } : {}),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    request.once('error', error =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve('closed') : reject(error),
    )
    request.once('response', response => {
      response.resume()
      response.once('end', () => resolve(response.statusCode))
      response.once('error', () => resolve(response.statusCode))
      if (stream && response.statusCode === 200) {
        resolve(200)
        setTimeout(() => request.destroy(), 500)
      }
    })
    request.end(payload)
  })
}

/** An account full of heavy rows, a linked sandbox number, and contacts whose phones hold the maximum. */
async function openStage() {
  const stage = await child.ask('prepare')
  const json = async (method, path, body) => {
    const answer = await fetch(stage.url + path, {
      method,
      headers: { authorization: `Bearer ${stage.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return await answer.json()
  }
  const { id: sandbox, error } = await json('POST', '/v1/sessions', { platform: 'sandbox' })
  if (sandbox === undefined) throw new Error(error)
  const box = tail => `/sandbox/sessions/${encodeURIComponent(sandbox)}${tail}`
  const incoming = (from, more) => json('POST', box('/incoming'), { from, ...more })
  for (let i = 0; i < 100; i++) {
    await incoming('15551230002', { type: 'text', text: 'ж'.repeat(65_536) })
    if (i < 20) await incoming('15551230003', { type: 'document', media: { data: 'A'.repeat(1_040_000) } })
  }
  const session_ids = stage.sessions.map(({ id }) => id)
  for (let i = 0; i < 99; i++) await json('POST', '/v1/keys', { label: '"'.repeat(100), session_ids })
  const signedIn = await fetch(`${stage.url}/portal/api/sign-in`, {
    method: 'POST',
    headers: { origin: stage.url, 'content-type': 'application/json' },
    body: JSON.stringify({ email: stage.email, password: stage.password }),
  })
  const first = encodeURIComponent(stage.sessions[0].id)
  return {
    ...stage,
    sandbox,
    box,
    cookie: signedIn.headers.get('set-cookie')?.split(';')[0],
    own: tail => `/v1/sessions/${first}${tail}`,
    live: tail => `/v1/sessions/${encodeURIComponent(sandbox)}${tail}`,
    hook: tail => `/v1/webhooks/${stage.sessions[0].webhook}${tail}`,
  }
}
