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

type QueueDeps = Pick<Context, 'seal'> & { store: Pick<Store, 'requests'> }
export type RequestDeps = Pick<Context, 'seal' | 'clock'> & { store: Pick<Store, 'requests' | 'signals'> }

/** A session, and the account that must own it. */
export interface OwnNumber {
  sessionId: string
  accountId: string
}

/**
 * Sends a request to the session's worker, on whatever node it runs, and returns its result. Throws 409 if the session is
 * not hosted or its link is down, 400 if the platform rejects the request, 502 if no response comes in time.
 */
export async function sendSessionRequest(
  deps: RequestDeps,
  number: OwnNumber,
  request: SessionRequest,
  signal?: AbortSignal,
): Promise<CommandResult> {
  const answer = await sendAndAwait<CommandResult>(deps, toSession(number), request, signal)
  if (answer === undefined) throw new GatewayError('worker_unavailable', 'the worker did not answer in time')
  if (answer.ok) return answer.value
  throw sessionError(answer.failure)
}

/** Queues a request for the session's worker and does not wait for its response. */
export async function queueSessionRequest(deps: QueueDeps, number: OwnNumber, request: SessionRequest): Promise<void> {
  await enqueue(deps, makeId('req'), toSession(number), request)
}

/** Sends a person's answer to the worker that runs the pairing. Throws 400 if the platform rejects it. */
export async function sendPairingAnswer(
  deps: RequestDeps,
  pairingId: string,
  answer: PairingAnswer,
  signal?: AbortSignal,
): Promise<void> {
  const answered = await sendAndAwait<object>(deps, { kind: 'pairing', pairingId }, answer, signal)
  if (answered === undefined) throw new GatewayError('worker_unavailable', 'the worker did not answer in time')
  if (!answered.ok) throw sessionError(answered.failure)
}

/** Sends a request to the sandbox network, on whatever node it runs, and returns its result. */
export async function sendSandboxRequest<T>(
  deps: RequestDeps,
  request: SandboxRequest,
  signal?: AbortSignal,
): Promise<T> {
  const answer = await sendAndAwait<T>(deps, SANDBOX, request, signal)
  if (answer === undefined) {
    throw new GatewayError(
      'sandbox_unavailable',
      'the sandbox network does not answer; a process with the simulator role must run',
    )
  }
  if (answer.ok) return answer.value
  throw sandboxError(answer.failure)
}

/** Queues a request for the sandbox network and does not wait for its response. */
export async function queueSandboxRequest(deps: QueueDeps, request: SandboxRequest): Promise<void> {
  await enqueue(deps, makeId('req'), SANDBOX, request)
}

const toSession = ({ sessionId, accountId }: OwnNumber): Recipient => ({ kind: 'session', sessionId, accountId })

/** `undefined` if no response comes in time, or the signal aborts. */
async function sendAndAwait<T>(
  deps: RequestDeps,
  to: Recipient,
  request: SessionRequest | SandboxRequest | PairingAnswer,
  signal?: AbortSignal,
): Promise<Answer<T> | undefined> {
  const id = makeId('req')
  // Subscribes before the request is sent, so that no response is missed.
  const wakeUp = new PolledSignal(deps, ['answers'], { only: ({ requestId }) => requestId === id })
  try {
    await enqueue(deps, id, to, request, deps.store.signals.address)
    const sealed = await awaitAnswer(deps, id, wakeUp, signal)
    return sealed && deps.seal.openJson<Answer<T>>(sealed, aboutAnswer(id))
  } finally {
    wakeUp.stop()
  }
}

async function enqueue(
  { store, seal }: QueueDeps,
  id: string,
  to: Recipient,
  request: SessionRequest | SandboxRequest | PairingAnswer,
  replyTo?: string,
): Promise<void> {
  const sealed = seal.sealJson(request, aboutRequest(id))
  const reply = replyTo === undefined ? {} : { replyTo }
  const added = await store.requests.addRequest({
    id,
    to,
    kind: request.kind,
    sealed,
    ...reply,
    timeoutMs: TIMEOUT_MS,
  })
  switch (added) {
    case 'asked':
      return
    case 'foreign':
      throw foreignSession()
    case 'crowded':
      throw to.kind === 'pairing' ? tooManyAnswersWait() : tooManyRequestsWait()
    default: {
      const never: never = added
      return never
    }
  }
}

/** The response may be written on another node: a notification announces it, and polling finds it without one. */
async function awaitAnswer(
  { store, clock }: RequestDeps,
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

function sessionError(failure: Failure): GatewayError {
  switch (failure.kind) {
    case 'link_down':
      return notHosted()
    case 'permanent':
      return new GatewayError(failure.code ?? 'platform_refused', failure.detail, {
        ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
      })
    case 'transient':
      return new GatewayError('worker_unavailable', failure.detail)
    default: {
      const never: never = failure
      return never
    }
  }
}

/** A transient failure is an error of the sandbox itself: the log has the details. */
function sandboxError(failure: Failure): GatewayError {
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
