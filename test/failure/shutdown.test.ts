import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { createAccount } from '../../src/actions/create-account.ts'
import { readConfig } from '../../src/config.ts'
import { registerTestSession } from '../harness/gateway.ts'
import { type GatewayProcess, hostSessions, startProcess } from '../harness/process.ts'
import { cells } from '../harness/matrix.ts'
import { newPlace, openStore, type Place, type StoreKind } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

interface Bed {
  place: Place
  gateway: GatewayProcess
  key: string
  sessionId: string
}

async function prepare(kind: StoreKind): Promise<Bed> {
  const place = await newPlace(kind)
  const store = await openStore(place)
  const account = { name: 'x', plan: 'max', acceptTos: true, keyLabel: 'x' } as const
  const created = await createAccount({ store, config: readConfig(place.env) }, account)
  const session = await registerTestSession(store, created.account.id, true)
  await store.close()
  const gateway = await startProcess(place)
  hostSessions(place)
  return { place, gateway, key: created.apiKey.key, sessionId: session.id }
}

/** A send whose last bytes have not arrived yet: the gateway is in the middle of it. */
async function beginSend({ gateway, key, sessionId }: Bed): Promise<{ finish(): Promise<string>; socket: Socket }> {
  const body = JSON.stringify({ session_id: sessionId, to: '15550001111', text: 'in flight' })
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  let text = ''
  socket.on('data', chunk => (text += chunk.toString()))
  socket.on('error', () => {})
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head)
  await until(() => text.startsWith('HTTP/1.1 100 '))
  return {
    socket,
    finish: async () => {
      socket.write(body)
      await closed
      return text
    },
  }
}

const DRAINS = [
  ['sqlite', 'SIGTERM'],
  ['postgres', 'SIGINT'],
  ['sqlite', 'SIGINT'],
  ['postgres', 'SIGTERM'],
] as const

describe('A shutdown', () => {
  it.each(cells(DRAINS, 2))(
    'on %s by %s drains: requests in flight finish, no new ones are accepted, and the exit with 0 follows soon',
    async (kind, signal) => {
      const bed = await prepare(kind)
      const { finish } = await beginSend(bed)
      bed.gateway.kill(signal)
      await until(() =>
        ask(bed.gateway.url, 'GET', '/healthz').then(
          () => false,
          () => true,
        ),
      )
      const answer = await finish()
      expect(answer).toMatch(/HTTP\/1\.1 202 /)
      expect((await bed.gateway.exited).code).toBe(0)
      const id = /"message_id":"(\w+)"/.exec(answer)![1]!
      const store = await openStore(bed.place)
      expect((await store.messages.getMessage(id))?.state).toBe('queued')
      await store.close()
      bed.place.remove()
    },
  )

  it('is immediate on a second signal', async () => {
    const bed = await prepare('sqlite')
    const { socket } = await beginSend(bed)
    bed.gateway.kill('SIGTERM')
    await until(() =>
      ask(bed.gateway.url, 'GET', '/healthz').then(
        () => false,
        () => true,
      ),
    )
    bed.gateway.kill('SIGINT')
    const { code } = await bed.gateway.exited
    expect(code).not.toBe(0)
    socket.destroy()
    bed.place.remove()
  })

  it('is not delayed by idle connections', async () => {
    const bed = await prepare('sqlite')
    for (let i = 0; i < 20; i++) await ask(bed.gateway.url, 'GET', '/healthz')
    const idle = connect(Number(new URL(bed.gateway.url).port), '127.0.0.1')
    await new Promise(resolve => idle.once('connect', resolve))
    bed.gateway.kill('SIGTERM')
    expect((await bed.gateway.exited).code).toBe(0)
    idle.destroy()
    bed.place.remove()
  })

  it('cuts off a client that never finishes', async () => {
    const bed = await prepare('sqlite')
    const { socket } = await beginSend(bed)
    bed.gateway.kill('SIGTERM')
    expect((await bed.gateway.exited).code).toBe(0)
    socket.destroy()
    bed.place.remove()
  })
})
