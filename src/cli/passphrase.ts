import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { secretOf } from '../boot/secret-files.ts'
import { ConfigError } from '../config.ts'

const LENGTH = { min: 12, max: 200 }

export const PASSPHRASE_HELP = `  --passphrase  12 to 200 characters; - reads it from standard input. Default:
                POSTERN_PASSPHRASE, or the file that POSTERN_PASSPHRASE_FILE
                names. Otherwise the command asks for it`

/** The passphrase of a file: of the option, of the environment, or typed, twice if it is a new one. */
export async function readPassphrase(
  given: string | undefined,
  env: NodeJS.ProcessEnv,
  { isNew }: { isNew: boolean },
): Promise<string> {
  const passphrase = given ?? (secretOf(env, 'POSTERN_PASSPHRASE') || (await typed(isNew)))
  if (passphrase.length < LENGTH.min || passphrase.length > LENGTH.max)
    throw new ConfigError(`--passphrase must have ${LENGTH.min} to ${LENGTH.max} characters.`)
  return passphrase
}

async function typed(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new ConfigError('--passphrase is missing: pipe it in (--passphrase -), or set POSTERN_PASSPHRASE_FILE.')
  const passphrase = await ask('Passphrase of the file: ')
  if (isNew && (await ask('The same again: ')) !== passphrase) throw new ConfigError('the two differ. Start again.')
  return passphrase
}

/** Shows nothing of what is typed. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
