import { ConfigError } from '../config-error.ts'
import { GatewayError } from '../domain/errors.ts'
import { StoreUnavailable } from '../store/tx.ts'
import { VERSION } from '../version.ts'
import { COMMANDS, GROUPS } from './commands.ts'
import { withDotEnv } from './dot-env.ts'
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
  const { command, words, values } = readArguments(args, COMMANDS)
  if (values['version'] === true) return console.log(VERSION)
  if (command === undefined) return console.log(help())
  const { help: helpOfCommand, run } = await command.load()
  if (values['help'] === true) return console.log(helpOfCommand)
  await run({ values: values as never, words, env: withDotEnv(process.env, process.cwd()) })
}

const NAME_WIDTH = 28

function help(): string {
  const groups = GROUPS.map(({ title, commands }) => {
    const lines = commands.map(({ name, words = [], summary }) => {
      const usage = `postern ${[name, ...words].join(' ')} `
      return `  ${usage.padEnd(NAME_WIDTH)} ${summary}`
    })
    return [title, ...lines].join('\n')
  })
  return `Postern ${VERSION}: a gateway to WhatsApp numbers

${groups.join('\n\n')}

postern <command> --help says what a command takes; --json answers for scripts. Settings are environment variables, or
lines of .env in this folder. In the project's folder \`npx postern …\` or \`node bin/postern.mjs …\` runs them.
A running gateway has guides, the reference and this help at /docs, offline.`
}
