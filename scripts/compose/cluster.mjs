import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, fetch } from 'undici'
import { until } from '../shared/until.mjs'
import { Customer } from './customer.mjs'
import { withLogs } from './engine.mjs'

const OVER = join(dirname(fileURLToPath(import.meta.url)), 'cluster.yaml')
/** Caddy uses its local authority for this name, and a public one for any other. */
const ENV = { POSTERN_PUBLIC_URL: 'https://localhost', POSTERN_DOMAIN: 'localhost' }
const ROLES = ['api', 'worker', 'dispatcher']
const STARTED = [...ROLES, 'database', 'pooler', 'proxy', 'prometheus', 'sandbox']
/** How many processes of each role are scraped, and how many of those are ready. */
const UP = 'sum by (role) (up{job="postern"})'
const READY = 'count by (role) (min by (role, instance) (postern_ready) == 1)'
const AUTHORITY = '/data/caddy/pki/authorities/local/root.crt'

/** deploy/compose.cluster.yaml: two processes of each role, PostgreSQL behind PgBouncer, Caddy as the proxy, and Prometheus. */
export class Cluster {
  #steps
  #engine
  #folder
  #receiver
  #fetch

  constructor(steps, engine, folder, receiver) {
    this.#steps = steps
    this.#engine = engine
    this.#folder = folder
    this.#receiver = receiver
  }

  async run() {
    await this.#makeSecrets()
    try {
      await this.#up()
      await this.#throughTheProxy()
      const customer = await this.#send()
      await this.#scraped()
      await this.#oneOfEachKilled(customer)
      await this.#stop()
    } catch (error) {
      throw await withLogs(error, () => this.#compose('logs', '--no-color', '--tail', '12'))
    } finally {
      await this.#compose('down', '--volumes', '--timeout', '1').catch(() => {})
    }
  }

  #compose(...args) {
    const files = [join(this.#folder, 'deploy/compose.cluster.yaml'), OVER]
    return this.#engine.compose('cluster', files, ENV, ...args)
  }

  async #makeSecrets() {
    await this.#steps.step('compose.cluster.yaml: deploy/make-secrets.sh', async () => {
      const output = execFileSync(join(this.#folder, 'deploy/make-secrets.sh'), { encoding: 'utf8' })
      if (output !== '') throw new Error('it printed something')
      return `${readdirSync(join(this.#folder, 'secrets')).length} files, nothing printed`
    })
  }

  async #up() {
    await this.#steps.step('compose.cluster.yaml: up', async () => {
      const began = performance.now()
      await this.#compose('up', '-d', ...STARTED)
      await this.#allHealthy()
      return `two of each role are healthy after ${((performance.now() - began) / 1000).toFixed(1)} s, with ${STARTED.slice(3).join(', ')}`
    })
  }

  async #allHealthy() {
    for (const role of ROLES) await until(`both of ${role}`, () => this.#bothHealthy(role), { pauseMs: 1_000 })
  }

  async #bothHealthy(role) {
    const ids = await this.#engine.containersOf('cluster', role)
    const found = await Promise.all(ids.map(id => this.#engine.inspect(id)))
    return found.filter(({ State }) => State.Health.Status === 'healthy').length === 2
  }

  async #throughTheProxy() {
    await this.#steps.step('compose.cluster.yaml: request through the proxy, over TLS', async () => {
      const [proxy] = await this.#engine.containersOf('cluster', 'proxy')
      const ca = await until('the authority of the proxy', () =>
        this.#engine.docker('exec', proxy, 'cat', AUTHORITY).catch(() => null),
      )
      const dispatcher = new Agent({ connect: { ca } })
      this.#fetch = (url, options) => fetch(url, { ...options, dispatcher })
      await until('/readyz', () =>
        this.#fetch('https://localhost/readyz').then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      const { status } = await this.#fetch('https://localhost/metrics')
      if (status !== 404) throw new Error(`/metrics returned ${status}`)
      return 'https://localhost/readyz 200, /metrics 404'
    })
  }

  #send() {
    return this.#steps.step(
      'compose.cluster.yaml: an account, a number, a webhook, a message, through the proxy',
      async () => {
        const token = readFileSync(join(this.#folder, 'secrets/operator_token'), 'utf8').trim()
        const customer = await Customer.make('https://localhost', token, await this.#receiver.listen(), this.#fetch)
        const { state } = await customer.send('through the cluster')
        return { seen: `202, state \`${state}\`, a signed webhook about it`, value: customer }
      },
    )
  }

  async #scraped() {
    await this.#steps.step('compose.cluster.yaml: what Prometheus scrapes', async () => {
      const [id] = await this.#engine.containersOf('cluster', 'prometheus')
      const prometheus = new Prometheus((await this.#engine.inspect(id)).NetworkSettings)
      const areTwo = async query => (await prometheus.rolesWith(2, query)).length === ROLES.length
      for (const query of [UP, READY]) await until(query, () => areTwo(query), { pauseMs: 1_000 })
      const counted = 'sum(postern_messages_accepted_total)'
      await until(counted, async () => (await prometheus.ask(counted))[0]?.value[1] === '1', { pauseMs: 1_000 })
      const firing = await prometheus.ask('ALERTS{alertstate="firing"}')
      const alarms = firing.map(({ metric }) => metric.alertname).join(', ')
      return `two each of ${ROLES.join(', ')} are up and ready; the message is counted; firing alarms: ${alarms || 'none'}`
    })
  }

  async #oneOfEachKilled(customer) {
    await this.#steps.step('compose.cluster.yaml: kill one of each role (SIGKILL), and send', async () => {
      for (const role of ROLES) {
        const [id] = await this.#engine.containersOf('cluster', role)
        await this.#engine.docker('kill', id)
      }
      const { state } = await customer.send('with half of them')
      return `202, state \`${state}\`, a signed webhook about it`
    })
    await this.#steps.step('compose.cluster.yaml: up again', async () => {
      await this.#compose('up', '-d', ...STARTED)
      await this.#allHealthy()
      const { state } = await customer.send('with all of them')
      return `two of each role are healthy; 202, state \`${state}\`, a signed webhook about it`
    })
  }

  async #stop() {
    await this.#steps.step('compose.cluster.yaml: stop', async () => {
      const ids = (await Promise.all(ROLES.map(role => this.#engine.containersOf('cluster', role)))).flat()
      await this.#compose('stop')
      const codes = await Promise.all(ids.map(async id => (await this.#engine.inspect(id)).State.ExitCode))
      if (codes.length !== 6 || codes.some(code => code !== 0)) throw new Error(`they ended with ${codes}`)
      return 'all six processes of the gateway ended with 0'
    })
  }
}

/** The Prometheus of the compose file, queried at its container address, since its port is not published. */
class Prometheus {
  #url

  constructor({ Networks }) {
    this.#url = `http://${Object.values(Networks)[0].IPAddress}:9090/api/v1/query`
  }

  async ask(query) {
    const answer = await fetch(`${this.#url}?${new URLSearchParams({ query })}`)
    const { status, error, data } = await answer.json()
    if (status !== 'success') throw new Error(`Prometheus: ${error}`)
    return data.result
  }

  /** The roles for which a query returns this number. */
  async rolesWith(number, query) {
    const found = await this.ask(query)
    return found.filter(({ value }) => value[1] === String(number)).map(({ metric }) => metric.role)
  }
}
