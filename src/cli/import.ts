import { ConfigError } from '../boot/config-error.ts'
import type { Imported } from '#import/import-setup'
import { parseDotEnv } from '../boot/dot-env.ts'
import { CLIENT_HELP, type ClientOptions, openSdk, withUserErrors } from './gateway-client.ts'
import { printResult, printable } from './terminal.ts'

export const importHelp = `postern import waha|evolution <source> [--dry-run] [--their-key KEY] [--json]
               [--url http://…] [--key ptn_…] [--account acc_…]

Imports the setup of another gateway: webhook URLs by category, labels, and
whether it rejects calls. <source> is one of
  a folder   with .env and a .json file with the response of their API (WAHA:
             GET /api/sessions?all=true, Evolution API: GET
             /instance/fetchInstances)
  a file     one of these files
  an address of their running gateway: the command reads the same from it and
             changes nothing there

Link each number here first: the keys of a device cannot be moved. The command
lists the numbers that are not linked yet; import again when they are. It also
prints the settings that it cannot map. docs/moving.md compares the API calls.

  --dry-run    show the changes and write nothing
  --their-key  the key of their API; - reads it from standard input. Default:
               THEIR_API_KEY
  --json       print the result of each number as JSON, with the secrets of new
               webhooks, which are never shown again
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
  printResult(options.json, { dry_run: isDry, numbers: imported }, () =>
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
    ...(secret === undefined ? [] : [`the webhook is signed with ${secret} (never shown again)`]),
    ...to_do.map(each => `to do: ${each}`),
    ...left.map(each => `not taken over: ${each}`),
  ]
  return lines.map((line, at) => `${at === 0 ? '' : '  '}${printable(line)}`).join('\n')
}
