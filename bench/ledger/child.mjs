import { createHash } from 'node:crypto'
import { openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeEvent } from '../../dist/actions/make-event.js'
import { readConfig } from '../../dist/config.js'
import { createContext } from '../../dist/context.js'
import { startGateway } from '../../dist/gateway.js'
import { later } from '../shared/child.mjs'
import { textEvent } from '../shared/text-event.mjs'

/**
 * A process that the bench kills: the gateway with the roles in POSTERN_ROLES, started like `postern start`,
 * and optionally a producer that publishes events through the store's own transaction. The producer writes each event
 * to a file before the attempt and again once its commit is known; a process that dies in between omits the second.
 */
const { folder, rate, generation, produces, hosts } = JSON.parse(process.env.LEDGER)
delete process.env.LEDGER
const { accounts } = JSON.parse(readFileSync(join(folder, 'setup.json'), 'utf8'))
const config = readConfig(process.env)
const gateway = hosts ? await startGateway(config) : { context: await createContext(config) }
const { context } = gateway
const tried = openSync(join(folder, 'tried'), 'a')
const committed = openSync(join(folder, 'committed'), 'a')
let producing = produces
let serial = 0
/** The last event of each account: its events are committed in their order. */
const last = new Map()

const repeats = openSync(join(folder, 'repeats'), 'a')
/** The receiver and the event of each delivery that this process knows. */
const known = new Map()
const know = deliveries => {
  for (const { id, lane, dedupeId } of deliveries) known.set(id, `${lane.split(':')[0]} ${dedupeId}`)
  return deliveries
}
/** A result is recorded again if the database was unreachable. */
const recorded = new Set()
const { deliveries } = context.store
const { readDue, recordAttempt } = deliveries
deliveries.readDue = async lanes => know(await readDue(lanes))
context.store.signals.on('deliveries', ({ fresh = [] }) => know(fresh))

/**
 * Notes each reason to repeat a request: no response came in time, or the result came after the shard had a new owner,
 * which sends the delivery again.
 */
deliveries.recordAttempt = async result => {
  const note = reason => writeSync(repeats, `${reason} ${known.get(result.deliveryId)}\n`)
  const attempt = `${result.deliveryId} ${result.attemptsBefore}`
  const isNew = !recorded.has(attempt)
  recorded.add(attempt)
  const isAttempt = result.attemptsAfter > result.attemptsBefore
  // Before the result is durable: the process may be killed at once after that.
  if (isNew && isAttempt && JSON.parse(result.attempts).at(-1)?.code === null) note('unanswered')
  const answer = await recordAttempt(result)
  if (answer.kind === 'stale') note('stale')
  return answer
}

async function publishOne() {
  const n = serial++
  const { accountId, sessionId } = accounts[n % accounts.length]
  const id = `bulk-${generation}-${n}`
  const event = textEvent(sessionId, id, `${id} `.repeat(40))
  const hash = createHash('sha256').update(JSON.stringify(event)).digest('hex')
  const before = last.get(accountId)
  const published = (async () => {
    await before?.catch(() => {})
    writeSync(tried, `${id} ${hash}\n`)
    await context.store.events.publishEvent(makeEvent(context, accountId, event))
    writeSync(committed, `${id}\n`)
  })()
  last.set(accountId, published)
  await published
}

const MOST_WAITING = 3_000

/** Publishes second by second, as long as the deliveries keep up. */
async function produce() {
  while (producing) {
    const depth = await context.store.deliveries.readDeliveryDepth().catch(() => ({ queued: MOST_WAITING }))
    if (depth.queued >= MOST_WAITING) await later(100)
    else await produceFor(1_000)
  }
}

async function produceFor(ms) {
  const began = performance.now()
  for (let sent = 0; producing && performance.now() < began + ms; ) {
    for (; sent < ((performance.now() - began) / 1000) * rate; sent++) publishOne().catch(() => {})
    await later(5)
  }
}

if (producing) void produce()
async function obey(message) {
  if (message === 'stop producing') producing = false
  if (message === 'stop') {
    await (gateway.stop ?? context.close)()
    process.exit(0)
  }
}

gateway.ended?.catch(() => process.exit(1))
process.on('message', message => void obey(message))
process.on('disconnect', () => process.exit(1))
process.send({ ready: true, url: gateway.localUrl ?? null, nodeId: context.nodeId })
