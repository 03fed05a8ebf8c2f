import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import type { Clock } from '../runtime/clock.ts'
import { CHUNK_BYTES } from '../runtime/in-chunks.ts'
import type { ExchangeFailure, Phase } from '../domain/exchange-failure.ts'
import { failed, failureOfExchange, timedOut } from './failure.ts'
import { MAX_INTERIM_ANSWERS, type Origin } from './origin.ts'
import type { Origins } from './origins.ts'
import type { AllowedTargets } from './allowed-targets.ts'

export interface ExchangeContext {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly targets: AllowedTargets
  readonly origins: Origins
  readonly timeoutMs: number
}

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Whether the whole response is wanted, not only its beginning. */
  readonly readsAnswer?: boolean
}

/** The callbacks of an exchange. `onHead` is called at most once, and one of the last two is called last. */
export interface ExchangeHandler {
  onHead(status: number, headers: IncomingHttpHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFailure(failure: ExchangeFailure): void
}

export interface Exchange {
  /** Ends the exchange without a callback and destroys its socket. */
  cut(): void
}

/** One POST under one deadline, from the DNS query to the last byte of the response. */
export function startExchange(
  context: ExchangeContext,
  request: PostRequest,
  handler: ExchangeHandler,
): Exchange | undefined {
  const target = context.targets.targetOf(request.url)
  if (target === null) {
    handler.onFailure(failed('address_not_allowed'))
    return undefined
  }
  const origin = context.origins.enter(target.origin)
  const exchange = new RunningExchange(origin, handler, context.timeoutMs)
  origin.pool.dispatch(
    {
      path: target.path,
      method: 'POST',
      headers: safeHeaders(request),
      body: bodyOf(request.body),
    },
    exchange,
  )
  return exchange
}

/** Runs one exchange on its connection, and ends it once: with its response, its failure or its deadline. */
class RunningExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #origin: Origin
  readonly #handler: ExchangeHandler
  readonly #deadline: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #interimAnswers = 0
  #isAnswering = false
  #isOver = false

  constructor(origin: Origin, handler: ExchangeHandler, timeoutMs: number) {
    this.#origin = origin
    this.#handler = handler
    origin.beginWaiting()
    this.#deadline = setTimeout(() => this.#fail(timedOut(this.#phase())), timeoutMs)
  }

  cut(): void {
    this.#end()
    this.#abort()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) return controller.abort(new Error(OVER))
    if (!this.#controller) this.#origin.endWaiting()
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#isOver) return
    if (status < 200) {
      this.#interimAnswers += 1
      if (this.#interimAnswers > MAX_INTERIM_ANSWERS) this.#fail(failed('invalid_response'))
      return
    }
    this.#isAnswering = true
    this.#handler.onHead(status, headers)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isOver) this.#handler.onData(chunk)
  }

  onResponseEnd(): void {
    if (this.#end()) this.#handler.onEnd()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#end()) this.#handler.onFailure(failureOfExchange(error))
  }

  #phase(): Phase {
    if (this.#isAnswering) return 'body'
    return this.#controller ? 'headers' : this.#origin.phase
  }

  #fail(failure: ExchangeFailure): void {
    if (this.#end()) this.#handler.onFailure(failure)
    this.#abort()
  }

  #abort(): void {
    this.#controller?.abort(new Error(OVER))
  }

  /** Whether it had not ended before. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    if (!this.#controller) this.#origin.endWaiting()
    clearTimeout(this.#deadline)
    this.#origin.leave()
    return true
  }
}

const OVER = 'the exchange is over'

/** A large body goes out a chunk at a time: to encrypt or to copy 5 MB in one go would hold up the event loop. */
function bodyOf(body: Uint8Array): Buffer | Readable {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return bytes.length <= CHUNK_BYTES ? bytes : Readable.from(chunksOf(bytes), { highWaterMark: 1 })
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES)
    await yieldToEvents()
  }
}

// A value from outside, such as a platform's message id, must not be able to break the request.
function safeHeaders({ headers, body }: PostRequest): Record<string, string> {
  const safe: Record<string, string> = { 'user-agent': 'Postern', 'accept-encoding': 'identity', ...headers }
  for (const name in headers) {
    if (!printable.test(safe[name]!)) safe[name] = safe[name]!.replace(/[^\x20-\x7e]/gu, percentEncoded)
  }
  safe['content-length'] = String(body.length)
  return safe
}

const printable = /^[\x20-\x7e]*$/

function percentEncoded(character: string): string {
  return Buffer.from(character).toString('hex').replace(/../g, '%$&')
}
