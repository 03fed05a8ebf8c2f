import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { isatty } from 'node:tty'
import ipaddr from 'ipaddr.js'
import { BUILT_IN, revisionOf, versionText } from './domain/client-version.ts'
import { RETRIES } from './domain/delivery.ts'
import { getOwn } from './runtime/get-own.ts'
import type { LogFormat } from './observability/log.ts'
import { rejectUnknown } from './boot/known-settings.ts'
import { withSecretFiles } from './boot/secret-files.ts'
import { secretKeys } from './boot/secret-keys.ts'
import { type TracingConfig, tracingSettings } from './observability/tracing/settings.ts'
import { ConfigError } from './boot/config-error.ts'
import type { S3Settings } from './store/media/s3-bucket.ts'
import type { SmtpSettings } from './net/smtp.ts'
import { databaseAddress } from './boot/database-address.ts'

export { ConfigError }

export const ROLES = ['api', 'worker', 'dispatcher', 'simulator'] as const
export type RoleName = (typeof ROLES)[number]

/** Whether people may make accounts for themselves. */
export const SIGNUPS = ['open', 'closed'] as const

export interface Config {
  mode: 'development' | 'production'
  host: string
  port: number
  /** The host and port of a separate server for health and metrics; `null`: no such server. */
  metricsPort: number | null
  metricsHost: string
  /** `null`: derived from host and port once the port is known. */
  publicUrl: string | null
  dataDir: string
  /** The folder for files that customers upload or receive; `null`: they are in the database. */
  mediaDir: string | null
  /** The bucket for these files; `null`: there is none. */
  mediaS3: S3Settings | null
  /** The path of the program that converts sounds and films; `null`: there is none. */
  ffmpeg: string | null
  /** The server that takes mails; `null`: none are sent. */
  smtp: SmtpSettings | null
  databaseUrl: string | null
  /** The address that bypasses the pooler at `databaseUrl`; `null`: there is none; `undefined`: `databaseUrl` is not a pooler. */
  databaseDirectUrl: string | null | undefined
  /** How long a start waits for PostgreSQL; 0: it does not wait. */
  databaseWaitMs: number
  /** Whether processes notify each other of commits; otherwise all of them poll. */
  listen: boolean
  roles: RoleName[]
  secretKeys: Buffer[]
  operatorToken: string | null
  /** A token for `/metrics` alone, beside the operator's. */
  metricsToken: string | null
  tosVersion: string
  retryDelaysMs: number[]
  deliveryTimeoutMs: number
  allowedTargets: string[]
  sandbox: boolean
  /** Where the sandbox network listens. */
  sandboxHost: string
  /** The revision of the web client that real numbers log in with; `null`: the newest known. */
  whatsappRevision: number | null
  /** Whether real numbers may be linked with a passkey; sandbox numbers always may. */
  passkey: boolean
  disconnectGraceMs: number
  leaseTtlMs: number
  /** How long links stay open while the database is unreachable. */
  outageMs: number
  /** How many numbers one host runs at most. */
  maxSessions: number
  /** How many threads host the numbers of a network at most. */
  hostThreads: number
  ackTimeoutMs: number
  /** How many phone numbers one number may check in a day. */
  checksPerDay: number
  sendRetryDelaysMs: number[]
  signup: (typeof SIGNUPS)[number]
  logLevel: string
  /** Short lines for people, or JSON for programs. */
  logFormat: LogFormat
  /** The folder for recorded stanzas; `null`: none are recorded. */
  recordDir: string | null
  /** Where spans are sent; `null`: tracing is off. */
  tracing: TracingConfig | null
}

type Env = Record<string, string | undefined>

