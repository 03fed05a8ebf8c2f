import { ConfigError } from '../boot/config-error.ts'
import { GatewayError } from '../domain/errors.ts'
import { StoreUnavailable } from '../store/transaction.ts'
import { VERSION } from '../version.ts'
import type { Command } from './command.ts'
import { COMMANDS, GROUPS } from './commands.ts'
import { withDotEnv } from '../boot/dot-env.ts'
import { readArguments } from './read-arguments.ts'

/** Runs one command; an error is one line, a second one says where to read on, and the exit code is 1. */
export async function main(args: string[]): Promise<void> {
  try {
    await dispatch(args)
  } catch (error) {
    if (!isForPeople(error)) throw error
    console.error(`postern: ${error instanceof GatewayError ? error.detail : (error as Error).message}`)
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
  await run({ values: values as never, words, env: withDotEnv(process.env, process.cwd()) })
}

const NAME_WIDTH = 30

const lineOf = ({ name, words = [], summary }: Command): string =>
  `  ${['postern', name, ...words].join(' ').padEnd(NAME_WIDTH)} ${summary}`

/** What `postern --help` prints. */
export function mainHelp(): string {
  const groups = GROUPS.map(({ title, commands }) => [title, ...commands.map(lineOf)].join('\n'))
  return `Postern ${VERSION}: a gateway to WhatsApp numbers

${groups.join('\n\n')}

postern <command> --help says what a command takes; --json answers for scripts.
Run commands with \`npx postern <command>\` in the project's folder. Settings are
environment variables, or lines of .env in this folder. POSTERN_URL,
POSTERN_API_KEY and POSTERN_SESSION say which gateway, as whom and which number;
a flag wins over a variable, a variable over the gateway of this folder.
A running gateway has guides, the reference and this help at /docs, offline.`
}

/** What `postern keys --help` prints, and the like. */
export function groupHelp(group: string): string {
  const lines = COMMANDS.filter(({ name }) => name.startsWith(`${group} `)).map(lineOf)
  return [`postern ${group} <command>`, '', ...lines, '', `postern ${group} <command> --help says what it takes.`].join(
    '\n',
  )
}
