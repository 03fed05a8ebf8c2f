import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { makeEvent } from '../src/actions/make-event.ts'
import { makeCertificate } from './harness/certificates.ts'
import { textMessage } from './harness/delivery.ts'
import { listenTo } from './harness/event-stream.ts'
import { startTestGateway, type TestAccount, type TestGateway } from './harness/gateway.ts'
import { freePort } from '../scripts/shared/free-port.mjs'
import { needProgram, unpackProgram } from './harness/programs.ts'
import { type Receiver, startReceiver } from './harness/receiver.ts'
import { until } from './harness/until.ts'

const DEPLOY = join(import.meta.dirname, '../deploy')

interface Proxy {
  url: string
  ca: string
  child: ChildProcess
}

/** The shipped example, with this gateway's address and a name that resolves to it. */
const example = (name: string, gateway: string): string =>
  readFileSync(join(DEPLOY, name), 'utf8').replaceAll('127.0.0.1:8080', new URL(gateway).host)

async function startCaddy(folder: string, gateway: string, port: number): Promise<Proxy> {
  const file = join(folder, 'Caddyfile')
  const storage = join(folder, 'storage')
  const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tstorage file_system ${storage}\n}\n`
  writeFileSync(
    file,
    options + example('Caddyfile', gateway).replace('gateway.example.com', `https://localhost:${port}`),
  )
  const child = spawn(needProgram('caddy', 'caddy'), ['run', '--config', file, '--adapter', 'caddyfile'], {
    stdio: 'ignore',
  })
  const authority = join(storage, 'pki/authorities/local/root.crt')
  await until(() => existsSync(authority))
  return { url: `https://localhost:${port}`, ca: readFileSync(authority, 'utf8'), child }
}

async function startNginx(folder: string, gateway: string, port: number): Promise<Proxy> {
  const { certificate, privateKey } = makeCertificate({ hosts: ['localhost'], authority: true })
  for (const [name, text] of Object.entries({ 'fullchain.pem': certificate, 'privkey.pem': privateKey }))
    writeFileSync(join(folder, name), text)
  const site = example('nginx.conf', gateway)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('/etc/ssl/postern/', `${folder}/`)
    .replace('gateway.example.com', 'localhost')
  writeFileSync(join(folder, 'postern.conf'), site)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`,
  )
  const around = `daemon off; user root; pid ${folder}/pid; error_log ${folder}/log; events {}
http { access_log off; ${places.join(' ')} include ${folder}/postern.conf; }\n`
  writeFileSync(join(folder, 'nginx.conf'), around)
  const program = unpackProgram('nginx', folder, 'usr/sbin/nginx')
  const child = spawn(program, ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  return { url: `https://localhost:${port}`, ca: certificate, child }
}

describe.each([
  ['Caddy', startCaddy],
  ['nginx', startNginx],
])('%s with the example of deploy/', (name, start) => {
  const folder = mkdtempSync(join(tmpdir(), `postern-${name}-`))
  let gateway: TestGateway
  let account: TestAccount
  let receiver: Receiver
  let proxy: Proxy
  const ask = (path: string, options: Parameters<typeof fetch>[1] = {}) =>
    fetch(proxy.url + path, {
      dispatcher: new Agent({ connect: { ca: proxy.ca } }),
      ...options,
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    })

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true })
    gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,dispatcher' })
    account = await gateway.account()
    receiver = await startReceiver()
    proxy = await start(folder, gateway.url, await freePort())
    await until(async () => (await ask('/readyz').catch(() => undefined))?.status === 200)
  })
  afterAll(async () => {
    proxy.child.kill('SIGTERM')
    await receiver.close()
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('passes each event of a stream immediately', async () => {
    const session = await gateway.session(account)
    const hooks = { session_id: session.id, messages_url: receiver.url() }
    expect((await ask('/v1/webhooks', { method: 'POST', body: JSON.stringify(hooks) })).status).toBe(201)
    const headers = { authorization: `Bearer ${account.key}` }
    const stream = await listenTo(proxy.url, '/v1/deliveries/events', headers, proxy.ca)
    await stream.wait('ping')
    for (const text of ['one', 'two', 'three']) {
      const seen = stream.of('delivery').length
      const event = makeEvent(gateway.context, account.id, textMessage(session.jid, text))
      await gateway.store.events.publishEvent(event)
      await until(() => stream.of('delivery').length > seen)
    }
    stream.close()
  })

  it('passes the WebSocket of a pull endpoint, in both directions', async () => {
    const session = await gateway.session(account)
    const created = await ask('/v1/endpoints', { method: 'POST', body: JSON.stringify({ type: 'pull' }) })
    const { id } = (await created.json()) as { id: string }
    const headers = { authorization: `Bearer ${account.key}` }
    const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/v1/endpoints/${id}/stream`, {
      headers,
      ca: proxy.ca,
    })
    const events: string[] = []
    socket.on('message', message => {
      const { event, data } = JSON.parse((message as Buffer).toString()) as { event: string; data: { cursor: string } }
      events.push(event)
      if (event === 'event') socket.send(JSON.stringify({ ack: data.cursor }))
    })
    await gateway.store.events.publishEvent(makeEvent(gateway.context, account.id, textMessage(session.jid)))
    await until(() => events.includes('acknowledged'))
    socket.terminate()
  })

  it('does not expose /metrics', async () => {
    expect((await ask('/metrics')).status).toBe(404)
  })

  it('leaves the rejection of a body that is too large to the gateway, with its reason', async () => {
    const body = JSON.stringify({ session_id: 'x'.repeat(1_100_000) })
    const answer = await ask('/v1/messages', { method: 'POST', body })
    expect([answer.status, await answer.json()]).toEqual([413, expect.objectContaining({ error: expect.any(String) })])
  })
})
