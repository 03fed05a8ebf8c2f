import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contactOf } from '../shared/contacts.mjs'
import { eachOf, later, quantile, startChild } from '../shared/child.mjs'
import { reportFigure } from '../shared/report-figure.mjs'
import { openStage } from '../shared/stage.mjs'

/**
 * Compares the gateway with the least gateway that one could write (`thin-gateway.mjs`), which keeps nothing, on one
 * simulated network in a process of its own:
 *
 *   send     processor time of a send with its webhooks, and arrivals a second at the phones
 *   receive  processor time of an incoming message with its webhook
 *   idle     processor time a second, and resident memory, of numbers that do nothing, in windows of half a minute
 *   start    time and processor time from the start of the process until it is ready, and resident memory soon after
 *
 * `npm run bench -- thin` measures all of them, `npm run bench -- thin idle` one. Both sides alternate; the 20th percentile
 * of each counts. BENCH_NUMBERS, BENCH_SLICES, BENCH_SLICE and BENCH_IDLE (20,200) make it shorter or longer.
 */
const NUMBERS = Number(process.env.BENCH_NUMBERS ?? 5)
const CLIENTS = 20
const SLICES = Number(process.env.BENCH_SLICES ?? 8)
const SLICE = Number(process.env.BENCH_SLICE ?? 200)
/** The first slices compile code and begin sessions. */
const WARM_UP = 3
const IDLE = (process.env.BENCH_IDLE ?? '20,200').split(',').map(Number)
/** Both sides collect the garbage of linking for a while, which is not the cost of an idle number. */
const SETTLE_MS = 20_000
const IDLE_WINDOWS = 6
/** Longer than the interval of the pings. */
const IDLE_WINDOW_MS = 30_000
const STARTS = 5
const START_SETTLE_MS = 8_000
const POLL_MS = 20
/** The thin gateway loses messages: a slice is over when nothing has come for this long, or nothing at all. */
const QUIET_MS = 3_000
const NOTHING_MS = 20_000
const MB = 1024 * 1024
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })

const parts = { send, receive, idle, start }
const chosen = process.argv.slice(2)
const unknown = chosen.find(name => !(name in parts))
if (unknown !== undefined) {
  console.error('usage: npm run bench -- thin [send] [receive] [idle] [start]')
  process.exit(1)
}
for (const name of chosen.length > 0 ? chosen : Object.keys(parts)) await parts[name]()
process.exit(0)

async function send() {
  const stage = await openBoth(NUMBERS)
  const rounds = await alternate(stage, side => sendSlice(stage, side))
  const [thin, gateway] = [cheap(rounds.thin), cheap(rounds.gateway)]
  const [thinRate, rate] = [fast(rounds.thin), fast(rounds.gateway)]
  console.log(
    `a send with its webhooks: thin ${inMs(thin)}, gateway ${inMs(gateway)}, ratio ${(gateway / thin).toFixed(2)} (must 1.5); ` +
      `arrivals: thin ${Math.round(thinRate)}/s, gateway ${Math.round(rate)}/s, ratio ${(rate / thinRate).toFixed(2)} (must 1.0)`,
  )
  reportFigure('thin-send', gateway / thin)
  reportFigure('thin-arrivals', rate / thinRate)
  await stage.close()
}

async function receive() {
  const stage = await openBoth(NUMBERS)
  const rounds = await alternate(stage, async side => {
    const before = await stage.receiver.count()
    await stage.network.ask('writeMany', { numbers: side.numbers, count: SLICE })
    return await counted([[SLICE, async () => (await stage.receiver.count()) - before]])
  })
  const [thin, gateway] = [cheap(rounds.thin), cheap(rounds.gateway)]
  console.log(
    `an incoming message with its webhook: thin ${inMs(thin)}, gateway ${inMs(gateway)}, ratio ${(gateway / thin).toFixed(2)} (must 1.5)`,
  )
  reportFigure('thin-receive', gateway / thin)
  await stage.close()
}

