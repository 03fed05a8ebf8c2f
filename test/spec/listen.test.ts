import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, expectError } from '../harness/client.ts'
import { type GatewayProcess, type Running, runPostern, startProcess } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const ALL_ROLES = { POSTERN_ROLES: '', POSTERN_OPERATOR_TOKEN: '', POSTERN_LOG_LEVEL: 'error' }

interface Line {
  cursor: string
  event_id: string
  kind: string
  payload: { text?: string; kind: string }
  forwarded?: { status: number | null }
}

const signatureOf = (secret: string, seconds: string, body: Buffer): string =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')

const linesOf = (listening: Running): Line[] =>
  listening
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)

describe('an account without a webhook', () => {
  let place: Place
  let gateway: GatewayProcess
  let session = ''
  const run = async (args: string[]) => {
    const running = runPostern(args, place.env)
    const { code } = await running.exited
    return { code, stdout: running.stdout(), stderr: running.stderr() }
  }
  const say = async (text: string) => {
    const said = await run(['trigger', 'message', '--text', text])
    expect([said.code, said.stderr]).toEqual([0, ''])
  }
  const listen = async (...args: string[]): Promise<Running> => {
    const listening = runPostern(['listen', '--json', ...args], place.env)
    await until(() => listening.stderr().includes('Listening at'), 60_000)
    return listening
  }
  beforeAll(async () => {
    place = await newPlace('sqlite')
    gateway = await startProcess(place, ALL_ROLES)
    session = (await until(() => /^export SESSION=(\S+)/m.exec(gateway.stdout()), 60_000))[1]!
  })
  afterAll(async () => {
    gateway.kill('SIGTERM')
    await gateway.exited
    place.remove()
  })

  it('is listened to through a restart of the gateway: every event is told once, in order, and forwarded signed', async () => {
    const receiver = await startReceiver()
    const told = () => receiver.ledger.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text)
    const listening = await listen('--events', 'message', '--forward-to', receiver.url('/hook'))
    const secret = (await until(() => /signed with (whsec_\S+)/.exec(listening.stderr())))[1]!
    await say('one')
    await receiver.until(({ length }) => length === 1, 30_000)
    gateway.kill('SIGKILL')
    await gateway.exited
    gateway = await startProcess(place, ALL_ROLES)
    await until(async () => (await run(['status', '--json'])).stdout.includes('"state": "connected"'), 60_000)
    await say('two')
    await say('three')
    await receiver.until(({ length }) => length === 3, 60_000)
    expect(told()).toEqual(['one', 'two', 'three'])
    for (const { headers, body } of receiver.ledger)
      expect(headers['x-webhook-signature']).toContain(signatureOf(secret, String(headers['x-timestamp']), body))
    await until(() => linesOf(listening).length === 3)
    const lines = linesOf(listening)
    expect(lines.map(line => [line.kind, line.payload.text, line.forwarded?.status])).toEqual([
      ['message', 'one', 200],
      ['message', 'two', 200],
      ['message', 'three', 200],
    ])
    listening.kill('SIGINT')
    expect((await listening.exited).code).toBe(0)
    await receiver.close()
  })

  it('tells two listeners the same, and keeps nothing when both are gone', async () => {
    const both = [await listen(), await listen()]
    const sent = await run(['send', '--to', '+1 555 123 4567', '--text', 'Hello', '--json'])
    expect(JSON.parse(sent.stdout)).toMatchObject({ to: '15551234567@s.whatsapp.net' })
    for (const listening of both) await until(() => linesOf(listening).some(line => line.kind === 'receipt'), 30_000)
    for (const listening of both) listening.kill('SIGINT')
    await Promise.all(both.map(listening => listening.exited))
    expect(await queryPlace(place, 'select count(*) as n from listened_events')).toEqual([{ n: 0 }])
    expect(await queryPlace(place, 'select count(*) as n from listeners')).toEqual([{ n: 0 }])
  })

  it('is listened to with a key until that key is revoked: then the command ends and says why', async () => {
    const account = /^acc_\S+/.exec((await run(['account', 'list'])).stdout)![0]
    const { key, id } = JSON.parse((await run(['keys', 'create', '--account', account, '--label', 'a'])).stdout)
    const listening = await listen('--key', key, '--url', gateway.url)
    expect((await run(['keys', 'revoke', id])).code).toBe(0)
    expect((await listening.exited).code).toBe(1)
    expect(listening.stderr()).toMatch(/postern: the gateway answered 401: .* Give a key that is not revoked/)
    expect(listening.stderr()).not.toContain(key)
  })

  it('is asked about by status, sessions, logs, keys and sign-in-link without a key or a token', async () => {
    const status = JSON.parse((await run(['status', '--json'])).stdout)
    expect(status).toMatchObject({ ready: true, account: { name: 'My account' }, sessions: [{ id: session }] })
    expect((await run(['sessions'])).stdout).toContain(session)
    expect((await run(['logs'])).stdout).toMatch(
      /message {3}msg_\S+ {2}text to 15551234567@s\.whatsapp\.net: (sent|delivered|read)/,
    )
    const [key] = JSON.parse((await run(['keys', 'list', '--json'])).stdout).data
    expect(key).toMatchObject({ label: 'first key' })
    expect((await run(['keys', 'revoke', key.id])).stdout).toBe(`${key.id} is revoked.\n`)
    const link = JSON.parse((await run(['sign-in-link', '--json'])).stdout)
    expect(link.email).toBe('owner@postern.local')
    const token = new URL(link.url).hash.slice(1)
    const headers = { origin: gateway.url, 'sec-fetch-site': 'same-origin' }
    expect((await ask(gateway.url, 'POST', '/portal/api/sign-in/link', { body: { token }, headers })).status).toBe(200)
    expectError(await ask(gateway.url, 'POST', '/portal/api/sign-in/link', { body: { token }, headers }), 401)
    expect((await run(['account', 'list'])).stdout).toMatch(/^acc_\S+ {2}max .*My account\n$/)
  })

  it.each(['image', 'location', 'poll', 'reaction', 'poll_vote', 'call', 'typing', 'receipt', 'newsletter_message'])(
    'trigger %s lets it happen',
    async what => {
      const done = await run(['trigger', what])
      expect([done.code, done.stderr]).toEqual([0, ''])
      expect(done.stdout).toContain(`${what} triggered on ${session}`)
    },
  )
})
