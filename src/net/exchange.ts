import { Readable } from 'node:stream'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { CHUNK_BYTES } from '../domain/chunks.ts'
import type { TargetPolicy } from './address-guard.ts'
import { MAX_INTERIM_ANSWERS } from './answer-limits.ts'
import { type Failure, failed, failureOfExchange, timedOut } from './failure.ts'
import type { Origin, Origins } from './origins.ts'
import { checkUrl } from './target-url.ts'

export interface ExchangeContext {
  readonly policy: TargetPolicy
  readonly origins: Origins
  readonly timeoutMs: number
}

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What becomes of an exchange. `onHead` comes at most once, and one of the last two comes last. */
export interface ExchangeHandler {
  onHead(status: number): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFailure(failure: Failure): void
}

export interface Exchange {
  /** Ends the exchange in silence and destroys its socket. */
  cut(): void
}

/** One POST under one deadline, from the name's resolution to the last byte of the answer. */
export function startExchange(
  context: ExchangeContext,
  request: PostRequest,
  handler: ExchangeHandler,
): Exchange | undefined {
  const verdict = checkUrl(request.url, context.policy)
  if (!verdict.ok) {
    handler.onFailure(failed('address_not_allowed'))
    return undefined
  }
  const origin = context.origins.enter(verdict.url.origin)
  const course = createCourse(context, origin, handler)
  origin.pool.dispatch(
    {
      path: verdict.url.pathname + verdict.url.search,
      method: 'POST',
      headers: { ...safeHeaders(request.headers), 'content-length': String(request.body.length) },
      body: bodyOf(request.body),
    },
    course.listener,
  )
  return { cut: () => course.stop(() => {}) }
}

/** Follows one exchange on its connection, and ends it once: with its answer, its failure or its deadline. */
function createCourse(context: ExchangeContext, origin: Origin, handler: ExchangeHandler) {
  let controller: Dispatcher.DispatchController | undefined
  let answering = false
  let over = false
  origin.waiting++

  const finish = (last: () => void) => {
    if (over) return
    over = true
    if (!controller) origin.waiting--
    clearTimeout(deadline)
    context.origins.leave(origin)
    last()
  }
  const stop = (last: () => void) => {
    finish(last)
    controller?.abort(new Error('the exchange is over'))
  }
  const fail = (failure: Failure) => stop(() => handler.onFailure(failure))
  const phaseNow = () => (answering ? 'body' : controller ? 'headers' : origin.phase)
  const deadline = setTimeout(() => fail(timedOut(phaseNow())), context.timeoutMs)

  const listener = listen(handler, {
    isOver: () => over,
    onStart: started => {
      if (!controller) origin.waiting--
      controller = started
    },
    onAnswer: () => (answering = true),
    fail,
    finish,
  })
  return { listener, stop }
}

interface Course {
  isOver(): boolean
  onStart(controller: Dispatcher.DispatchController): void
  onAnswer(): void
  fail(failure: Failure): void
  finish(last: () => void): void
}

function listen(handler: ExchangeHandler, course: Course): Dispatcher.DispatchHandler {
  let interim = 0
  return {
    onRequestStart(controller) {
      if (course.isOver()) return controller.abort(new Error('the exchange is over'))
      course.onStart(controller)
    },
    onResponseStart(_, status) {
      if (course.isOver()) return
      if (status < 200) {
        if (++interim > MAX_INTERIM_ANSWERS) course.fail(failed('invalid_response'))
        return
      }
      course.onAnswer()
      handler.onHead(status)
    },
    onResponseData: (_, chunk) => {
      if (!course.isOver()) handler.onData(chunk)
    },
    onResponseEnd: () => course.finish(() => handler.onEnd()),
    onResponseError: (_, error) => course.finish(() => handler.onFailure(failureOfExchange(error))),
  }
}

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
function safeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name, value.replace(/[^\x20-\x7e]/gu, percentEncoded)])
  return { 'user-agent': 'Postern', 'accept-encoding': 'identity', ...Object.fromEntries(given) }
}

function percentEncoded(character: string): string {
  return Buffer.from(character).toString('hex').replace(/../g, '%$&')
}
