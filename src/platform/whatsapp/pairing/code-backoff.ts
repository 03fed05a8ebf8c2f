import { backoffMs } from '../../../runtime/exponential-backoff.ts'

/** What follows when the platform gives no code. */
export type AfterRefusal =
  | { readonly kind: 'end'; readonly why: string }
  | { readonly kind: 'wait'; readonly why: string; readonly ms: number }

const ENDS: ReadonlyMap<number, string> = new Map([
  [400, 'the platform gives no code for this number: check the number and its country code, or link it by QR code'],
  [404, 'the platform does not know this number: check it and its country code'],
])
const TOO_MANY = 'too many codes were requested: the platform makes you wait before the next one'
const TOO_MANY_WAITS_MS = 60_000
const SILENT = 'the platform does not answer'
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 300_000

/** `nth`: the number of consecutive rejections. The platform prolongs them for immediate retries. */
export function afterRefusal(status: number, nth: number, givenMs?: number): AfterRefusal {
  const end = ENDS.get(status)
  if (end !== undefined) return { kind: 'end', why: end }
  const firstMs = status === 429 ? TOO_MANY_WAITS_MS : FIRST_WAIT_MS
  const ms = givenMs ?? backoffMs(firstMs, LONGEST_WAIT_MS, nth - 1)
  if (status === 429) return { kind: 'wait', why: TOO_MANY, ms }
  return { kind: 'wait', why: status === 0 ? SILENT : `the platform gives no code for this number now (${status})`, ms }
}

/** The wait that rejections of code requests impose on a pairing, across its connections. */
export class CodeBackoff {
  #refusals = 0
  #wait: { readonly why: string; readonly untilMs: number } | undefined

  /** Why no code may be requested now, and until when. */
  waitAt(nowMs: number): { readonly why: string; readonly untilMs: number } | undefined {
    return this.#wait !== undefined && this.#wait.untilMs > nowMs ? this.#wait : undefined
  }

  given(): void {
    this.#refusals = 0
  }

  refused(status: number, givenMs: number | undefined, nowMs: number): AfterRefusal {
    this.#refusals += 1
    const refusal = afterRefusal(status, this.#refusals, givenMs)
    if (refusal.kind === 'wait') this.#wait = { why: refusal.why, untilMs: nowMs + refusal.ms }
    return refusal
  }
}
