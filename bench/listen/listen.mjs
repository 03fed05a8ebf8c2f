import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { eachOf } from '../shared/child.mjs'

/**
 * Runs `postern listen` while sandbox contacts write, and kills the gateway in the middle. Counts the forwarded events:
 * exits with 1 if an accepted message is missing or was forwarded twice.
 */
const EVENTS = Number(process.env.LISTEN_EVENTS ?? 1_000)
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const dataDir = mkdtempSync(join(tmpdir(), 'postern-listen-'))
const env = { ...process.env, POSTERN_DATA_DIR: dataDir, POSTERN_PORT: '0', POSTERN_LOG_LEVEL: 'error' }

function run(...args) {
  const program = `import(${JSON.stringify(MAIN)}).then(m => m.main(process.argv.slice(1)))`
  const child = spawn(process.execPath, ['-e', program, '--', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { out: '', err: '' }
  child.stdout.on('data', chunk => (output.out += chunk))
  child.stderr.on('data', chunk => (output.err += chunk))
  return { child, output, exited: new Promise(resolve => child.once('close', resolve)) }
}

async function until(look, withinMs = 120_000) {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(20)) {
    const found = await look()
    if (found) return found
  }
  throw new Error(`not within ${withinMs} ms: ${look}`)
}

async function startGateway() {
  const gateway = run('start')
  const url = (await until(() => /is ready at (\S+)/.exec(gateway.output.out)))[1]
  return { ...gateway, url }
}

const forwarded = new Map()
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', chunk => (body += chunk))
  request.on('end', () => {
    const { text } = JSON.parse(body)
    forwarded.set(text, (forwarded.get(text) ?? 0) + 1)
    response.end()
  })
}).listen(0, '127.0.0.1')
await until(() => receiver.listening)

let gateway = await startGateway()
const key = (await until(() => /^export POSTERN_API_KEY=(\S+)/m.exec(gateway.output.out)))[1]
const session = (await until(() => /^export POSTERN_SESSION=(\S+)/m.exec(gateway.output.out)))[1]
const target = `http://127.0.0.1:${receiver.address().port}/`
const listening = run('listen', '--events', 'message', '--forward-to', target)
await until(() => listening.output.err.includes('Listening'))

let unanswered = 0
async function write(text) {
  for (;;) {
    const answer = await fetch(`${gateway.url}/sandbox/sessions/${encodeURIComponent(session)}/incoming`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: `1555${String(1_000_000 + ((text.length + Number(text.split(' ')[1])) % 50))}`,
        type: 'text',
        text,
      }),
    }).catch(() => undefined)
    if (answer?.status === 202) return text
    // It is unknown whether the request succeeded: the next attempt sends another message.
    unanswered++
    text += ' again'
    await sleep(200)
  }
}

const began = performance.now()
let written = 0
let restart = Promise.resolve()
const accepted = await eachOf(
  Array.from({ length: EVENTS }, (_, n) => `message ${n}`),
  8,
  async text => {
    const taken = await write(text)
    if (++written === Math.floor(EVENTS / 2)) restart = killAndStart()
    return taken
  },
)
await restart
async function killAndStart() {
  gateway.child.kill('SIGKILL')
  await gateway.exited
  gateway = await startGateway()
}
await until(() => accepted.every(text => forwarded.has(text)), 180_000).catch(() => {})
// Leave time for duplicates.
await sleep(3_000)
listening.child.kill('SIGINT')
await listening.exited
gateway.child.kill('SIGTERM')
await gateway.exited
receiver.close()
rmSync(dataDir, { recursive: true, force: true })

const missed = accepted.filter(text => !forwarded.has(text))
const doubled = [...forwarded].filter(([, times]) => times > 1)
console.log(
  `${accepted.length} accepted, ${forwarded.size} forwarded, missed ${missed.length}, doubled ${doubled.length}, ` +
    `${unanswered} requests without an answer, ${((performance.now() - began) / 1_000).toFixed(1)} s with one kill`,
)
process.exit(missed.length + doubled.length > 0 ? 1 : 0)
