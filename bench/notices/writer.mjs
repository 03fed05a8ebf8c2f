import pg from 'pg'
import { Notices } from '../../dist/store/postgres/notifications/notifications.js'
import { answerParent } from '../shared/child.mjs'

const CONNECTIONS = 8
const WEBHOOKS = 1_000

answerParent({
  async write({ url, way, ms }) {
    const notices = new Notices({ url, address: `writer_${process.pid}`, isOn: true })
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
        const notice = way === 'in the commit' ? `notify postern, '[${JSON.stringify(signal)}]'; ` : ''
        await client.query('begin')
        await client.query('insert into committed values ($1)', [at])
        await client.query(`${notice}commit`)
        if (way === 'after the commit') notices.tell([signal])
        commits++
      }
    }
    await Promise.all(clients.map(commitAgainAndAgain))
    await Promise.all(clients.map(client => client.end()))
    await notices.close()
    return commits
  },
})