async function idle() {
  const stage = await openBoth(1)
  const alone = await measureIdle(stage)
  let numbers = 1
  for (const count of IDLE) {
    await stage.add(count - numbers)
    numbers = count
    const [thin, gateway] = (await measureIdle(stage)).map(({ cpu, rss }, i) => ({
      cpu,
      each: (rss - alone[i].rss) / (count - 1),
      rss,
    }))
    const show = ({ cpu, each, rss }) =>
      `${cpu.toFixed(1)} ms/s, ${each.toFixed(2)} MB each after the first, ${Math.round(rss)} MB in all`
    console.log(
      `${count} idle numbers: thin ${show(thin)}; gateway ${show(gateway)}; ` +
        `ratios ${(gateway.cpu / thin.cpu).toFixed(2)} (must 2) and ${(gateway.each / thin.each).toFixed(2)} (must 1.3)`,
    )
    reportFigure(`thin-idle-${count}`, gateway.cpu / thin.cpu)
    reportFigure(`thin-memory-${count}`, gateway.each / thin.each)
  }
  await stage.close()
}

/** For each side: the processor time a second in milliseconds, and the smallest resident memory. */
async function measureIdle({ sides }) {
  const usage = () => Promise.all(sides.map(({ child }) => child.ask('usage')))
  await later(SETTLE_MS)
  const read = [await usage()]
  while (read.length <= IDLE_WINDOWS) {
    await later(IDLE_WINDOW_MS)
    read.push(await usage())
  }
  return sides.map((_, i) => {
    const own = read.map(each => each[i])
    const windows = own.slice(1).map(({ cpuMicros }, n) => cpuMicros - own[n].cpuMicros)
    return { cpu: quantile(windows, 0.2) / IDLE_WINDOW_MS, rss: Math.min(...own.map(({ rss }) => rss)) / MB }
  })
}

/** The program as it is shipped, with the data of an earlier start. */
async function start() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const program = new URL('../../dist/bundled/main.js', import.meta.url)
  const sides = {
    thin: ['bench/thin/thin-gateway.mjs'],
    gateway: ['-e', `import('${program}').then(({ main }) => main(['start']))`],
  }
  const env = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: '0', POSTERN_SANDBOX: 'off' }
  const starts = { thin: [], gateway: [] }
  for (let i = -1; i < STARTS; i++)
    for (const [name, args] of Object.entries(sides)) {
      const one = await measureStart(args, env, i === STARTS - 1)
      if (i >= 0) starts[name].push(one)
    }
  rmSync(dataDir, { recursive: true, force: true })
  const of = (name, field) =>
    quantile(
      starts[name].map(one => one[field]),
      0.2,
    )
  const show = name =>
    `${Math.round(of(name, 'ms'))} ms, ${Math.round(of(name, 'cpuMs'))} ms of processor time, ${Math.round(starts[name].at(-1).mb)} MB`
  const ratio = of('gateway', 'ms') / of('thin', 'ms')
  console.log(`start to ready: thin ${show('thin')}; gateway ${show('gateway')}; ratio ${ratio.toFixed(2)} (must 1.5)`)
  reportFigure('thin-start', ratio)
}

/** The gateway prints a line when it is ready, the thin one sends a message. */
async function measureStart(args, env, isLast) {
  const began = performance.now()
  const root = new URL('../..', import.meta.url)
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = new Promise(resolve => child.once('exit', resolve))
  await new Promise(resolve => {
    child.once('message', resolve)
    child.stdout.on('data', text => String(text).includes('is ready') && resolve())
  })
  const ms = performance.now() - began
  const cpuMs = cpuMsOf(child.pid)
  // The garbage of a start is freed some seconds later.
  if (isLast) await later(START_SETTLE_MS)
  const mb = residentMbOf(child.pid)
  child.kill()
  await ended
  return { ms, cpuMs, mb }
}

/** Ticks of a hundredth of a second in user and system mode. */
function cpuMsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function residentMbOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

