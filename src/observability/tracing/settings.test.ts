import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../boot/config-error.ts'
import { tracingSettings } from './settings.ts'

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const TRACES = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
const HERE = 'http://127.0.0.1:4318'

describe('The settings of OpenTelemetry', () => {
  it.each([
    { env: {}, url: undefined },
    { env: { [ENDPOINT]: '' }, url: undefined },
    { env: { [ENDPOINT]: HERE }, url: `${HERE}/v1/traces` },
    { env: { [ENDPOINT]: `${HERE}/` }, url: `${HERE}/v1/traces` },
    { env: { [ENDPOINT]: 'https://c.example/otlp/' }, url: 'https://c.example/otlp/v1/traces' },
    { env: { [ENDPOINT]: HERE, [TRACES]: 'http://c:1/own' }, url: 'http://c:1/own' },
    { env: { [ENDPOINT]: HERE, OTEL_SDK_DISABLED: 'true' }, url: undefined },
    { env: { [ENDPOINT]: HERE, OTEL_TRACES_EXPORTER: 'none' }, url: undefined },
  ])('$env send spans to $url', ({ env, url }) => {
    expect(tracingSettings(env)?.url).toBe(url)
  })

  it('name the service, the headers and what is sampled', () => {
    expect(tracingSettings({ [ENDPOINT]: HERE })).toMatchObject({
      serviceName: 'postern',
      headers: {},
      sampler: 'parentbased_always_on',
    })
    const env = {
      [ENDPOINT]: HERE,
      OTEL_SERVICE_NAME: 'gateway-eu',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-tenant=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=2',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }
    expect(tracingSettings(env)).toMatchObject({
      serviceName: 'gateway-eu',
      headers: { authorization: 'Bearer abc', 'x-tenant': '2' },
      sampler: 'traceidratio',
      ratio: 0.25,
    })
  })

  it.each([
    [{ [ENDPOINT]: 'collector:4318' }, ENDPOINT],
    [{ [ENDPOINT]: 'http://me:sesame@c' }, ENDPOINT],
    [{ [TRACES]: 'nowhere' }, TRACES],
    [{ [ENDPOINT]: HERE, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
    [{ [ENDPOINT]: HERE, OTEL_EXPORTER_OTLP_HEADERS: 'sesame' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
    [{ [ENDPOINT]: HERE, OTEL_EXPORTER_OTLP_HEADERS: 'a=%0asesame' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
    [{ [ENDPOINT]: HERE, OTEL_TRACES_SAMPLER: 'some' }, 'OTEL_TRACES_SAMPLER'],
    [{ [ENDPOINT]: HERE, OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG'],
  ])('%j are refused by a message that names %s and holds no secret', (env, name) => {
    const read = () => tracingSettings(env)
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(new RegExp(`^${name}\\b`))
    expect(read).not.toThrow(/sesame/)
  })
})
