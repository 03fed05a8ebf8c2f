import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { traceIdOf } from '../../src/domain/trace-context.ts'
import { type Answer, ask } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { type CollectedSpan, type Collector, startCollector } from '../harness/otlp-collector.ts'
import { type GatewayProcess, type Running, runPostern, startProcess } from '../harness/process.ts'
import { type Received, type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }
const CONTACT = '15557654321'
const WORDS = 'a canary that nobody but its recipient may read'
const PATH = 'secret-path-of-the-endpoint'

describe('Traces of two processes on PostgreSQL', () => {
  let place: Place
  let collector: Collector
  let receiver: Receiver
  let front: GatewayProcess
  let worker: Running
  let key = ''
  let session = ''
  let own: Answer
  let called: Answer
  const refused: Answer[] = []

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(front.url, 'POST', path, { key, body, headers })
  const event = (entry: Received) => JSON.parse(entry.body.toString()) as Record<string, unknown>
  const isDelivered =
    ({ json }: Answer, name: string, value: string) =>
    (entry: Received) =>
      entry.answer === 200 && event(entry).request_id === json.request_id && event(entry)[name] === value
  const traceOf = (answer: Answer): CollectedSpan[] =>
    collector.spans.filter(({ traceId }) => traceId === answer.headers['x-trace-id'])
  const named = (spans: CollectedSpan[], name: string): CollectedSpan[] => spans.filter(span => span.name === name)

  beforeAll(async () => {
    place = await newPlace('postgres')
    collector = await startCollector()
    let isRefused = false
    receiver = await startReceiver(entry => {
      const isFirstSent = !isRefused && event(entry).status === 'sent'
      if (isFirstSent) isRefused = true
      return isFirstSent ? 503 : 200
    })
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=north',
      OTEL_SERVICE_NAME: 'postern-test',
      POSTERN_RETRY_DELAYS: '50ms,50ms,50ms',
      POSTERN_LOG_LEVEL: 'info',
    }
    front = await startProcess(place, { ...env, POSTERN_ROLES: 'api,dispatcher,simulator' })
    worker = runPostern(['start'], { ...place.env, ...env, POSTERN_ROLES: 'worker', POSTERN_PORT: '0' })
    const account = { name: 'test', plan: 'max', accept_tos: true }
    const made = await ask(front.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
    key = made.json.api_key.key
    session = (await post('/v1/sessions', { platform: 'sandbox' })).json.id
    const url = `${receiver.url(`/${PATH}`)}?token=${PATH}`
    const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
    await post('/v1/webhooks', { session_id: session, ...urls })
    const message = { session_id: session, to: CONTACT, text: WORDS }
    own = await until(async () => {
      const answer = await post('/v1/messages', message)
      return answer.status === 202 ? answer : undefined
    })
    const once = { 'idempotency-key': 'once', traceparent: `00-${CALLER.trace}-${CALLER.span}-01` }
    called = await post('/v1/messages', message, once)
    for (const text of [WORDS, 'another'])
      refused.push(await post('/v1/messages', { ...message, text }, { 'idempotency-key': 'once' }))
    const path = `/sandbox/sessions/${encodeURIComponent(session)}/incoming`
    expect((await post(path, { from: CONTACT, type: 'text', text: WORDS })).status).toBe(202)
    await receiver.until(
      ledger =>
        [own, called].every(
          answer =>
            ledger.some(isDelivered(answer, 'status', 'sent')) &&
            ledger.some(isDelivered(answer, 'receipt_type', 'delivered')),
        ) && ledger.some(entry => event(entry).kind === 'message'),
    )
    for (const process of [worker, front]) process.kill('SIGTERM')
    await Promise.all([worker.exited, front.exited])
  })

  afterAll(async () => {
    for (const process of [worker, front]) process.kill('SIGKILL')
    await receiver.close()
    await collector.close()
    place.remove()
  })

  it('connect a message from the request over the worker to every attempt at its webhook', () => {
    const trace = traceOf(own)
    const byId = new Map(trace.map(span => [span.spanId, span.name]))
    const edges = new Set(trace.map(({ name, parentSpanId }) => `${byId.get(parentSpanId) ?? ''} > ${name}`))
    expect([...edges].sort()).toEqual([
      ' > POST /v1/messages',
      'POST /v1/messages > message.accept',
      'event.receipt > webhook.attempt',
      'event.status > webhook.attempt',
      'message.accept > event.receipt',
      'message.accept > event.status',
      'message.accept > message.queue',
      'message.accept > message.send',
    ])
    expect(trace.every(({ service }) => service === 'postern-test')).toBe(true)
    const instances = (name: string) => named(trace, name)[0]!.instance.split('/')[0]
    expect(instances('message.send')).not.toBe(instances('POST /v1/messages'))
    expect(instances('webhook.attempt')).toBe(instances('POST /v1/messages'))
  })

  it('show the outcome of each step, and how long it took', () => {
    const trace = traceOf(own)
    expect(named(trace, 'POST /v1/messages')[0]!.attributes).toMatchObject({ 'http.response.status_code': 202 })
    expect(named(trace, 'message.send')[0]!.attributes).toMatchObject({
      'postern.message': own.json.message_id,
      'postern.attempt': 1,
      'postern.outcome': 'sent',
    })
    const attempts = named(trace, 'webhook.attempt').map(({ attributes, failed }) => ({
      status: attributes['http.response.status_code'],
      host: attributes['server.address'],
      failed,
    }))
    expect(attempts).toContainEqual({ status: 503, host: '127.0.0.1', failed: true })
    expect(attempts.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2)
    expect(trace.every(({ startMs, endMs }) => startMs > 1e12 && endMs >= startMs && endMs - startMs < 60_000)).toBe(
      true,
    )
  })

  it('continue the caller’s trace, and pass it on to the webhook', () => {
    expect(called.headers['x-trace-id']).toBe(CALLER.trace)
    const [request] = named(traceOf(called), 'POST /v1/messages')
    expect(request!.parentSpanId).toBe(CALLER.span)
    for (const answer of [own, called]) {
      const about = receiver.ledger.filter(entry => event(entry).request_id === answer.json.request_id)
      const attempts = named(traceOf(answer), 'webhook.attempt')
      expect(about.length).toBe(attempts.length)
      expect(about.map(({ headers }) => traceIdOf(headers.traceparent as string))).toEqual(
        about.map(() => answer.headers['x-trace-id']),
      )
      expect(new Set(about.map(({ headers }) => String(headers.traceparent).split('-')[2]))).toEqual(
        new Set(attempts.map(({ spanId }) => spanId)),
      )
    }
  })

  it('are stored for accepted messages, and not for rejected requests or replays', async () => {
    expect(refused.map(({ status }) => status)).toEqual([202, 400])
    const kept = await queryPlace<{ id: string }>(place, "select id from traces where id like 'msg%'")
    expect(new Set(kept.map(({ id }) => id))).toEqual(
      new Set([own, called].map(({ json }) => json.message_id as string)),
    )
  })

  it('begin with each received message', () => {
    const [incoming] = named(collector.spans, 'event.message')
    expect(incoming).toMatchObject({ parentSpanId: '', attributes: { 'postern.category': 'messages' } })
    expect(collector.spans).toContainEqual(
      expect.objectContaining({ name: 'webhook.attempt', traceId: incoming!.traceId, parentSpanId: incoming!.spanId }),
    )
  })

  it('are named in responses and log lines', () => {
    const trace = own.headers['x-trace-id'] as string
    expect(trace).toMatch(/^[0-9a-f]{32}$/)
    const lines = (running: Running) =>
      running
        .stdout()
        .split('\n')
        .filter(line => line.includes(trace))
        .map(line => (JSON.parse(line) as { msg: string }).msg)
    expect(new Set(lines(front))).toEqual(new Set(['request.answered', 'delivery.attempted']))
    expect(new Set(lines(worker))).toEqual(new Set(['command.executed']))
  })

  it('contain neither message content nor numbers, keys or addresses', () => {
    expect(collector.spans.length).toBeGreaterThan(20)
    const sent = Buffer.concat(collector.bodies).toString('latin1')
    for (const secret of [WORDS, CONTACT, session.split(/[:@]/)[0]!, key, PATH, OPERATOR_TOKEN])
      expect(sent).not.toContain(secret)
  })

  it('are exported as the variables of OpenTelemetry configure', () => {
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']))
    const { headers } = collector.requests[0]!
    expect(headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'x-tenant': 'north' })
  })
})
