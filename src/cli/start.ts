import { setFlagsFromString } from 'node:v8'
import { type Config, ConfigError, isLoopbackHost, readConfig } from '../config.ts'
import type { Gateway } from '../gateway.ts'
import { VERSION } from '../version.ts'
import { collectGarbage } from '../runtime/collect-garbage.ts'
import { printDatabaseWait } from './terminal.ts'
import { rejectUntrustedCollector } from '../boot/untrusted-address.ts'
import { endWhenSignalled } from './when-interrupted.ts'

export const startHelp = `postern start [--roles api,worker,dispatcher,simulator]

Starts the gateway. Settings are environment variables; .env.example lists them
all. --roles takes precedence over POSTERN_ROLES. The command waits up to
POSTERN_DATABASE_WAIT for PostgreSQL (60s; 0: no wait).`

/** Delays the first number, which loads the engine, so that the gateway can print the ready line and respond first. */
const FIRST_NUMBER_DELAY_MS = 500
/** Loading leaves garbage, which is freed when the gateway has settled. */
const SETTLED_MS = 5_000

export async function start(options: { roles?: string }, env: NodeJS.ProcessEnv): Promise<void> {
  const config = options.roles === undefined ? readConfig(env) : withRoles(options.roles, env)
  rejectUntrustedCollector(env, config.tracing)
  const isReady = endWhenSignalled()
  compileOneAtATime()
  const gateway = await loadLean(async () => {
    // Loaded only after the settings are valid, so that the command reports a wrong one immediately.
    const { createContext } = await import('../context.ts')
    // The database opens in a thread of its own, or elsewhere, while this thread loads the rest.
    const [context, { startRoles }] = await Promise.all([
      createContext(config, {}, printDatabaseWait),
      import('../gateway.ts'),
    ])
    return await startRoles(context)
  })
  const { ensureFirstAccount, makeDeveloperAccount } = await import('../actions/first-start.ts')
  const { retryWhileStarting } = await import('../boot/wait-for-database.ts')
  const { context, url } = gateway
  const wait = { clock: context.clock, limitMs: config.databaseWaitMs }
  const isTriedOut = url !== null && config.mode === 'development'
  const made = isTriedOut ? await retryWhileStarting(wait, () => makeDeveloperAccount(context)) : null
  const link = url === null ? null : await retryWhileStarting(wait, () => ensureFirstAccount(context))
  isReady()
  handleSignals(gateway)
  printReady(gateway, link, made)
  setTimeout(collectGarbage, SETTLED_MS).unref()
  gateway.ended.catch((error: unknown) => {
    gateway.context.log.error({ err: error }, 'role.failed')
    void gateway.stop().finally(() => exit(gateway, 1))
  })
  if (made === null) return
  const { showFirstSteps } = await import('./first-steps.ts')
  await context.clock.sleep(FIRST_NUMBER_DELAY_MS)
  await showFirstSteps(gateway, made)
  setTimeout(collectGarbage, SETTLED_MS).unref()
}

/**
 * Runs the code that loads the gateway. All loaded modules stay in memory, which V8 mistakes for a busy program: it would
 * reserve some 20 MB for short-lived objects. So this space may grow only after loading, when requests need it.
 */
async function loadLean<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await load()
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2')
  }
}

/**
 * The engine's cryptography is WebAssembly. V8 optimizes several of its functions in parallel, each with up to 35 MB, and
 * the memory of every thread that did so stays with the process: 8 MB more than of one thread.
 */
function compileOneAtATime(): void {
  setFlagsFromString('--wasm-num-compilation-tasks=1')
}

/** An error names the option, because the user typed that. */
function withRoles(roles: string, env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig({ ...env, POSTERN_ROLES: roles })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(error.message.replace(/^POSTERN_ROLES\b/, '--roles'))
  }
}

/** Prints all lines with one call, so that no log line comes between them and the key is visible even after a crash. */
function printReady(gateway: Gateway, link: { token: string } | null, made: { key: string } | null): void {
  const { config } = gateway.context
  const lines = [
    `Postern ${VERSION} is ready${gateway.url === null ? '' : ` at ${gateway.url}`} (${config.roles.join(', ')})`,
  ]
  if (gateway.url !== null) lines.push(`  Portal     ${gateway.url}/`, `  Reference  ${gateway.url}/docs`)
  if (gateway.localUrl !== gateway.url) lines.push(`  Listens    ${gateway.localUrl}`)
  if (gateway.watchUrl !== null) lines.push(`  Metrics    ${gateway.watchUrl}/metrics`)
  if (link !== null) lines.push(`  Sign in    ${gateway.url}/sign-in#${link.token}  (valid once, for one hour)`)
  if (config.mode === 'development' && !isLoopbackHost(config.host))
    lines.push(`  Network    ${networkWarning(config)}`)
  lines.push(`  Data       ${config.databaseUrl === null ? config.dataDir : 'PostgreSQL'}`)
  if (made !== null) lines.push(`  API key    ${made.key}  (of your first account; never shown again)`)
  console.log(lines.join('\n'))
}

/** Development is for one machine: says what is open to everyone who reaches the address. */
function networkWarning({ host, signup, allowedTargets }: Config): string {
  const signUp = signup === 'open' ? 'sign-up is open to everyone' : 'sign-up is closed (POSTERN_SIGNUP)'
  const targets =
    allowedTargets.length > 0
      ? 'webhooks may reach POSTERN_ALLOWED_TARGETS'
      : 'webhooks to this machine are refused (POSTERN_ALLOWED_TARGETS)'
  return `development mode on ${host}, without TLS: ${signUp}, ${targets}. Use POSTERN_MODE=production`
}

/** The first signal drains. It also removes the handlers, so that a second one ends the process immediately. */
function handleSignals(gateway: Gateway): void {
  const onSignal = (signal: NodeJS.Signals) => {
    process.off('SIGTERM', onSignal)
    process.off('SIGINT', onSignal)
    gateway.context.log.info({ signal }, 'process.draining')
    void gateway.stop().then(
      () => exit(gateway, 0),
      () => exit(gateway, 1),
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

function exit(gateway: Gateway, code: number): void {
  gateway.context.log.flush()
  process.exit(code)
}
