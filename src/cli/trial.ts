import { createInterface } from 'node:readline/promises'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../boot/config-error.ts'
import { findTarget } from './gateway-client.ts'
import { refusalText, refusedBy } from './refusal.ts'
import { Happenings } from './trial/happenings.ts'
import { personWith, sandboxContact } from './trial/second-phone.ts'
import { StepFailed, StepSkipped, TrialApi } from './trial/trial-api.ts'
import { serveTrial, type TrialServer } from './trial/trial-files.ts'
import { linkNumber } from './trial/trial-link.ts'
import { reportOf, type StepOutcome, tableOf } from './trial/trial-report.ts'
import { whenInterrupted } from './when-interrupted.ts'
import { type Step, STEPS, type TrialScene, untilConnected } from './trial/trial-steps.ts'

const PARTS = ['send', 'change', 'receive', 'receipts', 'groups', 'drop'] as const

export const trialHelp = `postern trial --session ID | --link PHONE --to PHONE [--group JID] [--skip …]
              [--wait SECONDS] [--yes] [--json] [--key ptn_…] [--url http://…]

Tries a number out against the platform, from linking to a drop, and prints a
table that can be put into a report. The table holds versions, steps and times:
no numbers, no names, nothing that was said.

It sends real messages, some fifteen, from the number to the one that you name
with --to, and asks the person with that phone to write back. Use numbers that
are yours. On a sandbox number the sandbox plays the second phone.

  --session     a number that is linked, else POSTERN_SESSION
  --link        links this number first: prints the code to type on its phone; a
                sandbox number (999…) links by itself
  --to          the second number
  --group       a group that both are in; without it the second phone is asked
                to write in one
  --skip        parts to leave out, with commas:
                ${PARTS.join(', ')}
  --wait        how long a person may take for each thing asked, 180 seconds
                where not given
  --yes         does not ask before it begins
  --json        the table as JSON
  --key         an API key that may send, read and manage, else POSTERN_API_KEY;
                in the folder of a running gateway none is needed
  --url         the gateway, else POSTERN_URL, else the one that runs with this
                data folder, else POSTERN_PUBLIC_URL, else POSTERN_HOST and
                POSTERN_PORT

What was received is read from the history of the number's webhook. Where it has
none, the trial makes one for its time. A drop is the gateway's own: it ends the
link and logs in again. Ends with 1 where a step failed.`

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

const PLATFORM_MS = 60_000
const PERSON_S = 180

export async function trial(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const skipped = skippedParts(options.skip)
  const to = required(options.to, '--to is missing: name the second number, which gets the messages.')
  const named = options.link === undefined ? (options.session ?? env['POSTERN_SESSION']) || undefined : options.session
  if ((named === undefined) === (options.link === undefined))
    throw new ConfigError('name the number: --session with one that is linked, or --link with one to link.')
  const { url, token } = await findTarget(options, env)
  const api = new TrialApi(url, token)
  const say = (line: string): void => console.error(line)
  const clock = systemClock
  const session = named ?? (await linkNumber(api, clock, options.link!, say))
  const { status, json } = await api.ask('GET', `/v1/sessions/${encodeURIComponent(session)}`)
  if (status !== 200) throw refusedBy('--session: the gateway', { status, json })
  const isSandbox = json['platform'] === 'sandbox'
  if (!isSandbox) await confirm(options, say)
  const files = await serveTrial()
  const dropWebhook = await ensureWebhook(api, session, files)
  const stopWatching = whenInterrupted(dropWebhook)
  try {
    const phone = isSandbox ? sandboxContact(api, session, to) : personWith(say)
    const scene: TrialScene = {
      api,
      clock,
      session,
      to,
      phone,
      files,
      happenings: new Happenings(api, clock, session),
      group: options.group,
      platformMs: PLATFORM_MS,
      personMs: waitOf(options.wait),
    }
    const steps = await runAll(scene, skipped, clock, say)
    const day = clock.now().toISOString().slice(0, 10)
    const report = reportOf({ network: String(json['platform']), webVersion: await api.webVersion(), day }, steps)
    console.log(options.json ? JSON.stringify(report, null, 2) : tableOf(report))
    if (report.failed > 0) process.exitCode = 1
  } finally {
    stopWatching()
    await dropWebhook()
    files.close()
  }
}

const linked: Omit<Step, 'part'> = { name: 'linked and connected', run: untilConnected }

async function runAll(
  scene: TrialScene,
  skipped: ReadonlySet<string>,
  clock: Clock,
  say: (line: string) => void,
): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = []
  for (const step of [linked, ...STEPS]) {
    const isLeftOut = 'part' in step && skipped.has(step.part as string)
    const outcome = isLeftOut ? leftOut(step.name) : await runOne(step, scene, clock)
    say(`${outcome.result.padEnd(7)} ${outcome.step}${outcome.note === '' ? '' : ` (${outcome.note})`}`)
    outcomes.push(outcome)
  }
  return outcomes
}

const leftOut = (step: string): StepOutcome => ({ step, result: 'skipped', took_ms: 0, note: 'left out' })

async function runOne(step: Omit<Step, 'part'>, scene: TrialScene, clock: Clock): Promise<StepOutcome> {
  const beganMs = clock.monotonicMs()
  const outcome = (result: StepOutcome['result'], note: string): StepOutcome => ({
    step: step.name,
    result,
    took_ms: Math.round(clock.monotonicMs() - beganMs),
    note,
  })
  try {
    return outcome('ok', await step.run(scene))
  } catch (error) {
    if (error instanceof StepSkipped) return outcome('skipped', error.message)
    if (error instanceof StepFailed) return outcome('failed', error.message)
    throw error
  }
}

/** The history has what a webhook is told, whether it takes it or not. Answers what takes ours away again. */
async function ensureWebhook(api: TrialApi, session: string, files: TrialServer): Promise<() => Promise<void>> {
  const url = files.url('/hook')
  const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
  const { status, json } = await api.ask('POST', '/v1/webhooks', { session_id: session, ...urls })
  if (status === 201) return async () => void (await api.ask('DELETE', `/v1/webhooks/${String(json['id'])}`))
  if (status === 400 && json['code'] === 'already_exists') return async () => {}
  throw new ConfigError(
    `the number has no webhook, and the trial cannot make one (${status}: ${refusalText(json) ?? 'no JSON'}). Make one with POST /v1/webhooks first.`,
  )
}

async function confirm({ yes, json }: Options, say: (line: string) => void): Promise<void> {
  if (yes === true) return
  say('This sends real messages, some fifteen, to the number that you named. Both numbers should be yours.')
  if (json === true || !process.stdin.isTTY) throw new ConfigError('nothing was sent. Say --yes to begin.')
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