/** Both gateways on one network, each with numbers of its own, posting to one receiver. */
async function openBoth(count) {
  const receiver = startReceiver()
  const webhookUrl = await receiver.url()
  const stage = await openStage({ webhookUrl })
  const child = startChild(new URL('thin-gateway.mjs', import.meta.url))
  const thin = { name: 'thin', child, url: await child.ask('url'), key: 'none', numbers: [] }
  const gateway = {
    name: 'gateway',
    child: stage.gateway,
    url: `${stage.url}/v1/messages`,
    key: stage.key,
    numbers: [],
  }
  const add = async more => {
    const devices = await stage.pair(2, more, thin.numbers.length)
    await child.ask('open', { address: stage.address, devices, webhook: webhookUrl })
    thin.numbers.push(...devices.map(({ sessionId }) => sessionId))
    await stage.host(more, gateway.numbers.length)
    gateway.numbers = stage.numbers
  }
  await add(count)
  return {
    sides: [thin, gateway],
    network: stage.network,
    receiver,
    add,
    close: async () => {
      await child.stop()
      await stage.close()
      await receiver.close()
    },
  }
}

/** Runs slices of both sides in turn; returns for each the processor time of one item and the rate. */
async function alternate({ sides }, runSlice) {
  const rounds = { thin: [], gateway: [] }
  for (let i = -WARM_UP; i < SLICES; i++) {
    for (const side of i % 2 === 0 ? sides : sides.toReversed()) {
      const before = await side.child.ask('usage')
      const began = performance.now()
      const { count, atMs } = await runSlice(side)
      const { cpuMicros } = await side.child.ask('usage')
      const rate = count / ((atMs - began) / 1_000)
      if (i >= 0) rounds[side.name].push({ cpu: (cpuMicros - before.cpuMicros) / SLICE, rate })
    }
  }
  return rounds
}

/** Ends when every message has arrived at its phone and three webhooks of each at the receiver, or nothing more comes. */
async function sendSlice({ network, receiver }, side) {
  const [events, phones] = [await receiver.count(), await network.ask('arrived')]
  await eachOf(Array.from({ length: SLICE }), CLIENTS, (_, i) => {
    const n = i % side.numbers.length
    return post(side, {
      session_id: side.numbers[n],
      to: contactOf(n, Math.floor(i / side.numbers.length)),
      text: 'x'.repeat(200),
    })
  })
  return await counted([
    [SLICE, async () => (await network.ask('arrived')) - phones],
    [3 * SLICE, async () => (await receiver.count()) - events],
  ])
}

/** Waits for the wanted counts; returns the first one, and when it was reached. */
async function counted(wanted) {
  const last = wanted.map(() => ({ count: 0, atMs: performance.now() }))
  for (;;) {
    for (const [i, [, read]] of wanted.entries()) {
      const count = await read()
      if (count > last[i].count) last[i] = { count, atMs: performance.now() }
    }
    const isQuiet = last.every(({ count, atMs }) => performance.now() - atMs > (count > 0 ? QUIET_MS : NOTHING_MS))
    if (isQuiet || last.every(({ count }, i) => count >= wanted[i][0])) return last[0]
    await later(POLL_MS)
  }
}

function post({ url, key }, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asked = request(url, { method: 'POST', agent, headers }, response => {
      if (response.statusCode !== 202) reject(new Error(`answered with ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
    asked.once('error', reject)
    asked.end(JSON.stringify(body))
  })
}

function startReceiver() {
  const child = startChild(new URL('receiver.mjs', import.meta.url))
  return { url: () => child.ask('url'), count: () => child.ask('count'), close: () => child.stop() }
}

function cheap(slices) {
  return quantile(
    slices.map(({ cpu }) => cpu),
    0.2,
  )
}

function fast(slices) {
  return quantile(
    slices.map(({ rate }) => rate),
    0.8,
  )
}

function inMs(micros) {
  return `${(micros / 1_000).toFixed(2)} ms`
}
