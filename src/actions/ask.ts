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

/** A session, and the account that must own it. */
export interface OwnNumber {
  sessionId: string
  accountId: string
}

/**
 * Sends a request to the session's worker, on whatever node it runs, and returns its result. Throws 409 where the session
 * is not hosted or its link is down, 400 where the platform rejects, 502 where no response comes in time.
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

/** Sends a request to the session's worker without waiting for a response. */
export async function tellSession(deps: TellDeps, number: OwnNumber, request: SessionRequest): Promise<void> {
  await ask(deps, makeId('req'), toSession(number), request)
}

/** Passes on what a person has brought to the worker that runs a pairing. Throws 400 where the platform rejects it. */
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

/** Sends a request to the sandbox network, on whatever node it runs, and returns its result. */
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

/** Sends a request to the sandbox network without waiting for a response. */
export async function tellSandbox(deps: TellDeps, request: SandboxRequest): Promise<void> {
  await ask(deps, makeId('req'), SANDBOX, request)
}

const toSession = ({ sessionId, accountId }: OwnNumber): Recipient => ({ kind: 'session', sessionId, accountId })

/** `undefined` where no response comes in time, or the signal aborts. */
async function askAndAwait<T>(
  deps: AskDeps,
  to: Recipient,
  request: SessionRequest | SandboxRequest | PairingAnswer,
  signal?: AbortSignal,
): Promise<Answer<T> | undefined> {
  const id = makeId('req')
  // Subscribes before the request is sent, so that no response is missed.
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

/** The response may be written on another node: a notification announces it, and polling finds it without one. */
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

/** A transient failure is an error of the sandbox itself: the log has the details. */
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
