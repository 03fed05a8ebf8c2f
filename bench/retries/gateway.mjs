import { makeEvent } from '../../dist/actions/make-event.js'
import { readConfig } from '../../dist/config.js'
import { createContext } from '../../dist/context.js'
import { createDispatcher } from '../../dist/dispatcher/dispatcher.js'
import { answerParent, eachOf, later } from '../shared/child.mjs'
import { query } from '../shared/query.mjs'
import { textEvent } from '../shared/text-event.mjs'
import { addAccount, addWebhook } from '../shared/webhooks.mjs'

/** A dispatcher that measures how late each retry started, by its due time in the database. */
const config = readConfig(process.env)
const context = await createContext(config)
const { store } = context
const dueAt = new Map()
const late = []
const numbers = []
let accountId
let delivered = 0
let published = 0
const watched = {
  ...store,
  deliveries: {
    ...store.deliveries,
    recordAttempt: async result => {
      const due = dueAt.get(result.deliveryId)
      if (due !== undefined) late.push(JSON.parse(result.attempts).at(-1).atMs - due)
      const answer = await store.deliveries.recordAttempt(result)
      if (result.next.kind === 'delivered') delivered++
      return answer
    },
  },
}
const stopping = new AbortController()
let ended = Promise.resolve()

async function subscribe({ port, endpoints }) {
  accountId = await addAccount(context)
  for (let i = 0; i < endpoints; i++) {
    numbers.push(await addWebhook(context, accountId, 999_200_000 + i, `http://127.0.0.1:${port}/${i}`))
  }
}

async function publish(count) {
  await eachOf(Array.from({ length: count }), 512, async (_, i) => {
    const { sessionId } = numbers[i % numbers.length]
    await store.events.publishEvent(makeEvent(context, accountId, textEvent(sessionId, `m${i}`, 'x'.repeat(300))))
  })
  published += count
}

/** Turns all waiting deliveries into second attempts, due at some time within `overMs`. */
async function schedule({ inMs, overMs }) {
  const random = config.databaseUrl === null ? `abs(random() % ${overMs})` : `floor(random() * ${overMs})`
  const first = (await store.now()) + inMs
  const rows = await query(
    config,
    `update deliveries set attempt = 1, due_at = ${first} + ${random} returning id, due_at as due`,
  )
  for (const { id, due } of rows) dueAt.set(id, Number(due))
}

function dispatch() {
  ended = createDispatcher({ ...context, store: watched }).run(stopping.signal)
}

/** Waits until this share of all deliveries is done; returns how late the retries were. */
async function finish({ share, timeoutMs }) {
  const giveUpAt = performance.now() + timeoutMs
  while (delivered < published * share && performance.now() < giveUpAt) await later(20)
  return late
}

answerParent({ subscribe, publish, schedule, dispatch, finish }, async () => {
  stopping.abort()
  await ended
  await context.close()
})
