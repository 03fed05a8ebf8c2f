import pg from 'pg'
import { Notifications } from '../../dist/store/postgres/notifications/notifications.js'
import { decodeSignals } from '../../dist/store/postgres/notifications/signal-payloads.js'
import { answerParent } from '../shared/child.mjs'

let open = []
let ages = []
const record = ({ dueAt }) => ages.push(Date.now() - dueAt)

/** The alternative in which every commit notifies every process. */
async function listenToAll(url) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  client.on('notification', ({ payload }) => decodeSignals(payload).forEach(record))
  await client.query('listen postern')
  return () => client.end()
}

async function listenAs(url, address) {
  const notifications = new Notifications({ url, address, isOn: true })
  notifications.signals.on('deliveries', record)
  return () => notifications.close()
}

answerParent({
  async listen({ url, way, listeners }) {
    ages = []
    const names = way === 'none' ? [] : Array.from({ length: listeners }, (_, i) => `node_${i}`)
    open = await Promise.all(names.map(name => (way === 'in the commit' ? listenToAll(url) : listenAs(url, name))))
  },
  async stop() {
    await Promise.all(open.map(close => close()))
    return ages.length > 100_000 ? ages.filter((_, i) => i % 10 === 0) : ages
  },
})
