import { Agent, request } from 'node:http'
import { later, quantile, startChild } from '../shared/child.mjs'
import { reportFigure } from '../shared/report-figure.mjs'
import { CONTACTS, contactOf } from '../shared/contacts.mjs'
import { openStage } from '../shared/stage.mjs'

/**
 * Measures sending numbers, compared with the bare engine on the same simulated network:
 *
 *   send    messages a second, from queued to acknowledged, with immediate acks and with acks after 100 ms
 *   memory  memory of an idle number, and how long all take to log in after a restart
 *   api     how long requests take while all numbers send at full rate
 *
 * `npm run bench -- send` measures all three, `npm run bench -- send memory` one. BENCH_NUMBERS, BENCH_SECONDS and
 * BENCH_ROUNDS make it shorter, BENCH_ACKS_MS (0,100) and BENCH_IDLE (200) too; with BENCH_RECEIPTS=off contacts
 * send no receipts.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SENDING = Number(process.env.BENCH_NUMBERS ?? 20)
const IDLE = Number(process.env.BENCH_IDLE ?? process.env.BENCH_NUMBERS ?? 200)
const ACKS_MS = (process.env.BENCH_ACKS_MS ?? '0,100').split(',').map(Number)
const RECEIPTS = process.env.BENCH_RECEIPTS !== 'off'
const WARM_UP = 4 * CONTACTS
const ASK_EVERY_MS = 10
/** With fewer requests the p99 would rest on one or two of them. */
const ASK_SECONDS = Math.max(10, SECONDS)
const MB = 1024 * 1024

const parts = { send, memory, api }
const chosen = process.argv.slice(2)
const unknown = chosen.find(name => !(name in parts))
if (unknown !== undefined) {
  console.error('usage: npm run bench -- send [send] [memory] [api]')
  process.exit(1)
}
for (const name of chosen.length > 0 ? chosen : Object.keys(parts)) await parts[name]()

async function send() {
  for (const ackDelayMs of ACKS_MS) {
    const stage = await openStage({ ackDelayMs, receipts: RECEIPTS })
    const { address, gateway } = stage
    const bare = startChild(new URL('bare-engine.mjs', import.meta.url))
    await stage.host(SENDING)
    const devices = await stage.pair(2, SENDING)
    await bare.ask('open', { address, devices })
    // By number first: a hidden identifier works only after it was given out.
    await sendQueued(gateway, CONTACTS)
    await bare.ask('send', CONTACTS)
    await stage.answer(devices.map(device => device.sessionId))
    await stage.answer(stage.numbers)
    await sendQueued(gateway, WARM_UP)
    const { rate } = await bare.ask('send', WARM_UP)
    const rates = { bare: [], gateway: [] }
    const perNumber = Math.max(WARM_UP, Math.ceil((rate * SECONDS) / SENDING))
    for (let round = 0; round < ROUNDS; round++) {
      rates.bare.push(await bare.ask('send', perNumber))
      rates.gateway.push(await sendQueued(gateway, perNumber))
      const [b, g] = [rates.bare.at(-1), rates.gateway.at(-1)]
      console.log(`acks after ${ackDelayMs} ms, round ${round + 1}: bare ${describe(b)}   gateway ${describe(g)}`)
    }
    const median = name =>
      quantile(
        rates[name].map(each => each.rate),
        0.5,
      )
    const ratio = median('gateway') / median('bare')
    console.log(
      `acks after ${ackDelayMs} ms, ${SENDING} numbers, median: bare ${Math.round(median('bare'))}/s, ` +
        `gateway ${Math.round(median('gateway'))}/s, ratio ${ratio.toFixed(2)} (must 1.3)`,
    )
    if (ackDelayMs === 0) reportFigure('send-engine', ratio)
    await bare.stop()
    await stage.close()
  }
}

async function sendQueued(gateway, perNumber) {
  await gateway.ask('queue', perNumber)
  return await gateway.ask('drain')
}

function describe({ rate, cpuMicros }) {
  return `${Math.round(rate)}/s (${Math.round(cpuMicros)} µs of CPU each)`
}

