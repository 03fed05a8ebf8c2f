import { parseArgs } from 'node:util'
import { ConfigError } from '../config.ts'
import { GatewayError } from '../domain/errors.ts'
import { StoreUnavailable } from '../store/tx.ts'
import { VERSION } from '../version.ts'
import { withDotEnv } from './dot-env.ts'

const HELP = `Postern ${VERSION}: a gateway to WhatsApp numbers

  postern start [--roles …]        start the gateway
  postern migrate                  bring the database up to date
  postern doctor                   check the settings, the database, the clock, the port and DNS
  postern account create           create an account with its first API key
  postern keys create              create an API key for an account
  postern move                     move everything to PostgreSQL, or back
  postern backup                   copy the embedded database while the gateway runs
  postern restore                  put such a copy back
  postern trial                    try a number out against the platform, for a report
  postern <command> --help         what a command takes
  postern --version                print the version

In the project's folder \`npx postern …\` or \`node bin/postern.mjs …\` runs them.`

/** Runs one command; whatever is wrong is said in one line and the exit code. */
export async function main(args: string[]): Promise<void> {
  try {
    await dispatch(args)
  } catch (error) {
    if (!isForPeople(error)) throw error
    console.error(`postern: ${(error as Error).message}`)
    process.exitCode = 1
  }
}

const isForPeople = (error: unknown): boolean =>
  error instanceof ConfigError ||
  error instanceof GatewayError ||
  error instanceof StoreUnavailable ||
  (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true

/** What the commands take, all together. */
const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  roles: { type: 'string' },
  name: { type: 'string' },
  plan: { type: 'string' },
  email: { type: 'string' },
  password: { type: 'string' },
  account: { type: 'string' },
  label: { type: 'string' },
  scopes: { type: 'string' },
  url: { type: 'string' },
  'accept-tos': { type: 'boolean' },
  key: { type: 'string' },
  json: { type: 'boolean' },
  session: { type: 'string' },
  link: { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  replace: { type: 'boolean' },
  'take-back': { type: 'boolean' },
  group: { type: 'string' },
  skip: { type: 'string' },
  wait: { type: 'string' },
  yes: { type: 'boolean' },
} as const

async function dispatch(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: OPTIONS,
  })
  if (values.version) return console.log(VERSION)
  const command = positionals.join(' ')
  const env = withDotEnv(process.env, process.cwd())
  switch (command) {
    case 'start': {
      const { start, startHelp } = await import('./start.ts')
      return values.help ? console.log(startHelp) : await start(values, env)
    }
    case 'migrate': {
      const { migrate, migrateHelp } = await import('./migrate.ts')
      return values.help ? console.log(migrateHelp) : await migrate(env)
    }
    case 'doctor': {
      const { doctor, doctorHelp } = await import('./doctor.ts')
      return values.help ? console.log(doctorHelp) : await doctor(env)
    }
    case 'account create': {
      const { createAccountCommand, accountHelp } = await import('./account.ts')
      return values.help ? console.log(accountHelp) : await createAccountCommand(values, env)
    }
    case 'keys create': {
      const { createKeyCommand, keysHelp } = await import('./keys.ts')
      return values.help ? console.log(keysHelp) : await createKeyCommand(values, env)
    }
    case 'move': {
      const { move, moveHelp } = await import('./move.ts')
      return values.help ? console.log(moveHelp) : await move(values, env)
    }
    case 'backup': {
      const { backup, backupHelp } = await import('./backup.ts')
      return values.help ? console.log(backupHelp) : await backup(values, env)
    }
    case 'restore': {
      const { restore, restoreHelp } = await import('./restore.ts')
      return values.help ? console.log(restoreHelp) : await restore(values, env)
    }
    case 'trial': {
      const { trial, trialHelp } = await import('./trial.ts')
      return values.help ? console.log(trialHelp) : await trial(values, env)
    }
    case '':
    case 'help':
      return console.log(HELP)
    default:
      throw new ConfigError(`there is no command "${command}". Run \`postern --help\` for the list.`)
  }
}
