import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { client, sentOrNull } from '../image/client.mjs'
import { run } from '../shared/command.mjs'
import { freePort } from '../shared/free-port.mjs'
import { startReceiver } from '../image/receiver.mjs'
import { until } from '../shared/until.mjs'
import { ownNpmCache } from '../own-npm-cache.mjs'

/** Output that must never appear when the package is installed or started. */
const UNWANTED = /Building|EBADENGINE|deprecated/

/** Tests the package: packs it, starts it with npx, installs it, and starts it again on the same data. */
export class Trial {
  #steps
  #root
  #home
  #prefix
  #env
  #tarball

  constructor(steps, root, folder) {
    this.#steps = steps
    this.#root = root
    this.#home = join(folder, 'try')
    this.#prefix = join(folder, 'prefix')
    mkdirSync(this.#home)
    const kept = Object.entries(process.env).filter(([name]) => !/^(POSTERN_|NODE_OPTIONS|npm_)/.test(name))
    this.#env = { ...Object.fromEntries(kept), ...ownNpmCache(folder), POSTERN_LOG_LEVEL: 'error' }
  }

  async run() {
    await this.#pack()
    const port = String(await freePort())
    const receiver = await startReceiver()
    try {
      const npx = await this.#startByNpx(port)
      const sent = await this.#send(npx, receiver)
      await this.#end(npx)
      await this.#install()
      await this.#startInstalled(port, npx, sent)
    } finally {
      receiver.close()
    }
  }

  async #pack() {
    await this.#steps.step('`npm pack --pack-destination ~/try` in the checkout', async () => {
      await run('npm', ['pack', '--pack-destination', this.#home], { cwd: this.#root, env: this.#env })
      this.#tarball = readdirSync(this.#home)[0]
      const path = join(this.#home, this.#tarball)
      const files = (await run('tar', ['tzf', path])).split('\n')
      const bundled = files.filter(name => /^package\/node_modules\/((@[^/]+\/)?[^/]+)\/package\.json$/.test(name))
      return `${this.#tarball}: ${megabytes(statSync(path).size)}, ${files.length} files, ${bundled.length} packages bundled`
    })
  }

  #startByNpx(port) {
    const command = ['npx', '--yes', `./${this.#tarball}`, 'start']
    return this.#steps.step(`\`npx ./${this.#tarball} start\` in ~/try, which is otherwise empty`, async () => {
      const gateway = await this.#started(command, port)
      await until('a sandbox number', () => /^export POSTERN_SESSION=/m.test(gateway.output()))
      gateway.key = /^export POSTERN_API_KEY=(\S+)/m.exec(gateway.output())[1]
      gateway.session = /^export POSTERN_SESSION=(\S+)/m.exec(gateway.output())[1]
      for (const path of ['/', '/docs', '/openapi.json', '/readyz']) {
        const { status } = await fetch(gateway.url + path)
        if (status !== 200) throw new Error(`${path} returned ${status}`)
      }
      const there = readdirSync(this.#home).join(', ')
      const seen = `installed and ready after ${gateway.readyAfter}, nothing was built, no warning; a key and a sandbox number were printed; portal, documentation and openapi.json answer; ~/try holds ${there}`
      return { seen, value: gateway }
    })
  }

  #send({ url, key, session }, receiver) {
    return this.#steps.step('Register a webhook and send a message', async () => {
      const ask = client(url, key)
      await ask(
        'POST',
        '/v1/webhooks',
        { session_id: session, messages_url: receiver.url, status_url: receiver.url },
        201,
      )
      const message = { session_id: session, to: '+1 555 123 4567', text: 'out of the box' }
      const { message_id: id } = await ask('POST', '/v1/messages', message, 202)
      const { state } = await until('it is sent', () => sentOrNull(ask, id))
      await until('the webhook', () => receiver.about(id).size > 0)
      if ([...receiver.about(id).values()].some(({ signed }) => !signed)) throw new Error('a webhook is not signed')
      return { seen: `201, 202, then state \`${state}\` and a signed webhook about it`, value: id }
    })
  }

  async #end(gateway) {
    await this.#steps.step('End it with Ctrl-C', async () => {
      const began = performance.now()
      process.kill(-gateway.pid, 'SIGINT')
      await gateway.ended
      return `all processes ended after ${seconds(began)}`
    })
  }

  async #install() {
    await this.#steps.step(`\`npm i -g ./${this.#tarball}\`, with a separate prefix`, async () => {
      const output = await this.#npm('install', '--global', '--prefix', this.#prefix, `./${this.#tarball}`)
      const size = (await run('du', ['-sm', this.#prefix])).split('\t')[0]
      return `${/added \d+ packages?/.exec(output)?.[0] ?? output}, ${size} MB, no warning`
    })
    const postern = args => run(join(this.#prefix, 'bin/postern'), args, { cwd: this.#home, env: this.#env })
    await this.#steps.step('`postern --version`', async () => await postern(['--version']))
    await this.#steps.step('`postern --help`', async () => {
      const lines = (await postern(['--help'])).split('\n')
      const commands = lines.filter(line => line.startsWith('  postern '))
      return `“${lines[0]}”, ${commands.length} commands`
    })
  }

  async #startInstalled(port, { key, session }, id) {
    const command = [join(this.#prefix, 'bin/postern'), 'start']
    const gateway = await this.#steps.step('`postern start` in ~/try, on the existing data', async () => {
      const value = await this.#started(command, port)
      const ask = client(value.url, key)
      const { state } = await ask('GET', `/v1/messages/${id}`)
      await until('the number is connected', async () => {
        const { state: link } = await ask('GET', `/v1/sessions/${encodeURIComponent(session)}`)
        return link === 'connected'
      })
      return {
        seen: `ready after ${value.readyAfter}; the key works, the number is connected, the message is \`${state}\``,
        value,
      }
    })
    await this.#end(gateway)
  }

  /** Starts the gateway; resolves when it reports that it is ready. */
  async #started([program, ...args], port) {
    const began = performance.now()
    const env = { ...this.#env, POSTERN_PORT: port }
    const child = spawn(program, args, { cwd: this.#home, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let [output, warned] = ['', '']
    child.stdout.on('data', chunk => (output += chunk))
    child.stderr.on('data', chunk => (warned += chunk))
    const ended = new Promise(resolve => child.once('close', resolve))
    await until('the gateway is ready', () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output}${warned}`)
      return output.includes('is ready at')
    })
    rejectWarnings(warned)
    return { url: `http://127.0.0.1:${port}`, pid: child.pid, ended, output: () => output, readyAfter: seconds(began) }
  }

  async #npm(...args) {
    const child = spawn('npm', args, { cwd: this.#home, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
    const code = await new Promise(resolve => child.once('close', resolve))
    if (code !== 0) throw new Error(`npm ended with ${code}: ${output}`)
    rejectWarnings(output)
    return output
  }
}

function rejectWarnings(output) {
  if (UNWANTED.test(output)) throw new Error(`a warning: ${output}`)
}

const megabytes = bytes => `${(bytes / 1e6).toFixed(1)} MB`
const seconds = began => `${((performance.now() - began) / 1000).toFixed(1)} s`
