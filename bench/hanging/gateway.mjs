import { makeEvent } from '../../dist/actions/make-event.js'
import { readConfig } from '../../dist/config.js'
import { createContext } from '../../dist/context.js'
import { createDispatcher } from '../../dist/dispatcher/dispatcher.js'
import { answerParent, later } from '../shared/child.mjs'
import { paced } from '../shared/paced.mjs'
import { textEvent } from '../shared/text-event.mjs'
import { addAccount, addWebhook } from '../shared/webhooks.mjs'

/** A dispatcher with endpoints that respond and others that may hang; it measures both groups separately. */
const context = await createContext(readConfig(process.env))
const { store } = context
const OUTSTANDING = 2_000
const accountId = await addAccount(context)
const healthy = new Set()
let healthyDone = 0
let serial = 0
let phone = 999_400_000
const counted = {
  ...store,
  deliveries: {
    ...store.deliveries,
    recordAttempt: async result => {
      const answer = await store.deliveries.recordAttempt(result)
      if (healthy.delete(result.deliveryId)) healthyDone++
      return answer
    },
  },
}
const stopping = new AbortController()
const ended = createDispatcher({ ...context, store: counted }).run(stopping.signal)

const subscribe = urls => Promise.all(urls.map(url => addWebhook(context, accountId, phone++, url)))

/** Returns the message id and when its commit was known. */
async function publish(webhooks, isHealthy) {
  const { sessionId } = webhooks[serial % webhooks.length]
  const event = textEvent(sessionId, `m${serial++}`)
  const id = await store.events.publishEvent(makeEvent(context, accountId, event))
  if (isHealthy) healthy.add(id)
  return [event.message_id, performance.timeOrigin + performance.now()]
}

/** The healthy endpoints get as much as they accept, the others a steady rate. */
async function flow({ webhooks, others, otherRate, seconds }) {
  let published = 0
  let over = false
  healthyDone = 0
  const side = paced(otherRate, seconds + 1, () => publish(others, false))
  const producers = Array.from({ length: 128 }, async () => {
    while (!over) {
      if (published - healthyDone >= OUTSTANDING) await later(1)
      else {
        published++
        await publish(webhooks, true)
      }
    }
  })
  await later(1_000)
  const before = healthyDone
  await later(seconds * 1000)
  const rate = (healthyDone - before) / seconds
  over = true
  await Promise.all([side, ...producers])
  while (healthyDone < published) await later(5)
  return rate
}

async function steady({ webhooks, others, rate, otherRate, seconds }) {
  const [commits] = await Promise.all([
    paced(rate, seconds, () => publish(webhooks, true)),
    paced(otherRate, seconds, () => publish(others, false)),
  ])
  return commits
}

/** Ends all waiting deliveries to these endpoints. */
async function settle(webhooks) {
  for (const { id } of webhooks) await store.webhooks.deleteWebhook(id)
  while ((await store.deliveries.readDeliveryDepth()).queued > 0) await later(50)
  healthy.clear()
}

answerParent({ subscribe, flow, steady, settle }, async () => {
  stopping.abort()
  await ended
  await context.close()
})
