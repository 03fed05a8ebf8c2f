import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Gateway, startGateway } from '../../src/gateway.ts'
import { ask, expectError } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { newPlace, type Place } from '../harness/stores.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(match => match[1]!)),
]

const metricsIn = (expr: string): string[] =>
  found(expr, /\b((?:postern|nodejs|process)_\w+)/g).map(each => each.replace(/_bucket$/, ''))

/** The rows of docs/metrics.md: name, type and labels, and the alarms that use the metric. */
const documented = () =>
  [...page('docs/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \|([^|]*)\|[^|]*\|([^|]*)\|$/gm)].map(
    ([, name, type, labels, alarms]) => ({
      metric: { name, type, labels: found(labels!.replaceAll(/\([^)]*\)/g, ''), /`(\w+)`/g).sort() },
      alarms: found(alarms!, /(\w+)/g),
    }),
  )

/** The rules of deploy/prometheus/alerts.yml: name, expression, and link. */
const alarms = () =>
  [...page('deploy/prometheus/alerts.yml').matchAll(/- alert: (\w+)\n +expr: '(.*)'[^]*?runbook: (\S+)/g)].map(
    ([, name, expr, runbook]) => ({
      name: name!,
      metrics: metricsIn(expr!),
      runbook: runbook!,
    }),
  )

const METRICS_TOKEN = 'metrics-token-0123456789'

const PRODUCTION = {
  POSTERN_MODE: 'production',
  POSTERN_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  POSTERN_PUBLIC_URL: 'https://gateway.example.com',
  POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
  POSTERN_LOG_LEVEL: 'silent',
}

