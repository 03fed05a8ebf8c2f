import type { Dispatcher } from 'undici'
import type { TargetPolicy } from './address-guard.ts'
import { type Failure, failed, failureOfExchange, timedOut } from './failure.ts'
import type { Origins } from './origins.ts'
import { checkUrl } from './target-url.ts'

export interface ExchangeContext {
  readonly policy: TargetPolicy
  readonly origins: Origins
  readonly timeoutMs: number
}

export interface ExchangeRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** What becomes of an exchange. `onHead` comes at most once, and one of the last three comes last. */
export interface ExchangeHandler {
  onHead(status: number): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFailure(failure: Failure): void
  onAbort(reason: unknown): void
}

export interface Exchange {
  /** Ends the exchange in silence and destroys its socket. */
  cut(): void
}

// Each costs as much as a whole answer, so a flood of them must end long before the limit on bytes.
const maxInterimAnswers = 20

/** One POST under one deadline, from the name's resolution to the last byte of the answer. */
export function startExchange(
  context: ExchangeContext,
  request: ExchangeRequest,
  handler: ExchangeHandler,
): Exchange | undefined {
  const { signal } = request
  if (signal?.aborted) {
    handler.onAbort(signal.reason)
    return undefined
  }
  const verdict = checkUrl(request.url, context.policy)
  if (!verdict.ok) {
    handler.onFailure(failed('address_not_allowed'))
    return undefined
  }
  const origin = context.origins.enter(verdict.url.origin)
  let controller: Dispatcher.DispatchController | undefined
  let answering = false
  let interim = 0
  let over = false
  origin.waiting++

  const finish = (last: () => void) => {
    if (over) return
    over = true
    if (!controller) origin.waiting--
    clearTimeout(deadline)
    signal?.removeEventListener('abort', onAbort)
    context.origins.leave(origin)
    last()
  }
  const stop = (last: () => void) => {
    finish(last)
    controller?.abort(new Error('the exchange is over'))
  }
  const onAbort = () => stop(() => handler.onAbort(signal?.reason))
  const phaseNow = () => (answering ? 'body' : controller ? 'headers' : origin.phase)
  const onDeadline = () => stop(() => handler.onFailure(timedOut(phaseNow())))
  const deadline = setTimeout(onDeadline, request.timeoutMs ?? context.timeoutMs)
  signal?.addEventListener('abort', onAbort)

  origin.pool.dispatch(
    {
      path: verdict.url.pathname + verdict.url.search,
      method: 'POST',
      headers: safeHeaders(request.headers),
      body: Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength),
    },
    {
      onRequestStart(started) {
        if (over) return started.abort(new Error('the exchange is over'))
        if (!controller) origin.waiting--
        controller = started
      },
      onResponseStart(_, status) {
        if (over) return
        if (status < 200) {
          if (++interim > maxInterimAnswers) stop(() => handler.onFailure(failed('invalid_response')))
          return
        }
        answering = true
        handler.onHead(status)
      },
      onResponseData: (_, chunk) => {
        if (!over) handler.onData(chunk)
      },
      onResponseEnd: () => finish(() => handler.onEnd()),
      onResponseError: (_, error) => finish(() => handler.onFailure(failureOfExchange(error))),
    },
  )
  return { cut: () => stop(() => {}) }
}

// A value from outside, such as a platform's message id, must not be able to break the request.
function safeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const safe: Record<string, string> = { 'user-agent': 'Postern', 'accept-encoding': 'identity' }
  for (const [name, value] of Object.entries(headers)) {
    safe[name] = value.replace(/[^\x20-\x7e]/gu, percentEncoded)
  }
  return safe
}

function percentEncoded(character: string): string {
  return Buffer.from(character).toString('hex').replace(/../g, '%$&')
}
