import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from '../../scripts/build.mjs'
import { eachOf, startChild } from '../shared/child.mjs'
import { sandboxNumbers } from '../shared/contacts.mjs'
import { helpIfAsked } from '../../scripts/shared/help.mjs'

/**
 * Contacts send arbitrary stanzas to numbers that also get ordinary messages; a seed determines all of them. At the
 * end every ordinary message must have arrived once, no link may have ended, every event must match its schema,
 * everything must be confirmed to the platform, and memory must not grow. Exits with 1 otherwise.
 *
 *   npm run fuzz          FUZZ_MESSAGES (200000), FUZZ_NUMBERS (20), FUZZ_SEED (today), FUZZ_ONLY (part of a class's name)
 */
helpIfAsked(import.meta.url)
const MESSAGES = Number(process.env.FUZZ_MESSAGES ?? 200_000)
const NUMBERS = Number(process.env.FUZZ_NUMBERS ?? 20)
const SEED = process.env.FUZZ_SEED ?? new Date().toISOString().slice(0, 10)
const REPORTS = 20
/** How much the heaps may grow from the first tenth to the end. */
const GROWTH = 1.15
const MB = 1024 * 1024

await build({ quiet: true })
compileHarness()
const { fuzz } = await import('../../dist/wire-fuzz/test/harness/wire-fuzz/run.js')
const { startEventReceiver } = await import('../../dist/wire-fuzz/test/harness/wire-fuzz/event-receiver.js')
const { encodeStanza } = await import('../../dist/wire-fuzz/test/harness/wire-fuzz/encode-stanza.js')
const { startOpenSimulator } = await import('@postern/simulator')
const { systemClock } = await import('../../dist/runtime/clock.js')
const { createWhatsApp } = await import('../../dist/platform/whatsapp/whatsapp.js')

const dataDir = mkdtempSync(join(tmpdir(), 'postern-fuzz-'))
const simulator = await startOpenSimulator({ encode: encodeStanza })
const receiver = await startEventReceiver()
const gateway = startChild(new URL('../shared/sandbox-gateway.mjs', import.meta.url), {
  POSTERN_DATA_DIR: dataDir,
  POSTERN_PORT: '0',
  POSTERN_ROLES: 'api,worker,dispatcher',
  POSTERN_SANDBOX: 'on',
  POSTERN_LOG_LEVEL: 'error',
})
const { url: network, rootKey, mediaCa, mediaHost } = simulator
await gateway.ask('findNetwork', { url: network, rootKey, mediaCa, mediaHost })
const { url, key } = await gateway.ask('register')
const numbers = sandboxNumbers(5, NUMBERS)
const adopted = await gateway.ask('adopt', { devices: await pairAll(), webhookUrl: receiver.url, sendsAll: true })
for (const { webhookId, secret } of adopted) receiver.secrets.set(webhookId, secret)
await gateway.ask('untilConnected', NUMBERS)
console.log(`${MESSAGES} hostile messages to ${NUMBERS} numbers, seed ${SEED}`)

const began = performance.now()
let before
let reportAt = 0
const report = await fuzz({
  simulator,
  receiver,
  numbers,
  seed: SEED,
  messages: MESSAGES,
  only: process.env.FUZZ_ONLY ?? '',
  stuckMs: Number(process.env.FUZZ_STUCK_MS ?? 60_000),
  write,
  follow,
  onProgress: progress,
})
const seconds = (performance.now() - began) / 1000
const after = await gateway.ask('memory')
const series = await readSeries()
await gateway.stop()
await simulator.close()
await receiver.close()
rmSync(dataDir, { recursive: true, force: true })
process.exit(conclude() ? 0 : 1)

/** Compiles the tests' harness, which runs here without the tests. */
function compileHarness() {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const command = ['node_modules/typescript/bin/tsc', '-p', 'bench/fuzz/tsconfig.json']
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}

async function pairAll() {
  const platform = await createWhatsApp({
    clock: systemClock,
    network: { kind: 'sandbox', url: network, rootKey, mediaCa, mediaHost },
    ackTimeoutMs: 5_000,
  })
  const never = new AbortController().signal
  return await eachOf(numbers, 4, number =>
    platform.pair(
      { method: 'qr' },
      step => step.kind === 'qr' && simulator.linkByQr(step.qr, number).catch(() => {}),
      never,
    ),
  )
}

async function ask(path, body) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status >= 300) throw new Error(`${path} was answered with ${answer.status}`)
}

async function follow(number, contact) {
  await ask(`/v1/sessions/${number}@s.whatsapp.net/presence/subscribe`, { contact_jid: `${contact}@s.whatsapp.net` })
}

async function write(number, contact) {
  await ask('/v1/messages', { session_id: `${number}@s.whatsapp.net`, to: contact, text: 'Hello' })
  await simulator.until(() => simulator.phone(contact).inbox().length > 0, 20_000)
}

async function progress(done) {
  if (done >= MESSAGES / 10 && before === undefined) before = await gateway.ask('memory')
  if (done < reportAt) return
  reportAt += MESSAGES / REPORTS
  const rate = done / ((performance.now() - began) / 1000)
  const counts = `${done} sent, ${rate.toFixed(0)} a second, ${receiver.total()} events, ${receiver.wrong.length} wrong`
  console.log(`${counts}, ${describe(await gateway.ask('memory'))}`)
}

/** The outcomes of stanzas in `/metrics`. */
async function readSeries() {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter(line => line.startsWith('postern_stanzas_total{'))
  return lines.map(line => /outcome="([^"]*)",reason="([^"]*)"} (\d+)/.exec(line)).filter(Boolean)
}

function conclude() {
  const { innocent, linksDropped, unconfirmed, wrong } = report
  const held = ({ heaps }) => heaps.reduce((sum, each) => sum + each, 0)
  const flat = before === undefined || held(after) <= held(before) * GROWTH
  const lines = {
    seed: SEED,
    took: `${seconds.toFixed(0)} s, ${(MESSAGES / seconds).toFixed(0)} a second`,
    'hostile, by class': listed(Object.entries(report.hostile)),
    innocent: `${innocent.sent} sent, ${innocent.delivered} delivered`,
    'innocent lost': named(innocent.lost),
    'innocent doubled': named(innocent.doubled),
    'innocent misplaced': named(innocent.misplaced),
    'links dropped': named(linksDropped),
    unconfirmed: named(unconfirmed),
    'events wrong': named(wrong),
    'events delivered': `${receiver.total()} (${listed(receiver.kinds)})`,
    'stanzas dropped, by reason': listed(
      series.filter(([, outcome]) => outcome === 'dropped').map(([, , ...rest]) => rest),
    ),
    poison: series.find(([, , reason]) => reason === 'poison')?.[3] ?? 0,
    memory: `${before ? describe(before) : '-'}; then ${describe(after)}`,
    flat,
  }
  for (const [name, value] of Object.entries(lines)) console.log(`${name}: ${value}`)
  const faults = [innocent.lost, innocent.doubled, innocent.misplaced, linksDropped, unconfirmed, wrong]
  return flat && innocent.sent > 0 && faults.every(list => list.length === 0)
}

function listed(entries) {
  return [...entries].map(([name, count]) => `${count} ${name}`).join(', ')
}

/** The count, and the first distinct items. */
function named(list) {
  return list.length === 0 ? '0' : `${list.length} (${[...new Set(list)].slice(0, 20).join('; ')})`
}

function describe({ heaps, rss }) {
  return `${heaps.map(inMb).join(' + ')} MB in use, ${inMb(rss)} MB resident`
}

function inMb(bytes) {
  return (bytes / MB).toFixed(1)
}