describe('POSTERN_METRICS_PORT on a process without the api role', () => {
  let place: Place
  let gateway: Gateway
  let url = ''
  let printed = ''
  const log = pino({ base: null }, { write: line => void (printed += line) })
  const start = (env: Record<string, string>) =>
    startGateway(readConfig({ ...PRODUCTION, ...place.env, ...env }), { log })
  beforeAll(async () => {
    place = await newPlace('sqlite')
    gateway = await start({ POSTERN_ROLES: 'dispatcher', POSTERN_METRICS_PORT: '0' })
    url = gateway.watchUrl!
  })
  afterAll(async () => {
    await gateway.stop()
    place.remove()
  })

  it('serves the metrics of the process to the operator’s token, on this machine', async () => {
    expect([gateway.url, url]).toEqual([null, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)])
    expectError(await ask(url, 'GET', '/metrics'), 401)
    const metrics = await ask(url, 'GET', '/metrics', { key: OPERATOR_TOKEN })
    expect([metrics.status, metrics.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain/)])
    expect(metrics.text).toContain('postern_oldest_due_seconds')
    expect(metrics.text).toMatch(/^postern_ready\{check="database"\} 1$/m)
    expect(metrics.text).toMatch(/^postern_info\{version="[^"]+",roles="dispatcher"\} 1$/m)
    expect(metrics.text).toMatch(/^postern_dead_letters_total\{reason="attempts_exhausted"\} 0$/m)
  })

  it('serves them to the metrics token, which gives access to nothing else', async () => {
    const other = await newPlace('sqlite')
    const env = { ...other.env, POSTERN_ROLES: 'api', POSTERN_PORT: '0', POSTERN_METRICS_PORT: '0' }
    const own = await start({ ...env, POSTERN_METRICS_TOKEN: METRICS_TOKEN })
    const asked = async (at: string, path: string, key: string) => (await ask(at, 'GET', path, { key })).status
    for (const at of [own.localUrl!, own.watchUrl!]) {
      expect(await asked(at, '/metrics', METRICS_TOKEN)).toBe(200)
      expect(await asked(at, '/metrics', OPERATOR_TOKEN)).toBe(200)
      expect(await asked(at, '/metrics', `${METRICS_TOKEN}0`)).toBe(401)
    }
    for (const path of ['/operator/overview', '/operator/accounts', '/v1/me'])
      expect([path, await asked(own.localUrl!, path, METRICS_TOKEN)]).toEqual([path, 401])
    await own.stop()
    other.remove()
  })

  it('reports whether the process lives and its roles work', async () => {
    expect((await ask(url, 'GET', '/healthz')).json).toEqual({ status: 'ok' })
    await expect
      .poll(async () => (await ask(url, 'GET', '/readyz')).json)
      .toEqual({ status: 'ready', checks: { database: true, dispatcher: true } })
  })

  it('has the metrics, types and labels that docs/metrics.md names, and no others', async () => {
    const { registry } = gateway.context.metrics
    const exposed = registry.getMetricsAsArray().map(metric => ({
      name: metric.name,
      type: String(metric.type),
      labels: [...((metric as unknown as { labelNames?: string[] }).labelNames ?? [])].sort(),
    }))
    const byName = (a: { name?: string }, b: { name?: string }) => (a.name! < b.name! ? -1 : 1)
    expect(
      documented()
        .map(({ metric }) => metric)
        .sort(byName),
    ).toEqual(exposed.sort(byName))
    const { text } = await ask(url, 'GET', '/metrics', { key: OPERATOR_TOKEN })
    expect(found(text, /^# TYPE (\w+)/gm).sort()).toEqual(exposed.map(({ name }) => name).sort())
  })

  it('feeds the alarms that docs/metrics.md names, each of which links to a paragraph of operations.md', () => {
    const fed = documented().flatMap(({ metric, alarms }) => alarms.map(alarm => `${alarm} ${metric.name}`))
    const looksAt = alarms().flatMap(({ name, metrics }) => metrics.map(metric => `${name} ${metric}`))
    expect(alarms().length).toBeGreaterThan(30)
    expect([...new Set(looksAt)].sort()).toEqual(fed.sort())
    const titles = found(page('docs/operations.md'), /^### (.+)$/gm).map(
      title => `docs/operations.md#${title.toLowerCase().replaceAll(' ', '-')}`,
    )
    expect(alarms().filter(({ runbook }) => !titles.includes(runbook))).toEqual([])
    const tried = page('deploy/prometheus/alerts.test.yml')
    expect(alarms().filter(({ name }) => !tried.includes(`- name: ${name}\n`))).toEqual([])
    const steps = ['cluster', 'process', 'resource', 'number']
      .map(kind => page(`bench/alarms/${kind}-steps.mjs`))
      .join()
    expect(alarms().filter(({ name }) => !steps.includes(`'${name}'`))).toEqual([])
  })

  it('has every metric that the dashboard shows', () => {
    const { panels } = JSON.parse(page('deploy/grafana/dashboard.json')) as {
      panels: { targets?: { expr: string }[] }[]
    }
    const shown = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)))
    const known = documented().map(({ metric }) => metric.name)
    expect(new Set(shown).size).toBeGreaterThan(25)
    expect(shown.filter(name => !known.includes(name))).toEqual([])
  })

  it('returns the trace id to a request with a trace, and logs it in the line of the request', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736'
    const asked = (traceparent: string) => ask(url, 'GET', '/healthz', { headers: { traceparent } })
    expect((await asked(`00-${id}-00f067aa0ba902b7-01`)).headers['x-trace-id']).toBe(id)
    await expect.poll(() => printed).toContain(`,"trace_id":"${id}","msg":"request.answered"}`)
    expect((await asked('","level":"error')).headers['x-trace-id']).toBeUndefined()
    expect((await ask(url, 'GET', '/healthz')).headers['x-trace-id']).toBeUndefined()
    expect(printed.match(/trace_id/g)).toHaveLength(1)
  })

  it('serves nothing else', async () => {
    for (const path of ['/', '/v1/me', '/docs', '/operator/overview']) expectError(await ask(url, 'GET', path), 404)
    expectError(await ask(url, 'POST', '/metrics'), 405)
  })

  it('listens on one of the gateway’s own addresses, which webhooks may not target', () => {
    const port = Number(new URL(url).port)
    expect(gateway.context.endpoints.own()).toContainEqual({ address: '127.0.0.1', port })
  })

  it('ends the start with the name of the setting if the port is in use, and releases the data folder', async () => {
    const other = await newPlace('sqlite')
    const taken = new URL(url).port
    const begun = startGateway(readConfig({ ...PRODUCTION, ...other.env, POSTERN_METRICS_PORT: taken }))
    await expect(begun).rejects.toThrow(`POSTERN_METRICS_PORT: 127.0.0.1:${taken} is in use.`)
    const next = await startGateway(readConfig({ ...PRODUCTION, ...other.env, POSTERN_ROLES: 'dispatcher' }))
    expect(next.watchUrl).toBeNull()
    await next.stop()
    other.remove()
  })
})
