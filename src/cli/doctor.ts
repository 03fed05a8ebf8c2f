import { access, constants, mkdir } from 'node:fs/promises'
import { Resolver } from 'node:dns/promises'
import { createServer } from 'node:net'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { MAX_SKEW_MS } from '../runtime/database-clock.ts'
import { fetchGateway, localOrigin } from './fetch-gateway.ts'
import { probeSmtp, type SmtpSettings, smtpFailure } from '../net/smtp.ts'
import { S3Bucket, type S3Failure, type S3Settings } from '../store/media/s3-bucket.ts'
import { overviewOf, Unseen, versionInUse } from './doctor-version.ts'
import { withStore } from './operator-client.ts'
import { printResult } from './terminal.ts'

export const doctorHelp = `postern doctor [--json]

Checks the settings, the database, the clock, the port, DNS, the bucket of
files, ffmpeg, the mail server, the version of WhatsApp Web and the folder of a
recording, and says how to fix each problem.

It opens the database like \`postern start\`, so it creates the tables of an empty
one and migrates an older one. It compares the clock with PostgreSQL's; the
embedded database uses the clock of this machine. If a gateway already runs at
POSTERN_HOST and POSTERN_PORT, the command reads the state of the database and
the roles from it, and with POSTERN_OPERATOR_TOKEN the clocks of all nodes.

A ? marks what it cannot see without the token. The exit code is 1 if a check
fails.

  --json   print the findings as JSON, for scripts`

interface Finding {
  check: string
  /** `null` if the command cannot see it. */
  ok: boolean | null
  says: string
}

export async function doctor({ json }: { json?: boolean }, env: NodeJS.ProcessEnv): Promise<void> {
  const findings: Finding[] = []
  /** Returns whether the check passed. */
  const check = async (name: string, work: () => Promise<string>): Promise<boolean> => {
    const finding = await work().then(
      says => ({ check: name, ok: true, says }),
      (error: unknown) => ({ check: name, ok: error instanceof Unseen ? null : false, says: (error as Error).message }),
    )
    findings.push(finding)
    return finding.ok === true
  }
  const isComplete = await check('settings', async () => (readConfig(env), 'complete'))
  if (isComplete) await checkAll(check, readConfig(env), env)
  const ok = findings.every(finding => finding.ok !== false)
  printResult(json, { ok, findings }, () => findings.map(lineOf).join('\n'))
  if (!ok) process.exitCode = 1
}

async function checkAll(
  check: (name: string, work: () => Promise<string>) => Promise<boolean>,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const running = await readRunning(config)
  const isRunning = running !== undefined
  const hasDatabase = await check('database', () => (isRunning ? databaseOf(running) : databaseSkew(env)))
  if (isRunning) await check('clock', () => clocksOfNodes(config, env))
  await check('port', async () => (isRunning ? `a gateway answers at ${localOrigin(config)}` : await probePort(config)))
  await check('dns', resolveSomething)
  const { mediaS3 } = config
  if (mediaS3 !== null) await check('media', () => probeBucket(mediaS3))
  await check('ffmpeg', () => versionOfFfmpeg(config))
  const { smtp } = config
  if (smtp !== null) await check('mail', () => probeMail(smtp))
  if (hasDatabase) await check('version', () => versionInUse(env, config, isRunning))
  const { recordDir } = config
  if (recordDir !== null) await check('recording', () => probeRecording(recordDir))
}

const lineOf = ({ check, ok, says }: Finding): string =>
  `${ok === null ? '?   ' : ok ? 'ok  ' : 'FAIL'}  ${check.padEnd(9)} ${says}`

interface Readiness {
  checks: Record<string, boolean>
}

/** The readiness of the gateway that runs with these settings, if there is one. */
async function readRunning(config: Config): Promise<Readiness | undefined> {
  if (config.port === 0) return undefined
  const ready = await fetchGateway(`${localOrigin(config)}/readyz`)
  const body = (await ready?.json().catch(() => undefined)) as Partial<Readiness> | undefined
  return typeof body?.checks?.['database'] === 'boolean' ? (body as Readiness) : undefined
}

