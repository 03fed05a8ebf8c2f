import { makeEvent } from '../../dist/actions/make-event.js'
import { readConfig } from '../../dist/config.js'
import { createContext } from '../../dist/context.js'
import { createDispatcher } from '../../dist/dispatcher/dispatcher.js'
import { makeId } from '../../dist/domain/ids.js'
import { tracedPublish } from '../../dist/worker/traced-publish.js'
import { eachOf, later } from '../shared/child.mjs'
import { measureFlow } from '../shared/flow.mjs'
import { paced } from '../shared/paced.mjs'
import { textEvent } from '../shared/text-event.mjs'
import { addAccount, addEndpoint, addWebhook } from '../shared/webhooks.mjs'

/** The dispatcher as shipped: every event sealed and committed with its delivery, every result committed. */
const context = await createContext(readConfig(process.env))
const { store, seal } = context
let recorded = 0
const counted = {
  ...store,
  deliveries: {
    ...store.deliveries,
    recordAttempt: async result => {
      const answer = await store.deliveries.recordAttempt(result)
      recorded++
      return answer
    },
  },
}
/** Below the store's limit of waiting events. */
const PUBLISHED_AT_ONCE = 1_000
const numbers = []
let accountId
let ports
let serial = 0

async function subscribe(given) {
  ports = given
  accountId = await addAccount(context)
  for (const [i, port] of ports.entries()) {
    const { sessionId } = await addWebhook(context, accountId, 999_100_200_000 + i, `http://127.0.0.1:${port}/hook`)
    numbers.push(sessionId)
  }
}

const nextEvent = () => textEvent(numbers[serial % numbers.length], `m${serial++}`)

/** With tracing on, each event belongs to a trace, as in a worker. */
const publish = event => {
  const made = makeEvent({ seal }, accountId, event)
  return tracedPublish(context, [{ event: made }], Date.now(), () => store.events.publishEvent(made))
}

async function dispatching(work) {
  const stopping = new AbortController()
  const ended = createDispatcher({ ...context, store: counted, nodeId: makeId('node') }).run(stopping.signal)
  const result = await work()
  stopping.abort()
  await ended
  return result
}

const flow = seconds =>
  measureFlow(
    seconds,
    () => publish(nextEvent()),
    () => recorded,
  )

/** One number each: with its webhook alone, and with endpoints of its account besides no webhook. */
const fans = new Map()

async function openFan(endpoints) {
  const own = await addAccount(context)
  const url = n => `http://127.0.0.1:${ports[n % ports.length]}/hook`
  for (let n = 0; n < endpoints; n++) await addEndpoint(context, own, url(n))
  const phone = 999_100_900_000 + endpoints
  const { sessionId } =
    endpoints === 0 ? await addWebhook(context, own, phone, url(0)) : { sessionId: `${phone}@s.whatsapp.net` }
  return { accountId: own, sessionId, deliveries: Math.max(1, endpoints) }
}

/** Measures the events of one number, each with all of its deliveries. */
async function fan({ seconds, endpoints }) {
  if (!fans.has(endpoints)) fans.set(endpoints, await openFan(endpoints))
  const { accountId: own, sessionId, deliveries } = fans.get(endpoints)
  const publishOne = () => {
    const made = makeEvent({ seal }, own, textEvent(sessionId, `f${serial++}`))
    return store.events.publishEvent(made)
  }
  return await dispatching(() => measureFlow(seconds, publishOne, () => Math.floor(recorded / deliveries)))
}

/** Stores a backlog, then delivers it. */
async function drain(count) {
  recorded = 0
  await eachOf(Array.from({ length: count }), PUBLISHED_AT_ONCE, () => publish(nextEvent()))
  const began = performance.now()
  const cpu = process.cpuUsage()
  return await dispatching(async () => {
    while (recorded < count) await later(1)
    const { user, system } = process.cpuUsage(cpu)
    return { rate: (count / (performance.now() - began)) * 1000, cpuMicros: (user + system) / count }
  })
}

/** Publishes at a steady rate and records when each commit was known. */
async function steady(rate, seconds) {
  const commits = await paced(rate, seconds, async () => {
    const event = nextEvent()
    await publish(event)
    return [event.message_id, performance.timeOrigin + performance.now()]
  })
  await later(300)
  return commits
}

async function obey(message) {
  if (message.ports) await subscribe(message.ports).then(() => process.send({ subscribed: true }))
  if (message.flow) process.send(await dispatching(() => flow(message.flow)))
  if (message.fan) process.send(await fan(message.fan))
  if (message.drain) process.send(await drain(message.drain))
  if (message.steady) process.send({ commits: await dispatching(() => steady(message.steady, message.seconds)) })
  if (message.stop) {
    await context.close()
    process.exit(0)
  }
}

process.on('message', message => void obey(message))
process.send({ ready: true })
