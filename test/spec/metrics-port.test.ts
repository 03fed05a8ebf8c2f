import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Gateway, startGateway } from '../../src/gateway.ts'
import { ask, expectError } from '../harness/client.ts'
import { OPERATOR_TOKEN } from '../harness/gateway.ts'
import { newPlace, type Place } from '../harness/stores.ts'

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
  const start = (env: Record<string, string>) => startGateway(readConfig({ ...PRODUCTION, ...place.env, ...env }))
  beforeAll(async () => {
    place = await newPlace('sqlite')
    gateway = await start({ POSTERN_ROLES: 'dispatcher', POSTERN_METRICS_PORT: '0' })
    url = gateway.watchUrl!
  })
  afterAll(async () => {
    await gateway.stop()
    place.remove()
  })

  it('serves the metrics of the process to whoever has the operator’s token, on this machine', async () => {
    expect([gateway.url, url]).toEqual([null, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)])
    expectError(await ask(url, 'GET', '/metrics'), 401)
    const metrics = await ask(url, 'GET', '/metrics', { key: OPERATOR_TOKEN })
    expect([metrics.status, metrics.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain/)])
    expect(metrics.text).toContain('postern_oldest_due_seconds')
  })

  it('tells whether the process lives and its roles work', async () => {
    expect((await ask(url, 'GET', '/healthz')).json).toEqual({ status: 'ok' })
    await expect
      .poll(async () => (await ask(url, 'GET', '/readyz')).json)
      .toEqual({ status: 'ready', checks: { database: true, dispatcher: true } })
  })

  it('serves nothing else', async () => {
    for (const path of ['/', '/v1/me', '/docs', '/operator/overview']) expectError(await ask(url, 'GET', path), 404)
    expectError(await ask(url, 'POST', '/metrics'), 405)
  })

  it('is an address that customers may not reach', () => {
    const port = Number(new URL(url).port)
    expect(gateway.context.endpoints.own()).toContainEqual({ address: '127.0.0.1', port })
  })

  it('that is in use ends a start with the name of the setting, and leaves the data free', async () => {
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
