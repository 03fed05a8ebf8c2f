import type { Context } from '../context.ts'
import type { CommandResult, SessionRequest } from '../domain/command.ts'
import { foreignSession, GatewayError, notHosted, tooManyAnswersWait, tooManyRequestsWait } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import { makeId } from '../domain/ids.ts'
import type { PairingAnswer } from '../domain/passkey.ts'
import type { Answer, Recipient } from '../domain/request.ts'
import type { SandboxRequest } from '../domain/sandbox.ts'
import { aboutAnswer, aboutRequest } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'
import { PolledSignal } from '../store/polled-signal.ts'

const TIMEOUT_MS = 10_000
const POLL_MS = 250
const SANDBOX: Recipient = { kind: 'sandbox' }

type TellDeps = Pick<Context, 'seal'> & { store: Pick<Store, 'requests'> }
export type AskDeps = Pick<Context, 'seal' | 'clock'> & { store: Pick<Store, 'requests' | 'signals'> }

/** A session, and the account that it has to be of. */
export interface OwnNumber {
  sessionId: string
  accountId: string
}

/**
 * Has the session's worker do something, wherever it is, and answers what came of it. Throws 409 where the session is
 * not hosted or its link is down, 400 where the platform refuses, 502 where no answer came in time.
 */
export async function askSession(
  deps: AskDeps,
  number: OwnNumber,
  request: SessionRequest,
  signal?: AbortSignal,
): Promise<CommandResult> {
  const answer = await askAndAwait<CommandResult>(deps, toSession(number), request, signal)
  if (answer === undefined) throw new GatewayError('worker_unavailable', 'the worker did not answer in time')
  if (answer.ok) return answer.value
  throw refusedBySession(answer.failure)
}

/** Has the session's worker do something; nobody waits for it. */
export async function tellSession(deps: TellDeps, number: OwnNumber, request: SessionRequest): Promise<void> {
  await ask(deps, makeId('req'), toSession(number), request)
}

/** Hands what a person has brought to whoever attends to a pairing. 400 where the platform does not take it. */
export async function askPairing(
  deps: AskDeps,
  pairingId: string,
  answer: PairingAnswer,
  signal?: AbortSignal,
): Promise<void> {
  const answered = await askAndAwait<object>(deps, { kind: 'pairing', pairingId }, answer, signal)
  if (answered === undefined) throw new GatewayError('worker_unavailable', 'the worker did not answer in time')
  if (!answered.ok) throw refusedBySession(answered.failure)
}

/** Has the sandbox network do something, wherever it runs, and answers what came of it. */
export async function askSandbox<T>(deps: AskDeps, request: SandboxRequest, signal?: AbortSignal): Promise<T> {
  const answer = await askAndAwait<T>(deps, SANDBOX, request, signal)
  if (answer === undefined) {
    throw new GatewayError(
      'sandbox_unavailable',
      'the sandbox network does not answer; a process with the simulator role must run',
    )
  }
  if (answer.ok) return answer.value
  throw refusedBySandbox(answer.failure)
}

/** Has the sandbox network do something, after whatever it was asked for before; nobody waits for it. */
export async function tellSandbox(deps: TellDeps, request: SandboxRequest): Promise<void> {
  await ask(deps, makeId('req'), SANDBOX, request)
}

const toSession = ({ sessionId, accountId }: OwnNumber): Recipient => ({ kind: 'session', sessionId, accountId })

/** `undefined` where no answer came in time, or the signal aborted. */
async function askAndAwait<T>(
  deps: AskDeps,
  to: Recipient,
  request: SessionRequest | SandboxRequest | PairingAnswer,
  signal?: AbortSignal,
): Promise<Answer<T> | undefined> {
  const id = makeId('req')
  // Begun before the question is asked, so that no answer is missed.
  const wakeUp = new PolledSignal(deps, ['answers'], { only: ({ requestId }) => requestId === id })
  try {
    await ask(deps, id, to, request, deps.store.signals.address)
    const sealed = await awaitAnswer(deps, id, wakeUp, signal)
    return sealed && deps.seal.openJson<Answer<T>>(sealed, aboutAnswer(id))
  } finally {
    wakeUp.stop()
  }
}

async function ask(
  { store, seal }: TellDeps,
  id: string,
  to: Recipient,
  request: SessionRequest | SandboxRequest | PairingAnswer,
  replyTo?: string,
): Promise<void> {
  const sealed = seal.sealJson(request, aboutRequest(id))
  const answered = replyTo === undefined ? {} : { replyTo }
  const asked = await store.requests.addRequest({
    id,
    to,
    kind: request.kind,
    sealed,
    ...answered,
    timeoutMs: TIMEOUT_MS,
  })
  switch (asked) {
    case 'asked':
      return
    case 'foreign':
      throw foreignSession()
    case 'crowded':
      throw to.kind === 'pairing' ? tooManyAnswersWait() : tooManyRequestsWait()
    default: {
      const never: never = asked
      return never
    }
  }
}

/** The answer may be given on another node: a wake-up brings it at once, polling for certain. */
async function awaitAnswer(
  { store, clock }: AskDeps,
  id: string,
  wakeUp: PolledSignal<'answers'>,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const deadlineMs = clock.monotonicMs() + TIMEOUT_MS
  while (signal?.aborted !== true) {
    const answer = await store.requests.readAnswer(id)
    const leftMs = deadlineMs - clock.monotonicMs()
    if (answer !== undefined || leftMs <= 0) return answer
    await wakeUp.sleep(Math.min(POLL_MS, leftMs), signal)
  }
  return undefined
}

function refusedBySession(failure: Failure): GatewayError {
  switch (failure.kind) {
    case 'link_down':
      return notHosted()
    case 'permanent':
      return new GatewayError('platform_refused', failure.detail)
    case 'transient':
      return new GatewayError('worker_unavailable', failure.detail)
    default: {
      const never: never = failure
      return never
    }
  }
}

/** What is neither a refusal nor of this moment is a fault of the sandbox itself, of which the log tells. */
function refusedBySandbox(failure: Failure): GatewayError {
  switch (failure.kind) {
    case 'permanent':
      return new GatewayError('platform_refused', failure.detail)
    case 'link_down':
      return new GatewayError('sandbox_unavailable', failure.detail)
    case 'transient':
      return new GatewayError('internal_error', 'the sandbox network failed')
    default: {
      const never: never = failure
      return never
    }
  }
}
