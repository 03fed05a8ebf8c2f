import { createInterface } from 'node:readline'
import { ConfigError } from '../boot/config-error.ts'
import { getOwn } from '../runtime/get-own.ts'
import type { OptionTable } from './command.ts'

type Values = Record<string, string | boolean>

/**
 * The values, with those that standard input holds (`-`). Every user of a machine can read the arguments of its processes, so
 * a secret among them gets a warning.
 */
export async function readSecretOptions(values: Values, options: OptionTable): Promise<Values> {
  const secrets = Object.entries(values).filter(([name]) => getOwn(options, name)?.secretIn !== undefined)
  const piped = secrets.filter(([, value]) => value === '-').map(([name]) => name)
  if (piped.length > 1)
    throw new ConfigError(`--${piped[0]} and --${piped[1]} are both -: standard input can hold only one of them.`)
  for (const [name, value] of secrets) {
    const { secretIn, isAddress } = getOwn(options, name)!
    if (value === '-' || (isAddress === true && !hasPassword(String(value)))) continue
    console.error(
      `postern: every user of this machine can read --${name} in the list of processes. Use ${secretIn} instead.`,
    )
  }
  return piped.length === 0 ? values : { ...values, [piped[0]!]: await firstLine(piped[0]!) }
}

const hasPassword = (value: string): boolean => URL.canParse(value) && new URL(value).password !== ''

async function firstLine(name: string): Promise<string> {
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) if (line !== '') return line
  } finally {
    lines.close()
  }
  throw new ConfigError(`--${name} is -, but standard input is empty. Write the value to it, on one line.`)
}
