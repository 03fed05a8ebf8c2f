import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../runtime/clock.ts'
import { EXCERPT_BYTES, excerptOf } from './excerpt.ts'
import {
  type Exchange,
  type ExchangeContext,
  type ExchangeHandler,
  type PostRequest,
  startExchange,
} from './exchange.ts'
import type { ExchangeFailure } from '../domain/exchange-failure.ts'
import { failureOfStatus } from './failure.ts'

export interface Answer {
  /** True for 2xx and nothing else. */
  readonly ok: boolean
  readonly failure?: ExchangeFailure
  readonly httpStatus?: number
  /** Until the status line, or until the failure. */
  readonly latencyMs: number
  /** Unfiltered; `shownHeaders` selects what may be stored. */
  readonly headers: IncomingHttpHeaders
  /** The beginning of the response, safe to show; see excerptOf. */
  readonly excerpt: string
  /** The whole response, if the request asked for it; `null` if it was too long, too slow or broken off. */
  readonly body?: Buffer | null
}

// The status line decides the outcome. The body is read only for this long.
const BODY_GRACE_MS = 500
/** The same if the whole response is wanted. */
const WANTED_BODY_GRACE_MS = 5_000
// Draining a short response keeps the connection; beyond this size a new connection costs less.
const MAX_BODY_BYTES = 65_536

/** Sends one POST and returns its outcome. */
export function post(context: ExchangeContext, request: PostRequest): Promise<Answer> {
  return new Promise(resolve => {
    const reader = new AnswerReader(context.clock, resolve, request.readsAnswer ?? false)
    reader.follow(startExchange(context, request, reader))
  })
}

type Head = Pick<Answer, 'headers' | 'latencyMs'> & { httpStatus: number }

/** Follows an exchange and resolves once with its outcome. */
class AnswerReader implements ExchangeHandler {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #resolve: (answer: Answer) => void
  readonly #startedAtMs: number
  readonly #keepsBody: boolean
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  #receivedBytes = 0
  #head: Head | undefined
  #exchange: Exchange | undefined
  #grace: NodeJS.Timeout | undefined

  constructor(clock: Pick<Clock, 'monotonicMs'>, resolve: (answer: Answer) => void, keepsBody: boolean) {
    this.#clock = clock
    this.#resolve = resolve
    this.#keepsBody = keepsBody
    this.#startedAtMs = clock.monotonicMs()
  }

  follow(exchange: Exchange | undefined): void {
    this.#exchange = exchange
  }

  onHead(httpStatus: number, headers: IncomingHttpHeaders): void {
    this.#head = { httpStatus, headers, latencyMs: this.#elapsedMs() }
    this.#grace = setTimeout(() => this.#answerAndCut(), this.#keepsBody ? WANTED_BODY_GRACE_MS : BODY_GRACE_MS)
  }

  onData(chunk: Buffer): void {
    this.#receivedBytes += chunk.length
    const max = this.#keepsBody ? MAX_BODY_BYTES : EXCERPT_BYTES + 1
    if (this.#keptBytes < max) {
      // Copied, because a slice would keep the whole chunk in memory.
      const copy = Buffer.from(chunk.subarray(0, max - this.#keptBytes))
      this.#kept.push(copy)
      this.#keptBytes += copy.length
    }
    if (this.#receivedBytes > MAX_BODY_BYTES) this.#answerAndCut()
  }

  onEnd(): void {
    this.#answer(true)
  }

  onFailure(failure: ExchangeFailure): void {
    if (this.#head) this.#answer(false)
    else this.#resolve({ ok: false, failure, latencyMs: this.#elapsedMs(), headers: {}, excerpt: '' })
  }

  #answerAndCut(): void {
    this.#answer(false)
    this.#exchange?.cut()
  }

  #answer(isWhole: boolean): void {
    clearTimeout(this.#grace)
    if (this.#head === undefined) return
    const kept = this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept)
    const answer = answered(this.#head, excerptOf(kept))
    this.#resolve(this.#keepsBody ? { ...answer, body: isWhole ? kept : null } : answer)
  }

  #elapsedMs(): number {
    return Math.round(this.#clock.monotonicMs() - this.#startedAtMs)
  }
}

function answered(head: Head, excerpt: string): Answer {
  const failure = failureOfStatus(head.httpStatus)
  return { ok: !failure, ...head, excerpt, ...(failure && { failure }) }
}
