import { expect, it } from 'vitest'
import type { Event } from '../../src/domain/event.ts'
import { ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { runPostern, startProcess } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const SETTINGS = { POSTERN_LEASE_TTL: '5s', POSTERN_DATABASE_OUTAGE: '20s', POSTERN_LOG_LEVEL: 'warn' }
const TO = '15550001111'

it('when all workers die, messages accepted until that is noticed are kept and sent once by the next worker, in order; later ones are 409', async () => {
  const place = await newPlace('postgres')
  const receiver = await startReceiver()
  const front = await startProcess(place, { ...SETTINGS, POSTERN_ROLES: 'api,dispatcher,simulator' })
  const startWorker = async () => {
    const worker = runPostern(['start'], { ...place.env, ...SETTINGS, POSTERN_ROLES: 'worker', POSTERN_PORT: '0' })
    await until(() => worker.stdout().includes('is ready'))
    return worker
  }
  const first = await startWorker()
  const account = { name: 'test', plan: 'max', accept_tos: true, limits: { messages_per_second: null } }
  const made = await ask(front.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
  const key = made.json.api_key.key as string
  const post = (path: string, body: unknown) => ask(front.url, 'POST', path, { key, body })
  const linked = await post('/v1/sessions', { platform: 'sandbox' })
  expect(linked.status, linked.text).toBe(201)
  const { id } = linked.json as { id: string }
  await post('/v1/webhooks', { session_id: id, status_url: receiver.url(), connection_url: receiver.url() })

  first.kill('SIGKILL')
  await first.exited
  const accepted: string[] = []
  await until(async () => {
    const answer = await post('/v1/messages', { session_id: id, to: TO, text: `${accepted.length}` })
    if (answer.status === 202) accepted.push(answer.json.message_id as string)
    else expect(answer.status).toBe(409)
    return answer.status === 409
  })
  expect(accepted.length).toBeGreaterThan(0)
  for (const messageId of accepted) {
    const kept = await ask(front.url, 'GET', `/v1/messages/${messageId}`, { key })
    expect([kept.status, kept.json.state]).toEqual([200, 'queued'])
  }

  const second = await startWorker()
  const statuses = () =>
    receiver.ledger
      .map(({ body }) => JSON.parse(body.toString()) as Event)
      .flatMap(event => (event.kind === 'status' ? [`${event.status} ${event.message_id}`] : []))
  const sent = accepted.map(messageId => `sent ${messageId}`)
  await until(() => sent.every(each => statuses().includes(each)))
  expect(statuses().toSorted()).toEqual(sent.toSorted())
  const path = `/sandbox/sessions/${encodeURIComponent(id)}/messages?limit=100`
  const { data } = (await ask(front.url, 'GET', path, { key })).json as { data: Array<{ text: string }> }
  expect(data.map(({ text }) => text).reverse()).toEqual(accepted.map((_, n) => `${n}`).slice(-100))

  for (const process of [second, front]) process.kill('SIGKILL')
  await Promise.all([second.exited, front.exited])
  await receiver.close()
  place.remove()
})
