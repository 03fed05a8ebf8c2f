import { isAbsolute } from 'node:path'
import { ConfigError } from './config-error.ts'
import { getOwn } from '../runtime/get-own.ts'
import type { TracingConfig } from '../observability/tracing/settings.ts'
import { isOfDotEnv } from './dot-env.ts'
import { secretOf } from './secret-files.ts'

type AddressSetting =
  | 'POSTERN_URL'
  | 'POSTERN_PUBLIC_URL'
  | 'POSTERN_HOST'
  | 'POSTERN_DATA_DIR'
  | 'CHATWOOT_URL'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'

/** An address, and the option or the setting that chose it. */
export interface Address {
  url: string
  from: '--url' | '--chatwoot' | AddressSetting
}

const COLLECTOR_HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const

export const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * A secret that a command sends. It knows where it comes from, and gives its value only for an address: a working folder
 * that chooses an address on another machine gets no secret but its own.
 */
export class Secret {
  readonly #env: NodeJS.ProcessEnv
  readonly #name: string
  readonly #value: string
  readonly #isOfFolder: boolean

  private constructor(env: NodeJS.ProcessEnv, name: string, value: string, isOfFolder: boolean) {
    this.#env = env
    this.#name = name
    this.#value = value
    this.#isOfFolder = isOfFolder
  }

  /** A secret that the user typed, or that belongs to another user. */
  static given(env: NodeJS.ProcessEnv, name: string, value: string): Secret {
    return new Secret(env, name, value, false)
  }

  /**
   * The secret of the environment, or of the folder's `.env`. The content of a file never counts as the folder's, even if
   * `.env` names the file: it can name any file of the user.
   */
  static of(
    env: NodeJS.ProcessEnv,
    name: 'POSTERN_API_KEY' | 'POSTERN_OPERATOR_TOKEN' | 'CHATWOOT_TOKEN',
  ): Secret | undefined {
    const value = secretOf(env, name) || undefined
    return value === undefined ? undefined : new Secret(env, name, value, isFolders(env, name))
  }

  /** The value. Throws if only the folder chose the address, and the secret is not the folder's. */
  for(address: Address): string {
    if (!this.#isOfFolder) rejectUntrustedAddress(this.#env, this.#name, address)
    return this.#value
  }

  /** The header that authenticates a command with this secret at this address. */
  bearer(address: Address): { authorization: string } {
    return { authorization: `Bearer ${this.for(address)}` }
  }
}

/** Whether the value itself, and not that of its file, is in `.env`. */
const isFolders = (env: NodeJS.ProcessEnv, name: string): boolean => isOfDotEnv(env, name) && Boolean(getOwn(env, name))

function rejectUntrustedAddress(env: NodeJS.ProcessEnv, secret: string, { url, from }: Address): void {
  if (!isChosenByFolder(env, from)) return
  if (!URL.canParse(url) || LOOPBACK.test(new URL(url).hostname)) return
  throw new ConfigError(
    `${from} of this folder is ${new URL(url).origin}, but ${secret} is not in its .env. The command does not send a secret to an address that only the folder chooses. ${cureOf(from)}`,
  )
}

function isChosenByFolder(env: NodeJS.ProcessEnv, from: Address['from']): boolean {
  if (isOfDotEnv(env, from)) return true
  // A data folder inside the working folder, or the default one, has what the author of the working folder put there.
  return from === 'POSTERN_DATA_DIR' && !isAbsolute(getOwn(env, from) ?? '')
}

function cureOf(from: Address['from']): string {
  if (from.startsWith('OTEL_')) return 'Set both in one place.'
  return `Give ${from === 'CHATWOOT_URL' ? '--chatwoot' : '--url'}, or set both in one place.`
}

/** The same for the collector of traces, which receives the headers of the environment. */
export function rejectUntrustedCollector(env: NodeJS.ProcessEnv, collector: Pick<TracingConfig, 'url'> | null): void {
  if (collector === null) return
  const own = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  const from = getOwn(env, own) ? own : 'OTEL_EXPORTER_OTLP_ENDPOINT'
  for (const secret of COLLECTOR_HEADERS)
    if (getOwn(env, secret) && !isFolders(env, secret))
      rejectUntrustedAddress(env, secret, { url: collector.url, from })
}
