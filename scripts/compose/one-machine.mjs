import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../shared/until.mjs'
import { Customer } from './customer.mjs'
import { withLogs } from './engine.mjs'

const OVER = join(dirname(fileURLToPath(import.meta.url)), 'one-machine.yaml')
const ENV = { POSTERN_PUBLIC_URL: 'https://gateway.example.com' }
const URL = 'http://127.0.0.1:8080'

/** deploy/compose.yaml: one process with a volume. */
export class OneMachine {
  #steps
  #engine
  #folder
  #receiver

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
      await this.#look()
      const customer = await this.#send()
      await this.#killed(customer)
      await this.#down()
    } catch (error) {
      throw await withLogs(error, () => this.#compose('logs', '--no-color', '--tail', '30'))
    } finally {
      await this.#compose('down', '--volumes', '--timeout', '1').catch(() => {})
    }
  }

  #compose(...args) {
    const files = [join(this.#folder, 'deploy/compose.yaml'), OVER]
    return this.#engine.compose('one', files, ENV, ...args)
  }

  /** Runs the commands in the comment at the top of the file. */
  async #makeSecrets() {
    await this.#steps.step('compose.yaml: make the secrets with the commands in its first lines', async () => {
      const lines = readFileSync(join(this.#folder, 'deploy/compose.yaml'), 'utf8').split('\n')
      const commands = lines
        .filter(line => /^# {3}(mkdir|sudo)/.test(line))
        .map(line => line.replace(/^# +(sudo )?/, ''))
      for (const command of commands) execFileSync('sh', ['-c', command], { cwd: this.#folder })
      return commands.map(command => `\`${command.replace(/ +#.*/, '')}\``).join(', then ')
    })
  }

  async #up() {
    await this.#steps.step('compose.yaml: up', async () => {
      const began = performance.now()
      await this.#compose('up', '-d')
      await until('/readyz', () => isReady(URL))
      const ready = ((performance.now() - began) / 1000).toFixed(1)
      const isHealthy = async () => (await this.#container()).State.Health.Status === 'healthy'
      await until('healthy', isHealthy, { pauseMs: 500 })
      return `ready after ${ready} s; Docker’s health check reports healthy`
    })
  }

  async #container() {
    const [id] = await this.#engine.containersOf('one', 'postern')
    return await this.#engine.inspect(id)
  }

  async #look() {
    await this.#steps.step('compose.yaml: inspect the container', async () => {
      const { Config, HostConfig, NetworkSettings } = await this.#container()
      const { ReadonlyRootfs, CapDrop, SecurityOpt } = HostConfig
      const at = NetworkSettings.Ports['8080/tcp'].map(({ HostIp, HostPort }) => `${HostIp}:${HostPort}`)
      if (!ReadonlyRootfs || String(CapDrop) !== 'ALL') throw new Error(JSON.stringify(HostConfig))
      const secrets = Config.Env.filter(line => /(KEY|TOKEN)=/.test(line))
      if (secrets.length > 0) throw new Error('the environment contains a secret')
      return `user ${Config.User}, read-only root, no capabilities, ${SecurityOpt}, no secret in its environment, published only at ${at}`
    })
  }

  #send() {
    return this.#steps.step('compose.yaml: an account, a number, a webhook, a message', async () => {
      const token = readFileSync(join(this.#folder, 'secrets/operator_token'), 'utf8').trim()
      const customer = await Customer.make(URL, token, await this.#receiver.listen())
      const { id, state } = await customer.send('from a container')
      return { seen: `202, state \`${state}\`, a signed webhook about it`, value: { customer, id } }
    })
  }

  async #killed({ customer, id }) {
    await this.#steps.step('compose.yaml: kill the container (SIGKILL) and start it again', async () => {
      const { Id } = await this.#container()
      await this.#engine.docker('kill', Id)
      await this.#compose('up', '-d')
      await until('/readyz', () => isReady(URL))
      const found = await customer.find(id)
      await customer.send('and again')
      return `${found}; another message goes through`
    })
  }

  async #down() {
    await this.#steps.step('compose.yaml: stop', async () => {
      const { Id } = await this.#container()
      await this.#compose('stop')
      const { ExitCode } = (await this.#engine.inspect(Id)).State
      if (ExitCode !== 0) throw new Error(`it ended with ${ExitCode}`)
      return 'ended with 0'
    })
  }
}

const isReady = url =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
