import { ConfigError } from '../boot/config-error.ts'
import type { Imported } from '#import/import-setup'
import { parseDotEnv } from '../boot/dot-env.ts'
import { CLIENT_HELP, type ClientOptions, openSdk, withUserErrors } from './gateway-client.ts'
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

export async function importSetup(
  options: Options,
  env: NodeJS.ProcessEnv,
  from: string,
  source: string,
): Promise<void> {
  if (from !== 'waha' && from !== 'evolution')
    throw new ConfigError(`"${from}" cannot be imported: choose waha or evolution.`)
  const theirKey = options['their-key'] ?? (env['THEIR_API_KEY'] || undefined)
  const isDry = options['dry-run'] === true
  const { ImportError, importSetup: run } = await import('#import/import-setup')
  const imported = await withUserErrors(ImportError, () =>
    run(
      { from, source, theirKey, isDry },
      { connect: async () => (await openSdk(options, env)).client, parseEnv: parseDotEnv },
    ),
  )
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
