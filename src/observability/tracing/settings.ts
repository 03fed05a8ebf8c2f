import { ConfigError } from '../../boot/config-error.ts'
import { getOwn } from '../../runtime/get-own.ts'

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Where spans are sent, and which; the names are OpenTelemetry's. */
export interface TracingConfig {
  /** The collector's address, with its path. */
  url: string
  headers: Record<string, string>
  serviceName: string
  sampler: (typeof SAMPLERS)[number]
  /** The share of traces that a ratio sampler takes. */
  ratio: number
}

type Env = Record<string, string | undefined>

/** The settings of OpenTelemetry's own variables; `null` if they name no collector. */
export function tracingSettings(env: Env): TracingConfig | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return null
  const url = collector(env)
  if (url === null) return null
  requireProtocol(env)
  return {
    url,
    headers: { ...headers(env, 'OTEL_EXPORTER_OTLP_HEADERS'), ...headers(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') },
    serviceName: env.OTEL_SERVICE_NAME || 'postern',
    ...sampling(env),
  }
}

/** The endpoint for traces is used as it is; the general endpoint gets the path of traces appended. */
function collector(env: Env): string | null {
  const own = address(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (own !== null) return own.href
  const shared = address(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (shared === null) return null
  shared.pathname = `${shared.pathname.replace(/\/$/, '')}/v1/traces`
  return shared.href
}

function address(env: Env, name: string): URL | null {
  const value = getOwn(env, name)
  if (!value) return null
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${name} is not an http or https address. Set it to one such as http://127.0.0.1:4318.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError(`${name} contains a user or a password. Move it to OTEL_EXPORTER_OTLP_HEADERS.`)
  }
  return url
}

function requireProtocol(env: Env): void {
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    const value = getOwn(env, name)
    if (!value || value === 'http/protobuf') continue
    throw new ConfigError(
      `${name} is "${value}". Postern supports only http/protobuf: unset it, and use that port of the collector (4318).`,
    )
  }
}

/** `name=value,…`, percent-encoded if necessary. The values may be secrets: no message contains them. */
function headers(env: Env, name: string): Record<string, string> {
  const pairs = (getOwn(env, name) ?? '').split(',').filter(pair => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair, at) => {
      const [, key, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=(.*)$/.exec(pair) ?? []
      const decoded = decode(value?.trim())
      if (key !== undefined && decoded !== undefined) return [key, decoded]
      throw new ConfigError(`${name}: entry ${at + 1} is not name=value. Write it like authorization=Bearer%20…`)
    }),
  )
}

function decode(value: string | undefined): string | undefined {
  try {
    const decoded = value === undefined ? undefined : decodeURIComponent(value)
    return decoded !== undefined && /^[\x20-\x7e]*$/.test(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}

function sampling(env: Env): Pick<TracingConfig, 'sampler' | 'ratio'> {
  const given = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on'
  const sampler = SAMPLERS.find(name => name === given)
  if (sampler === undefined) {
    throw new ConfigError(`OTEL_TRACES_SAMPLER is "${given}". Set it to one of: ${SAMPLERS.join(', ')}.`)
  }
  const share = env.OTEL_TRACES_SAMPLER_ARG || '1'
  if (!/^(0|1|0?\.\d+|1\.0+)$/.test(share)) {
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG is "${share}". Set it to a number from 0 to 1, such as 0.1.`)
  }
  return { sampler, ratio: Number(share) }
}
