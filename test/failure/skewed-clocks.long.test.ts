import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Event } from '../../src/domain/event.ts'
import { type Answer, ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type GatewayProcess, type Running, runPostern, startProcess } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const SHIFT = ['--require', join(import.meta.dirname, '../harness/shifted-date.cjs')]
/** A limit for steps that take a second or two on an idle machine. */
const SETTINGS = { POSTERN_LEASE_TTL: '3s', POSTERN_DISCONNECT_GRACE: '120s' }
const UNLIMITED = { messages_per_second: null, messages_per_month: null, requests_per_second: null }

describe('A worker whose clock is wrong, on PostgreSQL', () => {
  let place: Place
  let front: GatewayProcess
  let receiver: Receiver
  let key: string
  let number: string
  let worker: Running

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    ask(front.url, method, path, { key, body })
  const overview = async () => (await ask(front.url, 'GET', '/operator/overview', { key: OPERATOR_TOKEN })).json
  const events = (): Event[] => receiver.ledger.map(entry => JSON.parse(entry.body.toString()) as Event)
  const stateOf = async (id: string): Promise<string> => (await call('GET', `/v1/messages/${id}`)).json.state
  const isConnected = async () =>
    (await call('GET', `/v1/sessions/${encodeURIComponent(number)}`)).json.state === 'connected'
  const send = async (to: string): Promise<string> => {
    const answer = await call('POST', '/v1/messages', { session_id: number, to, text: 'x' })
    expect(answer.status).toBe(202)
    return answer.json.message_id
  }
  const startWorker = async (shiftMs: number): Promise<void> => {
    const settings = {
      ...place.env,
      ...SETTINGS,
      POSTERN_ROLES: 'worker',
      POSTERN_PORT: '0',
      POSTERN_LOG_LEVEL: 'warn',
    }
    worker = runPostern(['start'], { ...settings, SHIFT_CLOCK_MS: String(shiftMs) }, SHIFT)
    await until(() => worker.stdout().includes('is ready'))
  }
  const stopWorker = async (): Promise<void> => {
    worker.kill('SIGTERM')
    await worker.exited
  }

  beforeAll(async () => {
    place = await newPlace('postgres')
    receiver = await startReceiver()
    front = await startProcess(place, { ...SETTINGS, POSTERN_ROLES: 'api,dispatcher,simulator' })
    const account = { name: 'Skew', plan: 'max', accept_tos: true, limits: UNLIMITED }
    key = (await ask(front.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })).json.api_key.key
    await startWorker(0)
    number = await until(async () => (await call('POST', '/v1/sessions', { platform: 'sandbox' })).json.id)
    const url = receiver.url()
    const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
    await call('POST', '/v1/webhooks', { session_id: number, ...urls })
    await until(isConnected)
  })
  afterAll(async () => {
    worker.kill('SIGKILL')
    front.kill('SIGKILL')
    await Promise.all([worker.exited, front.exited])
    await receiver.close()
    place.remove()
  })

  it.each([
    ['ten minutes ahead', 600_000, /600\.\d s ahead of/],
    ['ten minutes behind', -600_000, /600\.\d s behind/],
  ])(
    'by %s fails nothing that waits and lets nothing expire early, and the operator is warned',
    async (_, shiftMs, warning) => {
      // The previous worker has stored the start of the outage by the database's clock.
      await call('POST', `/sandbox/sessions/${encodeURIComponent(number)}/actions`, { action: 'drop', seconds: 12 })
      await until(async () => !(await isConnected()))
      const waiting = await send('15550001001')
      await stopWorker()
      await startWorker(shiftMs)
      await until(async () => (await stateOf(waiting)) !== 'queued')
      expect(await stateOf(waiting)).toMatch(/sent|delivered|read/)

      const typing = { chat_jid: '15550001001@s.whatsapp.net', typing: true }
      expect((await call('POST', `/v1/sessions/${encodeURIComponent(number)}/typing`, typing)).status).toBeLessThan(300)

      const refused = await send('15550000463')
      await until(async () => (await stateOf(refused)) === 'failed')
      const stranger = await send(`1555000${shiftMs > 0 ? 2001 : 2002}`)
      await until(async () => (await stateOf(stranger)) !== 'queued')

      const pairing = { method: 'qr', phone: `99977700${shiftMs > 0 ? 1 : 2}`, platform: 'sandbox' }
      const { id } = (await call('POST', '/v1/pairings', pairing)).json
      const shown = await until(async () => {
        const { json } = await call('GET', `/v1/pairings/${id}`)
        return json.qr && json
      })
      const leftMs = Date.parse(shown.expires_at) - Date.now()
      expect(leftMs).toBeGreaterThan(0)
      expect(leftMs).toBeLessThan(180_000)

      const { warnings } = await until(async () => {
        const seen = await overview()
        return seen.warnings.length > 0 && seen
      })
      expect(warnings).toEqual([expect.stringMatching(warning)])
      expect(worker.stdout()).toContain('clock.skewed')
      const failed = events().flatMap(event => (event.kind === 'status' && event.status === 'failed' ? [event] : []))
      expect(failed.map(({ message_id }) => message_id)).not.toContain(waiting)
      expect(events().filter(event => event.kind === 'connection' && event.event === 'disconnected')).toEqual([])
    },
    300_000,
  )
})
