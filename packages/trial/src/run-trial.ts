import { type PosternClient, PosternError } from '#sdk'
import { type Clock, EventHistory } from './event-history.ts'
import { personWith, sandboxContact } from './second-phone.ts'
import { StepFailed, StepSkipped, TrialApi, TrialError } from './trial-api.ts'
import { serveTrial, type TrialServer } from './trial-files.ts'
import { linkNumber } from './trial-link.ts'
import { reportOf, type StepOutcome, type TrialReport } from './trial-report.ts'
import { type Step, STEPS, type TrialContext, untilConnected } from './trial-steps.ts'

export { TrialError } from './trial-api.ts'
export { tableOf } from './trial-report.ts'

export interface TrialOptions {
  /** A linked number, or the phone of one that the trial links first. */
  number: { session: string } | { link: string }
  to: string
  group: string | undefined
  /** The parts that the trial leaves out. */
  skipped: ReadonlySet<string>
  /** How long a person may take for each request. */
  personMs: number
}

export interface TrialDeps {
  client: PosternClient
  url: string
  clock: Clock
  versions: { postern: string; library: string }
  /** Prints progress and instructions. */
  print: (line: string) => void
  /** Resolves when the user agrees to real messages; rejects otherwise. */
  confirm: () => Promise<void>
  /** Runs the clean-up when the process is interrupted; returns a function that removes the handler. */
  onInterrupt: (cleanUp: () => Promise<void>) => () => void
}

const PLATFORM_MS = 60_000

export async function runTrial(options: TrialOptions, deps: TrialDeps): Promise<TrialReport> {
  const { client, url, clock, versions, print } = deps
  const api = new TrialApi(client, url)
  const { number, to } = options
  const session = 'session' in number ? number.session : await linkNumber(api, clock, number.link, print)
  const { platform } = await api.need('--session', ({ sessions }) => sessions.get(session))
  const isSandbox = platform === 'sandbox'
  if (!isSandbox) await deps.confirm()
  const files = await serveTrial()
  const removeWebhook = await ensureWebhook(api, session, files)
  const removeHandler = deps.onInterrupt(removeWebhook)
  try {
    const context: TrialContext = {
      api,
      clock,
      session,
      to,
      phone: isSandbox ? sandboxContact(api, session, to) : personWith(print),
      files,
      history: new EventHistory(api, clock, session),
      group: options.group,
      platformMs: PLATFORM_MS,
      personMs: options.personMs,
    }
    const steps = await runAll(context, options.skipped, print)
    const day = clock.now().toISOString().slice(0, 10)
    return reportOf({ ...versions, network: String(platform), webVersion: await api.webVersion(), day }, steps)
  } finally {
    removeHandler()
    await removeWebhook()
    files.close()
  }
}

const linked: Omit<Step, 'part'> = { name: 'linked and connected', run: untilConnected }

async function runAll(
  context: TrialContext,
  skipped: ReadonlySet<string>,
  print: (line: string) => void,
): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = []
  for (const step of [linked, ...STEPS]) {
    const isLeftOut = 'part' in step && skipped.has(step.part as string)
    const outcome = isLeftOut ? leftOut(step.name) : await runOne(step, context)
    print(`${outcome.result.padEnd(7)} ${outcome.step}${outcome.note === '' ? '' : ` (${outcome.note})`}`)
    outcomes.push(outcome)
  }
  return outcomes
}

const leftOut = (step: string): StepOutcome => ({ step, result: 'skipped', took_ms: 0, note: 'left out' })

async function runOne(step: Omit<Step, 'part'>, context: TrialContext): Promise<StepOutcome> {
  const { clock } = context
  const startedMs = clock.monotonicMs()
  const outcome = (result: StepOutcome['result'], note: string): StepOutcome => ({
    step: step.name,
    result,
    took_ms: Math.round(clock.monotonicMs() - startedMs),
    note,
  })
  try {
    return outcome('ok', await step.run(context))
  } catch (error) {
    if (error instanceof StepSkipped) return outcome('skipped', error.message)
    if (error instanceof StepFailed) return outcome('failed', error.message)
    throw error
  }
}

/** The history needs a webhook, but not its success. Returns a function that removes the webhook if it is ours. */
async function ensureWebhook(api: TrialApi, session: string, files: TrialServer): Promise<() => Promise<void>> {
  const url = files.url('/hook')
  const body = { session_id: session, messages_url: url, status_url: url, connection_url: url, events_url: url }
  try {
    const { id } = await api.call(({ webhooks }) => webhooks.create(body))
    return () =>
      api
        .call(({ webhooks }) => webhooks.delete(id))
        .then(
          () => {},
          (error: unknown) => {
            if (!(error instanceof PosternError)) throw error
          },
        )
  } catch (error) {
    if (!(error instanceof PosternError)) throw error
    if (error.status === 400 && error.code === 'already_exists') return async () => {}
    throw new TrialError(
      `the number has no webhook, and the trial cannot make one (${error.status}: ${error.message}). Make one with POST /v1/webhooks first.`,
    )
  }
}
