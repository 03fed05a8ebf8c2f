import { access, constants, mkdir } from 'node:fs/promises'
import { Resolver } from 'node:dns/promises'
import { createServer } from 'node:net'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { askGateway, localOrigin } from './ask-gateway.ts'
import { clocksOfNodes, databaseSkew } from './doctor-clock.ts'
import { versionInUse } from './doctor-version.ts'
import { answer } from './terminal.ts'

export const doctorHelp = `postern doctor [--json]

Checks the settings, the database, the clock, the port, DNS, the version of
WhatsApp Web and where a recording goes, and says how to mend what is wrong.

Opens the database as a start would, so an empty one gets its tables and an
older one is brought up to date. The clock is checked against PostgreSQL's; the
embedded database uses this machine's own. Where a gateway answers at
POSTERN_HOST and POSTERN_PORT already, that one is asked about its database and
roles instead, and with POSTERN_OPERATOR_TOKEN about the clocks of all nodes.

  --json   the findings as JSON, for a script; it ends with 1 where something is
           wrong, as without`

interface Finding {
  check: string
  ok: boolean
  says: string
}

export async function doctor({ json }: { json?: boolean }, env: NodeJS.ProcessEnv): Promise<void> {
  const findings: Finding[] = []
  const config = await examine(
    findings,
    'settings',
    async () => readConfig(env),
    () => 'complete',
  )
  if (config !== undefined) {
    const running = await askRunning(config)
    const database = await examine(
      findings,
      'database',
      () => (running === undefined ? databaseSkew(env) : databaseOf(running)),
      says => says,
    )
    if (running !== undefined)
      await examine(
        findings,
        'clock',
        () => clocksOfNodes(config),
        says => says,
      )
    await examine(
      findings,
      'port',
      async () => (running === undefined ? await probePort(config) : `a gateway answers at ${localOrigin(config)}`),
      says => says,
    )
    await examine(findings, 'dns', resolveSomething, says => says)
    if (database !== undefined)
      await examine(
        findings,
        'version',
        () => versionInUse(env, config, running !== undefined),
        says => says,
      )
    const { recordDir } = config
    if (recordDir !== null)
      await examine(
        findings,
        'recording',
        () => probeRecording(recordDir),
        says => says,
      )
  }
  const ok = findings.every(finding => finding.ok)
  answer(json, { ok, findings }, () => findings.map(lineOf).join('\n'))
  if (!ok) process.exitCode = 1
}

const lineOf = ({ check, ok, says }: Finding): string => `${ok ? 'ok  ' : 'FAIL'}  ${check.padEnd(9)} ${says}`

async function examine<T>(
  findings: Finding[],
  check: string,
  work: () => Promise<T>,
  says: (value: T) => string,
): Promise<T | undefined> {
  try {
    const value = await work()
    findings.push({ check, ok: true, says: says(value) })
    return value
  } catch (error) {
    findings.push({ check, ok: false, says: (error as Error).message })
    return undefined
  }
}

interface Readiness {
  checks: Record<string, boolean>
}

/** What the gateway says that runs with these settings already, if one does. */
async function askRunning(config: Config): Promise<Readiness | undefined> {
  if (config.port === 0) return undefined
  const ready = await askGateway(`${localOrigin(config)}/readyz`)
  const said = (await ready?.json().catch(() => undefined)) as Partial<Readiness> | undefined
  return typeof said?.checks?.['database'] === 'boolean' ? (said as Readiness) : undefined
}

async function databaseOf({ checks }: Readiness): Promise<string> {
  if (!checks['database']) throw new ConfigError('the running gateway does not reach it. Its log says why.')
  const ill = Object.entries(checks).flatMap(([name, isWell]) => (isWell ? [] : [name]))
  if (ill.length > 0) throw new ConfigError(`answers, but the running gateway is not ready: ${ill.join(', ')}.`)
  return 'the running gateway reaches it'
}

async function probePort({ host, port }: Config): Promise<string> {
  return await new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new ConfigError(`${host}:${port} cannot be used (${error.code}). Stop the other program, or set POSTERN_PORT.`),
      ),
    )
    server.listen(port, host, () => server.close(() => resolve(`${host}:${port} is free`)))
  })
}

/** A recording that somebody has forgotten fills a disk. */
async function probeRecording(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
  } catch (error) {
    throw new ConfigError(
      `POSTERN_RECORD: ${folder} cannot be written (${(error as NodeJS.ErrnoException).code}). Choose another folder or change its owner.`,
    )
  }
  return `on: the shapes of stanzas are written to ${folder}. Unset POSTERN_RECORD when you have what you need.`
}

async function resolveSomething(): Promise<string> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  const servers = resolver.getServers()
  try {
    await resolver.resolve4('example.com')
    return `answers (${servers.join(', ')})`
  } catch (error) {
    throw new ConfigError(
      `${servers.join(', ')} cannot find example.com (${(error as NodeJS.ErrnoException).code}). Webhook and media URLs with names cannot be reached until names are found.`,
    )
  }
}
