import { createInterface } from 'node:readline/promises'
import { systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../boot/config-error.ts'
import { LIBRARY, VERSION } from '../version.ts'
import { openSdk, withUserErrors } from './gateway-client.ts'
import { whenInterrupted } from './when-interrupted.ts'
import { toJson } from './terminal.ts'

const PARTS = ['send', 'change', 'receive', 'receipts', 'groups', 'drop'] as const

export const trialHelp = `postern trial --session ID | --link PHONE --to PHONE [--group JID] [--skip …]
              [--wait SECONDS] [--yes] [--json] [--key ptn_…] [--url http://…]

Tests a number against the platform, from linking to a lost connection, and
prints a table for a report. The table has versions, steps and times, but no
numbers, names or content.

The trial sends about fifteen real messages from the number to the one in --to,
and asks the person with that phone to write back. Use your own numbers. With a
sandbox number, the sandbox simulates the second phone.

  --session     a linked number. Default: POSTERN_SESSION
  --link        link this number first: prints the code to type on its phone. A
                sandbox number (999…) links automatically
  --to          the second number
  --group       a group with both numbers; without it, the trial asks the second
                person to write in one
  --skip        parts to leave out, separated by commas:
                ${PARTS.join(', ')}
  --wait        seconds that a person may take for each request. Default: 180
  --yes         start without confirmation
  --json        print the table as JSON
  --key         an API key with the scopes send, read and manage; - reads it
                from standard input. Default: POSTERN_API_KEY. In the folder of
                a running gateway you need no key
  --url         the gateway. Default: POSTERN_URL, the gateway that runs with
                this data folder, POSTERN_PUBLIC_URL, or POSTERN_HOST and
                POSTERN_PORT

The trial reads received events from the delivery history of the number's
webhook, and creates a temporary webhook if there is none. For the drop, the
gateway closes the connection and logs in again. The exit code is 1 if a step
failed.`

interface Options {
  session?: string
  link?: string
  to?: string
  group?: string
  skip?: string
  wait?: string
  yes?: boolean
  json?: boolean
  key?: string
  url?: string
}

const PERSON_S = 180
/** Longer than any API call that the trial makes. */
const REQUEST_MS = 40_000

export async function trial(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const skipped = skippedParts(options.skip)
  const to = required(options.to, '--to is missing: name the second number, which receives the messages.')
  const named = options.link === undefined ? (options.session ?? env['POSTERN_SESSION']) || undefined : options.session
  if ((named === undefined) === (options.link === undefined))
    throw new ConfigError('name the number: --session with one that is linked, or --link with one to link.')
  const number = named === undefined ? { link: options.link! } : { session: named }
  const { client, url } = await openSdk(options, env, { timeoutMs: REQUEST_MS })
  const { runTrial, tableOf, TrialError } = await import('#trial/run-trial')
  const report = await withUserErrors(TrialError, () =>
    runTrial(
      { number, to, group: options.group, skipped, personMs: waitOf(options.wait) },
      {
        client,
        url,
        clock: systemClock,
        versions: { postern: VERSION, library: LIBRARY },
        print: line => console.error(line),
        confirm: () => confirm(options),
        onInterrupt: whenInterrupted,
      },
    ),
  )
  console.log(options.json ? toJson(report, 2) : tableOf(report))
  if (report.failed > 0) process.exitCode = 1
}

async function confirm({ yes, json }: Options): Promise<void> {
  if (yes === true) return
  console.error('This sends about fifteen real messages to the number that you named. Both numbers should be yours.')
  if (json === true || !process.stdin.isTTY) throw new ConfigError('nothing was sent. Give --yes to begin.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('Begin? [y/N] ')
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new ConfigError('nothing was sent.')
}

function required(value: string | undefined, otherwise: string): string {
  if (value === undefined || value === '') throw new ConfigError(otherwise)
  return value
}

function skippedParts(list: string | undefined): ReadonlySet<string> {
  const parts = (list ?? '').split(',').flatMap(part => part.trim() || [])
  const wrong = parts.find(part => !(PARTS as readonly string[]).includes(part))
  if (wrong !== undefined) throw new ConfigError(`--skip names "${wrong}": choose from ${PARTS.join(', ')}.`)
  return new Set(parts)
}

function waitOf(value: string | undefined): number {
  if (value !== undefined && !/^[1-9]\d{0,3}$/.test(value))
    throw new ConfigError(`--wait is "${value}": give seconds, from 1 to 9999.`)
  return Number(value ?? PERSON_S) * 1_000
}