/** Reads the environment once. A wrong setting ends the start with one message that says how to fix it. */
export function readConfig(given: Env): Config {
  rejectUnknown(given)
  const env = withSecretFiles(given)
  const mode = oneOf(env, 'POSTERN_MODE', ['development', 'production'], 'development')
  const production = mode === 'production'
  const sandbox = flag(env, 'POSTERN_SANDBOX', !production)
  const dataDir = dataDirOf(env)
  const host = hostOf(env)
  // Development is for one person on one machine: on a network its open doors would be open to everyone.
  const isPrivate = !production && isLoopbackHost(host)
  return {
    mode,
    host,
    port: integer(env, 'POSTERN_PORT', 8080, 0, 65_535),
    metricsPort: env.POSTERN_METRICS_PORT ? integer(env, 'POSTERN_METRICS_PORT', 0, 0, 65_535) : null,
    metricsHost: env.POSTERN_METRICS_HOST || host,
    publicUrl: publicUrl(env, production),
    dataDir,
    ...databaseAddress(env),
    mediaDir: mediaDirOf(env, dataDir),
    mediaS3: mediaS3(env),
    ffmpeg: ffmpegOf(env),
    smtp: smtpOf(env),
    databaseWaitMs: databaseWait(env),
    listen: flag(env, 'POSTERN_LISTEN', true),
    roles: roles(env, sandbox),
    secretKeys: secretKeys(env.POSTERN_SECRET_KEY, production, dataDir),
    operatorToken: token(env, 'POSTERN_OPERATOR_TOKEN'),
    metricsToken: metricsToken(env),
    tosVersion: tosVersion(env),
    retryDelaysMs: durations(env, 'POSTERN_RETRY_DELAYS', '30s,5m,30m', RETRIES),
    deliveryTimeoutMs: duration(env, 'POSTERN_DELIVERY_TIMEOUT', '10s'),
    allowedTargets: ranges(env, isPrivate ? '127.0.0.0/8,::1/128' : ''),
    sandbox,
    sandboxHost: sandboxHost(env),
    whatsappRevision: whatsappRevision(env),
    passkey: flag(env, 'POSTERN_PASSKEY', false),
    disconnectGraceMs: duration(env, 'POSTERN_DISCONNECT_GRACE', '15s'),
    leaseTtlMs: duration(env, 'POSTERN_LEASE_TTL', '10s'),
    outageMs: duration(env, 'POSTERN_DATABASE_OUTAGE', '75s'),
    maxSessions: integer(env, 'POSTERN_MAX_SESSIONS', 2_000, 1, 100_000),
    hostThreads: integer(env, 'POSTERN_HOST_THREADS', Math.max(1, availableParallelism() - 1), 1, 64),
    ackTimeoutMs: duration(env, 'POSTERN_ACK_TIMEOUT', '20s'),
    checksPerDay: integer(env, 'POSTERN_CHECKS_PER_DAY', 500, 0, 100_000),
    sendRetryDelaysMs: durations(env, 'POSTERN_SEND_RETRY_DELAYS', '1s,2s,4s,8s', 4),
    signup: oneOf(env, 'POSTERN_SIGNUP', SIGNUPS, isPrivate ? 'open' : 'closed'),
    logLevel: oneOf(env, 'POSTERN_LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    logFormat: logFormat(env),
    recordDir: env.POSTERN_RECORD ? resolve(env.POSTERN_RECORD) : null,
    tracing: tracingSettings(env),
  }
}

/** The address of a gateway with these settings, for commands that only call it. */
export function readPlace(env: Env): Pick<Config, 'dataDir' | 'host' | 'port' | 'publicUrl'> {
  rejectUnknown(env)
  return {
    dataDir: dataDirOf(env),
    host: hostOf(env),
    port: integer(env, 'POSTERN_PORT', 8080, 0, 65_535),
    publicUrl: publicUrl(env, false),
  }
}

const dataDirOf = (env: Env): string => resolve(env.POSTERN_DATA_DIR || './data')
/**
 * Several processes share a database but not always a folder, so with PostgreSQL there is a folder only if one is set. The
 * embedded database belongs to one process.
 */
function mediaDirOf(env: Env, dataDir: string): string | null {
  if (env.POSTERN_MEDIA_DIR) return resolve(env.POSTERN_MEDIA_DIR)
  return env.POSTERN_DATABASE_URL ? null : join(dataDir, 'media')
}

/** All of these settings together, or none; the region has a default that most storages accept. */
function mediaS3(env: Env): S3Settings | null {
  const required = ['ENDPOINT', 'BUCKET', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'].map(name => `POSTERN_MEDIA_S3_${name}`)
  const missing = required.filter(name => !env[name])
  if (missing.length === required.length) return null
  if (missing.length > 0)
    throw new ConfigError(
      `${missing.join(' and ')} must be set too. Set them, or unset the other POSTERN_MEDIA_S3_ settings.`,
    )
  const [endpoint, bucket, accessKeyId, secretAccessKey] = required.map(name => env[name]!) as [
    string,
    string,
    string,
    string,
  ]
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || `${url.search}${url.hash}${url.username}` !== '')
    throw new ConfigError('POSTERN_MEDIA_S3_ENDPOINT must be an address such as https://s3.eu-central-1.amazonaws.com.')
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new ConfigError(
      `POSTERN_MEDIA_S3_BUCKET is "${bucket}". Set it to the name of a bucket, such as postern-media.`,
    )
  const region = env.POSTERN_MEDIA_S3_REGION || 'auto'
  return { endpoint: url.href.replace(/\/+$/, ''), bucket, region, accessKeyId, secretAccessKey }
}

/** Both settings, or none. No message has the address, because it may have the password. */
function smtpOf({ POSTERN_SMTP_URL: address, POSTERN_SMTP_FROM: from }: Env): SmtpSettings | null {
  if (!address && !from) return null
  if (!address) throw new ConfigError('POSTERN_SMTP_URL must be set too. Set it, or unset POSTERN_SMTP_FROM.')
  if (!from) throw new ConfigError('POSTERN_SMTP_FROM must be set too. Set it, or unset POSTERN_SMTP_URL.')
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isKnown = url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
  if (!isKnown || !/^\/?$/.test(url.pathname) || `${url.search}${url.hash}` !== '')
    throw new ConfigError('POSTERN_SMTP_URL must be an address such as smtps://user:password@mail.example.com:465.')
  if (!/^[^@<>\r\n]*<?[^@<>\s]+@[^@<>\s]+>?$/.test(from) || from.includes('<') !== from.endsWith('>'))
    throw new ConfigError(
      `POSTERN_SMTP_FROM is "${from}". Set it to an address such as postern@example.com, or Postern <postern@example.com>.`,
    )
  const isTls = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    // A password leaves this machine encrypted only.
    requiresTls: !isTls && url.username !== '' && !isLoopbackHost(url.hostname),
    user: url.username === '' ? null : decodedPart(url.username),
    password: url.password === '' ? null : decodedPart(url.password),
    from,
  }
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new ConfigError(
      'POSTERN_SMTP_URL has a % in its user or password that is not percent-encoded. Write it as %25.',
    )
  }
}

