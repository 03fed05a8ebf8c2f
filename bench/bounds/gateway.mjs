import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { later } from '../shared/child.mjs'
import { killOnExit } from '../shared/kill-on-exit.mjs'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const PROGRAM = `import(${JSON.stringify(MAIN)}).then(m => m.main(process.argv.slice(1)))`
const OPERATOR_TOKEN = 'operator-token-of-the-bench'

/** Polls until `look` returns a truthy value, and returns that. */
export async function until(look) {
  for (let left = 24_000; left > 0; left--) {
    const found = await look()
    if (found) return found
    await later(5)
  }
  throw new Error(`not within two minutes: ${look}`)
}

/** The compiled gateway as a separate process; resolves when it reports that it is ready. */
export async function startGateway(env) {
  const child = killOnExit(
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
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  const exited = new Promise(resolve => child.once('exit', resolve))
  const began = performance.now()
  const url = await until(() => /is ready at (http\S+)/.exec(output)?.[1] ?? (output.includes('is ready') && 'none'))
  return {
    url,
    readyMs: performance.now() - began,
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
    /** Waits for output that matches, such as the sign-in link of the first start. */
    output: pattern => until(() => pattern.exec(output)?.[1]),
    end: async signal => {
      child.kill(signal)
      await exited
    },
  }
}

/** Creates an account without limits; returns a client with its first key. */
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

/** Reads an event stream continuously; `received` is the text so far. */
export async function openStream(url, path, headers) {
  const answer = await fetch(url + path, { headers })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  const stream = { received: '', isOver: false }
  const read = async () => {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) stream.received += chunk
  }
  void read()
    .catch(() => {})
    .finally(() => (stream.isOver = true))
  await until(() => stream.received.includes('event: ping'))
  return stream
}
