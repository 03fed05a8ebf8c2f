import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { later } from '../shared/child.mjs'
import { endWithUs } from '../shared/end-with-us.mjs'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const PROGRAM = `import(${JSON.stringify(MAIN)}).then(m => m.main(process.argv.slice(1)))`
const OPERATOR_TOKEN = 'operator-token-of-the-bench'

/** Polls until `look` answers something, and returns that. */
export async function until(look) {
  for (let left = 24_000; left > 0; left--) {
    const found = await look()
    if (found) return found
    await later(5)
  }
  throw new Error(`not within two minutes: ${look}`)
}

/** The compiled gateway as a process of its own; resolves when it says that it is ready. */
export async function startGateway(env) {
  const child = endWithUs(
    spawn(process.execPath, ['-e', PROGRAM, '--', 'start'], {
      env: {
        ...process.env,
        POSTERN_PORT: '0',
        POSTERN_LOG_LEVEL: 'error',
        POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
    'SIGKILL',
  )
  let said = ''
  child.stdout.on('data', chunk => (said += chunk))
  const exited = new Promise(resolve => child.once('exit', resolve))
  const began = performance.now()
  const url = await until(() => /is ready at (http\S+)/.exec(said)?.[1] ?? (said.includes('is ready') && 'none'))
  return {
    url,
    readyMs: performance.now() - began,
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
    /** What the first start prints once, such as the sign-in link. */
    said: pattern => until(() => pattern.exec(said)?.[1]),
    end: async signal => {
      child.kill(signal)
      await exited
    },
  }
}

/** An account without limits at a gateway: asks as it, with its first key. */
export async function openAccount(url) {
  const limits = { messages_per_second: null, messages_per_month: null, requests_per_second: null }
  const body = { name: 'bench', plan: 'max', accept_tos: true, limits }
  const made = await request(url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body })
  const { key } = made.json.api_key
  return {
    key,
    ask: async (method, path, given) => (await request(url, method, path, { key, body: given })).json,
  }
}

export async function request(url, method, path, { key, body, headers = {} } = {}) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, json: text === '' ? undefined : JSON.parse(text) }
}

/** An event stream that is read on and on; `heard` is what came so far. */
export async function openStream(url, path, headers) {
  const answer = await fetch(url + path, { headers })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  const stream = { heard: '', isOver: false }
  const read = async () => {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) stream.heard += chunk
  }
  void read()
    .catch(() => {})
    .finally(() => (stream.isOver = true))
  await until(() => stream.heard.includes('event: ping'))
  return stream
}
