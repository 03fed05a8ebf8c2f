import pg from 'pg'
import { Notifications } from '../../dist/store/postgres/notifications/notifications.js'
import { answerParent } from '../shared/child.mjs'

const CONNECTIONS = 8
const WEBHOOKS = 1_000

answerParent({
  async write({ url, way, ms }) {
    const notifications = new Notifications({ url, address: `writer_${process.pid}`, isOn: true })
    const clients = await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        return client
      }),
    )
    const until = performance.now() + ms
    let commits = 0
    const commitAgainAndAgain = async client => {
      while (performance.now() < until) {
        const at = Date.now()
        const signal = { about: 'deliveries', lane: `wh_${commits % WEBHOOKS}:messages`, dueAt: at }
        const notification = way === 'in the commit' ? `notify postern, '[${JSON.stringify(signal)}]'; ` : ''
        await client.query('begin')
        await client.query('insert into committed values ($1)', [at])
        await client.query(`${notification}commit`)
        if (way === 'after the commit') notifications.tell([signal])
        commits++
      }
    }
    await Promise.all(clients.map(commitAgainAndAgain))
    await Promise.all(clients.map(client => client.end()))
    await notifications.close()
    return commits
  },
})
