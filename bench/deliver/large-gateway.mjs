import { randomBytes } from 'node:crypto'
import { makeFileEvent } from '../../dist/actions/make-event.js'
import { readConfig } from '../../dist/config.js'
import { createContext } from '../../dist/context.js'
import { createDispatcher } from '../../dist/dispatcher/dispatcher.js'
import { makeId } from '../../dist/domain/ids.js'
import { answerParent, later } from '../shared/child.mjs'
import { longestBlock } from '../shared/loop-probe.mjs'
import { textEvent } from '../shared/text-event.mjs'
import { addAccount, addWebhook } from '../shared/webhooks.mjs'

const context = await createContext(readConfig(process.env))
const { store } = context
const file = randomBytes(4 * 1_048_576)
const numbers = {}
let accountId
let serial = 0

async function subscribe({ http, https }) {
  accountId = await addAccount(context)
  const urls = {
    http: `http://127.0.0.1:${http}/ok`,
    https: `https://127.0.0.1:${https}/ok`,
    dead: `http://127.0.0.1:${http}/broken`,
  }
  for (const [i, name] of Object.keys(urls).entries()) {
    numbers[name] = (await addWebhook(context, accountId, 999_300_000 + i, urls[name])).sessionId
  }
}

/** Publishes a file as a host does after fetching it. */
async function publish(sessionId) {
  const media = { mimetype: 'image/png', extension: 'png', file_length: file.length, status: 'downloaded' }
  const data = file.toString('base64')
  const event = { ...textEvent(sessionId, `m${serial++}`), type: 'image', media: { ...media, data } }
  await store.events.publishEvent(await makeFileEvent(context, accountId, event))
}

async function deliver() {
  const stopping = new AbortController()
  const ended = createDispatcher({ ...context, nodeId: makeId('node') }).run(stopping.signal)
  while ((await store.deliveries.readDeliveryDepth()).queued > 0) await later(5)
  stopping.abort()
  await ended
}

async function round() {
  await store.events.publishEvent(await makeFileEvent(context, accountId, textEvent(numbers.http, `m${serial++}`)))
  const blocks = { publish: [], small: [(await longestBlock(deliver)).longest] }
  for (const [name, sessionId] of Object.entries(numbers)) {
    blocks.publish.push((await longestBlock(() => publish(sessionId))).longest)
    blocks[name] = [(await longestBlock(deliver)).longest]
  }
  return blocks
}

answerParent({ subscribe, round }, () => context.close())
