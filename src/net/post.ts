import { EXCERPT_BYTES, excerptOf } from './excerpt.ts'
import { type ExchangeContext, type PostRequest, startExchange } from './exchange.ts'
import { type Failure, failureOfStatus } from './failure.ts'

export interface Answer {
  /** True for 2xx and nothing else. */
  readonly ok: boolean
  readonly failure?: Failure
  readonly httpStatus?: number
  /** Until the status line, or until the failure. */
  readonly latencyMs: number
  /** The beginning of the answer, safe to show; see excerptOf. */
  readonly excerpt: string
}

// An answer is decided at its status line. Its body may still be worth a look, but not a wait.
const BODY_GRACE_MS = 500
// Draining a short answer keeps the connection; past this the connection costs less than the bytes.
const MAX_BODY_BYTES = 65_536

/** Sends one POST and says what came of it. */
export function post(context: ExchangeContext, request: PostRequest): Promise<Answer> {
  return new Promise(resolve => {
    const startedAt = performance.now()
    const chunks: Buffer[] = []
    let gathered = 0
    let received = 0
    let head: { httpStatus: number; latencyMs: number } | undefined
    let grace: NodeJS.Timeout | undefined

    const elapsedMs = () => Math.round(performance.now() - startedAt)
    const answer = () => {
      clearTimeout(grace)
      if (head) resolve(answered(head, excerptOf(Buffer.concat(chunks))))
    }
    const answerAndCut = () => {
      answer()
      exchange?.cut()
    }
    const exchange = startExchange(context, request, {
      onHead(httpStatus) {
        head = { httpStatus, latencyMs: elapsedMs() }
        grace = setTimeout(answerAndCut, BODY_GRACE_MS)
      },
      onData(chunk) {
        received += chunk.length
        if (gathered <= EXCERPT_BYTES) {
          // Copied, because a slice would hold on to the whole chunk.
          chunks.push(Buffer.from(chunk.subarray(0, EXCERPT_BYTES + 1 - gathered)))
          gathered += chunks.at(-1)?.length ?? 0
        }
        if (received > MAX_BODY_BYTES) answerAndCut()
      },
      onEnd: answer,
      onFailure(failure) {
        if (head) answer()
        else resolve({ ok: false, failure, latencyMs: elapsedMs(), excerpt: '' })
      },
    })
  })
}

function answered(head: { httpStatus: number; latencyMs: number }, excerpt: string): Answer {
  const failure = failureOfStatus(head.httpStatus)
  return { ok: !failure, ...head, excerpt, ...(failure && { failure }) }
}