/** The memory of one number: the difference between a process with one number and one with all. */
async function memory() {
  const stage = await openStage({ receipts: RECEIPTS })
  const bare = startChild(new URL('bare-engine.mjs', import.meta.url))
  const [alone, ...others] = await stage.pair(2, IDLE)
  await bare.ask('open', { address: stage.address, devices: [alone], keysOnDisk: true })
  await stage.host(1)
  const before = await weigh(bare, stage.gateway)
  await bare.ask('open', { address: stage.address, devices: others, keysOnDisk: true })
  await stage.host(IDLE - 1, 1)
  await later(5_000)
  const after = await weigh(bare, stage.gateway)
  const each = after.map(({ rss }, i) => (rss - before[i].rss) / (IDLE - 1))
  const heap = after.map(({ heaps }, i) => (sum(heaps) - sum(before[i].heaps)) / (IDLE - 1))
  console.log(
    `an idle number of ${IDLE}: bare ${inKb(each[0])} (heap ${inKb(heap[0])}), gateway ${inKb(each[1])} ` +
      `(heap ${inKb(heap[1])}), ratio ${(each[1] / each[0]).toFixed(2)} (must 1.2); ` +
      `all of the gateway ${(after[1].rss / MB).toFixed(0)} MB`,
  )
  reportFigure('idle-number', each[1] / each[0])
  const bareMs = await bare.ask('reopen')
  await stage.gateway.stop()
  const began = performance.now()
  stage.start()
  await stage.gateway.ask('untilConnected', IDLE)
  const ms = performance.now() - began
  console.log(
    `after a restart: ${IDLE} numbers connected ${inSeconds(ms)} after the start of the process; ` +
      `bare ${inSeconds(bareMs)} without its start`,
  )
  await bare.stop()
  await stage.close()
}

async function weigh(...children) {
  return await Promise.all(children.map(child => child.ask('memory')))
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

function inKb(bytes) {
  return `${Math.round(bytes / 1024)} KB`
}

function inSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}

async function api() {
  const stage = await openStage({ receipts: RECEIPTS })
  const { gateway } = stage
  await stage.host(SENDING)
  await sendQueued(gateway, CONTACTS)
  await stage.answer(stage.numbers)
  const { rate } = await sendQueued(gateway, WARM_UP)
  await askFor(stage, 1)
  await later(2_000)
  const idle = await askFor(stage, ASK_SECONDS)
  const dueAt = await gateway.ask('queue', Math.ceil((rate * (ASK_SECONDS + 2)) / SENDING))
  const drained = gateway.ask('drain')
  await later(dueAt + 1_000 - Date.now())
  const busy = await askFor(stage, ASK_SECONDS)
  const sending = await drained
  for (const name of Object.keys(idle)) {
    const [p99Idle, p99Busy] = [quantile(idle[name], 0.99), quantile(busy[name], 0.99)]
    console.log(
      `${name}: p99 ${p99Idle.toFixed(1)} ms idle, ${p99Busy.toFixed(1)} ms while ${SENDING} numbers send ` +
        `${Math.round(sending.rate)}/s, ratio ${(p99Busy / p99Idle).toFixed(1)} (must 2); ` +
        `p50 ${quantile(idle[name], 0.5).toFixed(1)} and ${quantile(busy[name], 0.5).toFixed(1)} ms`,
    )
  }
  const worst = Math.max(...Object.keys(idle).map(name => quantile(busy[name], 0.99) / quantile(idle[name], 0.99)))
  reportFigure('api-busy', worst)
  await stage.close()
}

/** Sends requests at a steady rate and measures each response time. */
async function askFor({ url, key, numbers }, seconds) {
  const agent = new Agent({ keepAlive: true })
  const times = { 'POST /v1/messages': [], 'GET /v1/sessions': [] }
  const asked = []
  const stopAt = performance.now() + seconds * 1000
  const body = { session_id: numbers[0], to: contactOf(0, 0), text: 'later', send_at: inAnHour() }
  for (let turn = 0; performance.now() < stopAt; turn++) {
    const name = Object.keys(times)[turn % 2]
    const began = performance.now()
    asked.push(call({ agent, url, key }, name, body).then(() => times[name].push(performance.now() - began)))
    await later(ASK_EVERY_MS)
  }
  await Promise.all(asked)
  agent.destroy()
  return times
}

function inAnHour() {
  return new Date(Date.now() + 3_600_000).toISOString()
}

function call({ agent, url, key }, name, body) {
  const [method, path] = name.split(' ')
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asked = request(url + path, { method, agent, headers }, response => {
      if (response.statusCode >= 300) reject(new Error(`${name} was answered with ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
    asked.once('error', reject)
    asked.end(method === 'POST' ? JSON.stringify(body) : undefined)
  })
}