/** The program of that name on the search path, unless the setting names another. */
function ffmpegOf(env: Env): string | null {
  const named = env.POSTERN_FFMPEG
  if (named === 'off') return null
  if (!named)
    return (
      (env.PATH ?? '')
        .split(delimiter)
        .filter(isAbsolute)
        .map(folder => join(folder, 'ffmpeg'))
        .find(isProgram) ?? null
    )
  if (isAbsolute(named) && isProgram(named)) return named
  throw new ConfigError(
    `POSTERN_FFMPEG is "${named}". Set it to the absolute path of the program, to off, or unset it to use the one that is installed.`,
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const hostOf = (env: Env): string => env.POSTERN_HOST || '127.0.0.1'
/** Whether only this machine reaches a server on this host. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host)

function oneOf<T extends string>(env: Env, name: string, allowed: readonly T[], fallback: T): T {
  const value = getOwn(env, name) || fallback
  if (!(allowed as readonly string[]).includes(value)) {
    throw new ConfigError(`${name} is "${value}". Set it to one of: ${allowed.join(', ')}.`)
  }
  return value as T
}

function flag(env: Env, name: string, fallback: boolean): boolean {
  const value = (getOwn(env, name) || (fallback ? 'on' : 'off')).toLowerCase()
  if (['on', 'true', '1', 'yes'].includes(value)) return true
  if (['off', 'false', '0', 'no'].includes(value)) return false
  throw new ConfigError(`${name} is "${value}". Set it to on or off.`)
}

function integer(env: Env, name: string, fallback: number, min: number, max: number): number {
  const value = getOwn(env, name) || String(fallback)
  if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max) {
    throw new ConfigError(`${name} is "${value}". Set it to a whole number from ${min} to ${max}.`)
  }
  return Number(value)
}

const MAX_DURATION_MS = 24 * 86_400_000
const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

function parseDuration(name: string, value: string): number {
  const match = /^(\d{1,9})(ms|s|m|h)$/.exec(value.trim())
  if (match === null)
    throw new ConfigError(`${name}: "${value}" is not a duration. Write it like 500ms, 30s, 5m or 1h.`)
  const ms = Number(match[1]) * getOwn(UNITS, match[2]!)!
  // Timers cannot wait longer: they would fire immediately.
  if (ms > MAX_DURATION_MS) throw new ConfigError(`${name}: "${value}" is too long. Set at most 24 days (576h).`)
  return ms
}

function duration(env: Env, name: string, fallback: string): number {
  const ms = parseDuration(name, getOwn(env, name) || fallback)
  if (ms === 0) throw new ConfigError(`${name} must be longer than 0.`)
  return ms
}

function durations(env: Env, name: string, fallback: string, count: number): number[] {
  const parts = (getOwn(env, name) || fallback).split(',').map(part => parseDuration(name, part))
  if (parts.length !== count) throw new ConfigError(`${name} needs ${count} durations, for example ${fallback}.`)
  return parts
}

function publicUrl(env: Env, production: boolean): string | null {
  const value = env.POSTERN_PUBLIC_URL
  if (!value) {
    if (!production) return null
    throw new ConfigError('POSTERN_PUBLIC_URL is not set. In production set it to the https address that browsers use.')
  }
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`POSTERN_PUBLIC_URL is "${value}". Set it to an address such as https://gateway.example.com.`)
  }
  if (production && url.protocol !== 'https:') throw new ConfigError('POSTERN_PUBLIC_URL must use https in production.')
  return url.origin
}

function logFormat(env: Env): LogFormat {
  const format = oneOf(env, 'POSTERN_LOG_FORMAT', ['auto', 'pretty', 'json'], 'auto')
  if (format === 'json' || (format === 'auto' && !isatty(1))) return 'json'
  const isColoured = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isatty(1)
  return isColoured && !env.NO_COLOR ? 'coloured' : 'pretty'
}

const databaseWait = ({ POSTERN_DATABASE_WAIT: value }: Env): number =>
  value === '0' ? 0 : parseDuration('POSTERN_DATABASE_WAIT', value || '60s')

function roles(env: Env, sandbox: boolean): RoleName[] {
  const value = env.POSTERN_ROLES || ROLES.filter(role => sandbox || role !== 'simulator').join(',')
  const names = value.split(',').map(name => name.trim())
  const wrong = names.find(name => !(ROLES as readonly string[]).includes(name))
  if (wrong !== undefined) throw new ConfigError(`POSTERN_ROLES names "${wrong}". Choose from: ${ROLES.join(', ')}.`)
  if (names.includes('simulator') && !sandbox) {
    throw new ConfigError(
      'POSTERN_ROLES names the simulator, but the sandbox is off. Set POSTERN_SANDBOX=on, or remove the simulator from the list.',
    )
  }
  return [...new Set(names)] as RoleName[]
}

/** Clients that reach the sandbox network can talk to its phones, so it never listens on a public address. */
function sandboxHost(env: Env): string {
  const value = env.POSTERN_SANDBOX_HOST || '127.0.0.1'
  const isPrivate = ipaddr.IPv4.isValidFourPartDecimal(value) && PRIVATE_RANGES.has(ipaddr.IPv4.parse(value).range())
  if (isPrivate) return value
  throw new ConfigError(
    `POSTERN_SANDBOX_HOST is "${value}". Set it to one private IPv4 address of this machine, such as 10.0.0.5, or unset it.`,
  )
}

function whatsappRevision(env: Env): number | null {
  const value = env.POSTERN_WHATSAPP_VERSION
  if (!value) return null
  const revision = revisionOf(value)
  if (revision !== undefined) return revision
  throw new ConfigError(
    `POSTERN_WHATSAPP_VERSION is "${value}". Set it to a version of WhatsApp Web such as ${versionText(BUILT_IN.revision)}, or unset it to use the newest.`,
  )
}

const PRIVATE_RANGES = new Set(['loopback', 'private'])

function token(env: Env, name: 'POSTERN_OPERATOR_TOKEN' | 'POSTERN_METRICS_TOKEN'): string | null {
  const value = getOwn(env, name)
  if (!value) return null
  if (!/^[\x21-\x7e]{16,256}$/.test(value)) {
    throw new ConfigError(
      `${name} must be 16 to 256 visible characters without spaces, for example from \`openssl rand -hex 32\`.`,
    )
  }
  return value
}

/** For the scraper of the metrics: the operator's token would open everything to it. */
function metricsToken(env: Env): string | null {
  const value = token(env, 'POSTERN_METRICS_TOKEN')
  if (value === null || value !== env.POSTERN_OPERATOR_TOKEN) return value
  throw new ConfigError('POSTERN_METRICS_TOKEN is the same as POSTERN_OPERATOR_TOKEN. Set another, or unset it.')
}

function tosVersion(env: Env): string {
  const value = env.POSTERN_TOS_VERSION || '2026-01'
  if (!/^[\x21-\x7e]{1,100}$/.test(value)) {
    throw new ConfigError('POSTERN_TOS_VERSION must be 1 to 100 visible characters without spaces, such as 2026-01.')
  }
  return value
}

function ranges(env: Env, fallback: string): string[] {
  const list = (env.POSTERN_ALLOWED_TARGETS ?? fallback)
    .split(',')
    .map(range => range.trim())
    .filter(Boolean)
  const wrong = list.find(range => !ipaddr.isValidCIDR(range))
  if (wrong !== undefined) {
    throw new ConfigError(
      `POSTERN_ALLOWED_TARGETS: "${wrong}" is not a range. Write ranges like 10.0.0.0/8, separated by commas.`,
    )
  }
  return list
}

/** The address of a server as a URL without a path. */
export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
