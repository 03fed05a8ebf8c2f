import { ConfigError } from './config-error.ts'
import { getOwn } from '../runtime/get-own.ts'
import type { TracingConfig } from '../observability/tracing/settings.ts'
import { isOfDotEnv } from './dot-env.ts'

export type AddressSetting =
  | 'POSTERN_URL'
  | 'POSTERN_PUBLIC_URL'
  | 'POSTERN_HOST'
  | 'POSTERN_DATA_DIR'
  | 'CHATWOOT_URL'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'

const COLLECTOR_HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const

export const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Rejects a secret of the environment for an address on another machine that only the working folder names: the author
 * of the folder would receive the secret. A secret from the folder's own `.env` may go to the folder's address.
 */
export function rejectUntrustedAddress(
  env: NodeJS.ProcessEnv,
  secret: 'POSTERN_API_KEY' | 'POSTERN_OPERATOR_TOKEN' | 'CHATWOOT_TOKEN' | (typeof COLLECTOR_HEADERS)[number],
  { url, setting }: { url: string; setting: AddressSetting },
): void {
  const isChosenByFolder =
    isOfDotEnv(env, setting) || (setting === 'POSTERN_DATA_DIR' && env['POSTERN_DATA_DIR'] === undefined)
  if (!isChosenByFolder || isOfDotEnv(env, secret)) return
  if (!URL.canParse(url) || LOOPBACK.test(new URL(url).hostname)) return
  throw new ConfigError(
    `${setting} of this folder is ${new URL(url).origin}, but ${secret} is not in its .env. The command does not send a secret to an address that only the folder chooses. ${cureOf(setting)}`,
  )
}

function cureOf(setting: AddressSetting): string {
  if (setting.startsWith('OTEL_')) return 'Set both in one place.'
  return `Give ${setting === 'CHATWOOT_URL' ? '--chatwoot' : '--url'}, or set both in one place.`
}

/** The same for the collector of traces, which receives the headers of the environment. */
export function rejectUntrustedCollector(env: NodeJS.ProcessEnv, collector: Pick<TracingConfig, 'url'> | null): void {
  if (collector === null) return
  const own = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  const setting = getOwn(env, own) ? own : 'OTEL_EXPORTER_OTLP_ENDPOINT'
  for (const secret of COLLECTOR_HEADERS)
    if (getOwn(env, secret)) rejectUntrustedAddress(env, secret, { url: collector.url, setting })
}
