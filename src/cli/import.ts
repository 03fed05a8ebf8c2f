import { ConfigError } from '../boot/config-error.ts'
import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'
import { applyAll, type Imported } from './import/apply.ts'
import { EVOLUTION_EVENTS, WAHA_EVENTS } from './import/categories.ts'
import { readEvolution } from './import/evolution.ts'
import { type Gateway, readSource } from './import/read-source.ts'
import { readWaha } from './import/waha.ts'
import { answer, printable } from './terminal.ts'

export const importHelp = `postern import waha|evolution <source> [--dry-run] [--their-key KEY] [--json]
               [--url http://…] [--key ptn_…] [--account acc_…]

Takes over what another gateway was told: webhook URLs by category, labels,
whether calls are rejected. <source> is
  a folder   with .env, and a .json file of what their API lists (WAHA: GET
             /api/sessions?all=true, Evolution API: GET
             /instance/fetchInstances)
  a file     one of these
  an address of their running gateway, which is asked for the same; nothing is
             written there

A number has to be linked here first: the keys of a device cannot be moved. What
is not linked yet is named; import again when it is. What cannot be mapped is
printed. docs/moving.md compares call by call.

  --dry-run    show what would be written
  --their-key  the key of their API, else THEIR_API_KEY
  --json       what came of each number; with the secrets of new webhooks, which
               are shown once
${CLIENT_HELP}`

interface Options extends ClientOptions {
  'dry-run'?: boolean
  'their-key'?: string
  json?: boolean
}

const UNSEEN = 'webhooks set in their environment were not seen: name the folder with their .env'

const READERS = {
  waha: { read: readWaha, table: WAHA_EVENTS },
  evolution: { read: readEvolution, table: EVOLUTION_EVENTS },
} as const

export async function importSetup(
  from: string,
  source: string,
  options: Options,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (from !== 'waha' && from !== 'evolution')
    throw new ConfigError(`"${from}" cannot be imported: choose waha or evolution.`)
  const { read, table } = READERS[from satisfies Gateway]
  const theirKey = options['their-key'] ?? (env['THEIR_API_KEY'] || undefined)
  const found = await readSource(from, source, theirKey)
  const unseen = found.isWithoutSettings ? [UNSEEN] : []
  const numbers = read(found).map(one => ({ ...one, left: [...one.left, ...unseen] }))
  if (numbers.length === 0)
    throw new ConfigError(`${source} lists no sessions of ${from}. See \`postern import --help\`.`)
  const isDry = options['dry-run'] === true
  const imported = await applyAll(await openClient(options, env), numbers, { table, isDry })
  answer(options.json, { dry_run: isDry, numbers: imported }, () =>
    imported.map(one => linesOf(one, isDry)).join('\n\n'),
  )
  if (imported.some(({ refused }) => refused)) process.exitCode = 1
}

function linesOf({ name, phone, session_id, urls, done, secret, to_do, left }: Imported, isDry: boolean): string {
  const urlLines = Object.entries(urls).map(([field, url]) => `${field.padEnd(14)} ${url}`)
  const lines = [
    `${name}${phone === null ? '' : ` (+${phone})`}${session_id === null ? '' : ` is ${session_id} here`}`,
    ...urlLines,
    ...done.map(each => `${isDry ? 'would write' : 'written'}: ${each}`),
    ...(secret === undefined ? [] : [`the webhook is signed with ${secret} (shown this once)`]),
    ...to_do.map(each => `to do: ${each}`),
    ...left.map(each => `not taken over: ${each}`),
  ]
  return lines.map((line, at) => `${at === 0 ? '' : '  '}${printable(line)}`).join('\n')
}
