import { setMaxListeners } from 'node:events'
import { readConfig } from '../../dist/config.js'
import { createContext } from '../../dist/context.js'
import { createDispatcher } from '../../dist/dispatcher/dispatcher.js'
import { runMaintenance } from '../../dist/maintenance/maintenance.js'
import { createWorker } from '../../dist/worker/worker.js'
import { answerParent, later } from '../shared/child.mjs'
import { createStubPlatform } from './stub-platform.mjs'

/** Some nodes of a cluster in one process: leases, notifications, reads and results are real, the network is a stub. */
const stopping = new AbortController()
setMaxListeners(0, stopping.signal)
const nodes = []
const ended = []

async function start({ count }) {
  for (let i = 0; i < count; i++) {
    const stub = createStubPlatform()
    const context = await createContext(readConfig(process.env))
    const roles = [createWorker(context, { whatsapp: stub.platform }), createDispatcher(context)]
    ended.push(
      ...roles.map(role => role.run(stopping.signal)),
      runMaintenance(context, () => '', stopping.signal),
    )
    nodes.push({ context, stub })
  }
}

const open = async () => nodes.reduce((sum, { stub }) => sum + stub.open(), 0)

/** Lets `rate` texts a second arrive, spread over the nodes. */
async function receive({ rate, seconds }) {
  const began = performance.now()
  const arriving = []
  for (let n = 0; performance.now() - began < seconds * 1_000; ) {
    const due = ((performance.now() - began) / 1_000) * rate
    for (; n < due; n++) arriving.push(nodes[n % nodes.length].stub.receive().catch(() => {}))
    await later(5)
  }
  // A number may have moved to another node.
  await Promise.all(arriving)
  return arriving.length
}

answerParent({ start, open, receive }, async () => {
  stopping.abort()
  await Promise.allSettled(ended)
  await Promise.allSettled(nodes.map(({ context }) => context.close()))
})
