import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { client, sentOrNull } from './client.mjs'
import { startContainer } from './container.mjs'
import { startReceiver } from './receiver.mjs'
import { freePort } from '../shared/free-port.mjs'
import { until } from '../shared/until.mjs'

const MESSAGES = 20
const CONTACT = '+1 555 123 4567'
const SETTINGS = {
  POSTERN_MODE: 'development',
  POSTERN_LOG_LEVEL: 'warn',
  // In a container the gateway listens on all addresses, so it allows none by default.
  POSTERN_ALLOWED_TARGETS: '127.0.0.0/8,::1/128',
}

/** Tests the image: starts it, sends, kills it, and continues with the same volume. */
export class Trial {
  #steps
  #image
  #root
  #folder
  #volume
  #serial = 0
  #running = new Set()

  constructor(steps, image, root, folder) {
    this.#steps = steps
    this.#image = image
    this.#root = root
    this.#folder = folder
    this.#volume = join(folder, 'volume')
  }

  async run() {
    this.#makeVolume()
    const receiver = await startReceiver()
    try {
      await this.#refusesWithoutSettings()
      const { container, gateway } = await this.#startWith('Start it on an empty volume, secrets as files')
      await this.#seeHowItRuns(container)
      const sent = await this.#send(gateway, receiver)
      const waiting = await this.#killUnderway(container, gateway)
      const again = await this.#startWith('Start it again on the same volume', gateway)
      await this.#findEverything(again.gateway, sent)
      await this.#checkWebhooks(again.gateway, waiting, receiver)
      await this.#terminate(again.container)
      await this.#terminateWhileWaiting()
    } finally {
      receiver.close()
      for (const container of this.#running) await container.kill('KILL').catch(() => {})
    }
  }

  #makeVolume() {
    const [uid, gid] = this.#image.User.split(':').map(Number)
    for (const [path, mode] of [
      [this.#volume, 0o700],
      [join(this.#folder, 'secrets'), 0o500],
    ]) {
      rmSync(path, { recursive: true, force: true })
      mkdirSync(path)
      if (path !== this.#volume) {
        writeFileSync(join(path, 'secret_key'), randomBytes(32).toString('base64'))
        writeFileSync(join(path, 'operator_token'), randomBytes(32).toString('hex'))
        for (const name of ['secret_key', 'operator_token']) chownSync(join(path, name), uid, gid)
      }
      chownSync(path, uid, gid)
      chmodSync(path, mode)
    }
  }

  #container(env) {
    const mounts = [
      { from: this.#volume, to: '/data', readOnly: false },
      { from: join(this.#folder, 'secrets'), to: '/run/secrets', readOnly: true },
    ]
    const name = `postern-trial-${process.pid}-${++this.#serial}`
    const image = { name, image: this.#image, root: this.#root, folder: this.#folder }
    const container = startContainer({ ...image, env, mounts })
    this.#running.add(container)
    void container.ended.then(() => this.#running.delete(container))
    return container
  }

  async #refusesWithoutSettings() {
    await this.#steps.step('Start it without settings', async () => {
      const container = this.#container({})
      const code = await container.ended
      if (code !== 1) throw new Error(`ended with ${code}: ${container.printed()}`)
      return `ended with 1: “${container.printed().trim().split('\n')[0]}”`
    })
  }

  #startWith(name, before = { key: '', session: '' }) {
    return this.#steps.step(name, async () => {
      const began = performance.now()
      const ports = { POSTERN_PORT: String(await freePort()), POSTERN_METRICS_PORT: String(await freePort()) }
      const secrets = {
        POSTERN_SECRET_KEY_FILE: '/run/secrets/secret_key',
        POSTERN_OPERATOR_TOKEN_FILE: '/run/secrets/operator_token',
      }
      const container = this.#container({ ...SETTINGS, ...ports, ...secrets })
      await until('the gateway is ready', () => isStill(container, /is ready at/.test(container.printed())))
      const ready = ((performance.now() - began) / 1000).toFixed(1)
      if (before.key === '')
        await until('a sandbox number', () => /^export POSTERN_SESSION=/m.test(container.printed()))
      const key = /^export POSTERN_API_KEY=(\S+)/m.exec(container.printed())?.[1] ?? before.key
      const session = /^export POSTERN_SESSION=(\S+)/m.exec(container.printed())?.[1] ?? before.session
      const gateway = { key, session, url: `http://127.0.0.1:${ports.POSTERN_PORT}` }
      const seen = `ready after ${ready} s${before.key === '' ? ', with a key and a sandbox number' : ''}`
      return { seen, value: { container, gateway } }
    })
  }

  async #seeHowItRuns(container) {
    await this.#steps.step('Inspect it from inside', async () => {
      const output = await container.exec(['node', '-e', FROM_INSIDE])
      const version = await container.exec(['postern', '--version'])
      const { uid, first, capabilities, root, data } = JSON.parse(output)
      if (uid === 0 || root !== 'EROFS' || data !== 'written' || !first.includes('/opt/postern/bin/postern.mjs')) {
        throw new Error(output)
      }
      return `user ${uid}, process 1 is \`${first}\`, capabilities ${capabilities}, writing to the root gives ${root}, /data is writable, \`postern --version\` prints ${version}`
    })
    await this.#steps.step("Run the image's health check", async () => {
      await container.exec(this.#image.Healthcheck.Test.slice(1))
      return 'ended with 0'
    })
  }

  #send({ key, session, url }, receiver) {
    return this.#steps.step('Register a webhook and send a message', async () => {
      const ask = client(url, key)
      const hooks = { session_id: session, messages_url: receiver.url, status_url: receiver.url }
      const hook = await ask('POST', '/v1/webhooks', hooks, 201)
      const { message_id: id } = await ask('POST', '/v1/messages', message(session, 'from the image'), 202)
      await until('the webhook', () => receiver.about(id).size > 0)
      const [event] = receiver.about(id).values()
      if (!event.signed) throw new Error('the webhook is not signed')
      const { state } = await until('it is sent', () => sentOrNull(ask, id))
      return { seen: `201, 202, then state \`${state}\` and a signed webhook about it`, value: { hook: hook.id, id } }
    })
  }

  #killUnderway(container, { key, session, url }) {
    return this.#steps.step(`Send ${MESSAGES} messages and kill it immediately (SIGKILL)`, async () => {
      const ask = client(url, key)
      const accepted = await Promise.all(
        Array.from({ length: MESSAGES }, (_, i) => ask('POST', '/v1/messages', message(session, `number ${i}`), 202)),
      )
      await container.kill('KILL')
      const code = await container.ended
      if (code !== 137) throw new Error(`ended with ${code}`)
      return { seen: `${accepted.length} times 202; ended with 137`, value: accepted.map(answer => answer.message_id) }
    })
  }

  async #findEverything({ key, session, url }, { hook, id }) {
    await this.#steps.step('Check key, number, webhook and message', async () => {
      const ask = client(url, key)
      const { state } = await ask('GET', `/v1/messages/${id}`)
      await ask('GET', `/v1/webhooks/${hook}`)
      const path = `/v1/sessions/${encodeURIComponent(session)}`
      const number = await until('the number is connected', async () => {
        const found = await ask('GET', path)
        return found.state === 'connected' ? found : null
      })
      return `the key works, the number is \`${number.state}\`, the webhook is there, the message is \`${state}\``
    })
  }

  async #checkWebhooks({ key, url }, ids, receiver) {
    await this.#steps.step('Wait for the messages that were accepted before', async () => {
      const ask = client(url, key)
      for (const id of ids) await until(`${id} is sent`, () => sentOrNull(ask, id))
      for (const id of ids) await until(`a webhook about ${id}`, () => receiver.about(id).size > 0)
      return `all ${ids.length} are sent, and there was a webhook about each`
    })
  }

  async #terminate(container) {
    await this.#steps.step('End it with SIGTERM', async () => {
      const began = performance.now()
      await container.kill('TERM')
      const code = await container.ended
      const took = (performance.now() - began) / 1000
      if (code !== 0 || took > 20) throw new Error(`ended with ${code} after ${took} s`)
      return `ended with ${code} after ${took.toFixed(1)} s`
    })
  }

  async #terminateWhileWaiting() {
    await this.#steps.step(
      'Start it with an unreachable database, and end it with SIGTERM while it waits',
      async () => {
        const nowhere = `postgres://postern@127.0.0.1:${await freePort()}/postern`
        const container = this.#container({ ...SETTINGS, POSTERN_DATABASE_URL: nowhere })
        await until('it waits', () => isStill(container, container.printed().trim() !== ''))
        const began = performance.now()
        await container.kill('TERM')
        const code = await Promise.race([container.ended, afterMs(10_000)])
        if (code !== 143) throw new Error(`after SIGTERM and at most 10 s: ${code}`)
        return `ended with ${code} after ${((performance.now() - began) / 1000).toFixed(1)} s`
      },
    )
  }
}

const FROM_INSIDE = `
const { readFileSync, writeFileSync, rmSync } = require('node:fs')
const write = path => { try { writeFileSync(path, ''); rmSync(path); return 'written' } catch (error) { return error.code } }
console.log(JSON.stringify({
  uid: process.getuid(),
  first: readFileSync('/proc/1/cmdline', 'utf8').replaceAll('\\0', ' ').trim(),
  capabilities: /CapEff:\\s*(\\S+)/.exec(readFileSync('/proc/1/status', 'utf8'))[1],
  root: write('/opt/postern/trial'),
  data: write('/data/trial'),
}))`

const message = (session, text) => ({ session_id: session, to: CONTACT, text })

/** Returns the condition; throws if the container has ended. */
async function isStill(container, condition) {
  const code = await Promise.race([container.ended, Promise.resolve('running')])
  if (code !== 'running') throw new Error(`the container ended with ${code}: ${container.printed()}`)
  return condition
}

function afterMs(ms) {
  return new Promise(resolve => setTimeout(resolve, ms, 'still running').unref())
}
