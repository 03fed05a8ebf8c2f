import { ConfigError } from '../boot/config-error.ts'
import { GatewayError } from '../domain/errors.ts'
import { StoreUnavailable } from '../store/transaction.ts'
import { VERSION } from '../version.ts'
import type { Command } from './command.ts'
import { COMMANDS, GROUPS } from './commands.ts'
import { withDotEnv } from '../boot/dot-env.ts'
import { readArguments } from './read-arguments.ts'
import { readSecretOptions } from './secret-options.ts'
import { printable } from './terminal.ts'

/** Everything that the program writes may hold secrets: only its own user can read new files. */
const UMASK = 0o077

/** Runs one command. An error is one line and possibly a second with a page that explains it; the exit code is 1. */
export async function main(args: string[]): Promise<void> {
  process.umask(UMASK)
  try {
    await dispatch(args)
  } catch (error) {
    if (!isForPeople(error)) throw error
    console.error(`postern: ${printable(error instanceof GatewayError ? error.detail : (error as Error).message)}`)
    if (error instanceof ConfigError && error.readOn !== undefined) console.error(`Read on: ${error.readOn}`)
    process.exitCode = 1
  }
}

const isForPeople = (error: unknown): boolean =>
  error instanceof ConfigError || error instanceof GatewayError || error instanceof StoreUnavailable

async function dispatch(args: string[]): Promise<void> {
  const { command, group, words, values } = readArguments(args, COMMANDS)
  if (values['version'] === true) return console.log(VERSION)
  if (group !== undefined) return console.log(groupHelp(group))
  if (command === undefined) return console.log(mainHelp())
  const { help: helpOfCommand, run } = await command.load()
  if (values['help'] === true) return console.log(helpOfCommand)
  await run({
    values: (await readSecretOptions(values, command.options)) as never,
    words,
    env: withDotEnv(process.env, process.cwd()),
  })
}

const usageOf = ({ name, words = [] }: Command): string => ['postern', name, ...words].join(' ')

const linesOf = (commands: readonly Command[]): string[] => {
  const width = Math.max(...commands.map(each => usageOf(each).length))
  return commands.map(each => `  ${usageOf(each).padEnd(width)}  ${each.summary}`)
}

/** The output of `postern --help`. */
export function mainHelp(): string {
  const groups = GROUPS.map(({ title, commands }) => [title, ...linesOf(commands)].join('\n'))
  return `Postern ${VERSION}: a gateway for WhatsApp numbers

${groups.join('\n\n')}

Run postern <command> --help for its options. Use --json in scripts.
Run commands with \`npx postern <command>\` in the project's folder. Settings are
environment variables, or lines of .env in this folder. A command uses the
gateway that runs in this folder. POSTERN_URL, POSTERN_API_KEY and
POSTERN_SESSION choose another gateway, account or number, and options such as
--url override them. A running gateway serves the guides and the reference at
/docs.`
}

/** The output of `postern keys --help` and of other groups. */
export function groupHelp(group: string): string {
  const lines = linesOf(COMMANDS.filter(({ name }) => name.startsWith(`${group} `)))
  return [
    `postern ${group} <command>`,
    '',
    ...lines,
    '',
    `Run postern ${group} <command> --help for its options.`,
  ].join('\n')
}