async function databaseOf({ checks }: Readiness): Promise<string> {
  if (!checks['database']) throw new ConfigError('the running gateway cannot reach it. Its log has the reason.')
  const failing = Object.entries(checks).flatMap(([name, isOk]) => (isOk ? [] : [name]))
  if (failing.length > 0) throw new ConfigError(`answers, but the running gateway is not ready: ${failing.join(', ')}.`)
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

/** Connects and signs in. */
async function probeMail(settings: SmtpSettings): Promise<string> {
  const { host, port, user } = settings
  try {
    await probeSmtp(settings)
  } catch (error) {
    throw new ConfigError(
      `${host}:${port} takes no mail (${smtpFailure(error)}). Check the host, the port, smtp or smtps, and the user and password in POSTERN_SMTP_URL.`,
    )
  }
  return `${host}:${port} takes mail${user === null ? '' : ' from this user'}`
}

/** Writes, reads and deletes an object. */
async function probeBucket(settings: S3Settings): Promise<string> {
  try {
    await new S3Bucket(settings).probe()
  } catch (error) {
    throw new ConfigError(
      `the bucket ${settings.bucket} cannot be used (${(error as S3Failure).code}). Check the POSTERN_MEDIA_S3_ settings and what the key may do.`,
    )
  }
  return `the bucket ${settings.bucket} takes, returns and deletes objects`
}

/** Without it the gateway works, but converts less. */
async function versionOfFfmpeg({ ffmpeg }: Config): Promise<string> {
  if (ffmpeg === null)
    return 'not installed: a voice message has to be Opus in Ogg, and a video is sent without a preview. Install ffmpeg to have them converted.'
  const [version, encoders] = await Promise.all([run(ffmpeg, ['-version']), run(ffmpeg, ['-hide_banner', '-encoders'])])
  if (!encoders.includes('libopus'))
    throw new ConfigError(`${ffmpeg} cannot write Opus. Install one with libopus, or set POSTERN_FFMPEG=off.`)
  return `${/^ffmpeg version (\S+)/.exec(version)?.[1] ?? 'of an unknown version'} at ${ffmpeg} converts audio to voice messages`
}

async function run(program: string, args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { timeout: 10_000 })).stdout
  } catch (error) {
    throw new ConfigError(`${program} does not run (${(error as Error).message.split('\n')[0]}). Set POSTERN_FFMPEG.`)
  }
}

/** Reports an active recording, because a forgotten one fills the disk. */
async function probeRecording(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
  } catch (error) {
    throw new ConfigError(
      `POSTERN_RECORD: ${folder} cannot be written (${(error as NodeJS.ErrnoException).code}). Choose another folder or change its owner.`,
    )
  }
  return `on: the gateway writes the shapes of stanzas to ${folder}. Unset POSTERN_RECORD when you have what you need.`
}

async function resolveSomething(): Promise<string> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  const servers = resolver.getServers()
  try {
    await resolver.resolve4('example.com')
    return `answers (${servers.join(', ')})`
  } catch (error) {
    throw new ConfigError(
      `${servers.join(', ')} cannot find example.com (${(error as NodeJS.ErrnoException).code}). The gateway cannot reach webhook and media URLs until DNS works.`,
    )
  }
}

/** Due times use the clock of the database, certificates and logs use ours: they must agree. */
async function databaseSkew(env: NodeJS.ProcessEnv): Promise<string> {
  const skew = await withStore(env, async ({ store, databaseClock }) => {
    await store.now()
    return Math.abs(Math.round(databaseClock.aheadMs()))
  })
  if (skew > MAX_SKEW_MS)
    throw new ConfigError(`the database's clock differs by ${skew} ms. Let both machines follow NTP.`)
  return `answers; clock differs by ${skew} ms`
}

/** The running gateway's warnings about the clocks of its nodes. */
async function clocksOfNodes(config: Config, env: NodeJS.ProcessEnv): Promise<string> {
  const body = await overviewOf<{ warnings?: string[] }>(config, env)
  if (body === null) throw new Unseen('unknown: set POSTERN_OPERATOR_TOKEN to see it')
  if (body?.warnings === undefined) throw new Unseen('unknown: the running gateway did not report it')
  if (body.warnings.length > 0) throw new ConfigError(body.warnings.join(' '))
  return 'the clocks of all nodes agree with the database'
}
