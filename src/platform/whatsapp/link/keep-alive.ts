import { S_WHATSAPP_NET, type WASocket } from 'baileys'
import { systemClock } from '../../../runtime/clock.ts'

/** Turns off the library's own pings, each of which makes a timer and a stack trace, whether or not anything has arrived. */
export const LIBRARY_NEVER_MS = 2 ** 31 - 1

/** The timers of all numbers of a thread fire at a multiple of this time, so that they wake it together. */
const BEAT_MS = 6_000
const MIN_ANSWER_MS = 5_000
const ANSWER_SHARE = 0.4
/** A timer that fires this late shows that the thread was busy: the answer may have arrived, but was not read yet. */
const LATE_MS = 1_000

export const PING = {
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' },
  content: [{ tag: 'ping', attrs: {} }],
}

/** Pings the platform when nothing has arrived for an interval. The link is dead if nothing arrives after that either. */
export class KeepAlive {
  readonly #sock: Pick<WASocket, 'ws' | 'sendNode' | 'generateMessageTag'>
  readonly #intervalMs: number
  readonly #answerMs: number
  readonly #onSilent: () => void
  #heardAtMs = 0
  #pingedAtMs: number | undefined
  #dueAtMs = 0
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  /** `onSilent` is called again as long as it does not end the link. */
  constructor(
    sock: Pick<WASocket, 'ws' | 'sendNode' | 'generateMessageTag'>,
    intervalMs: number,
    onSilent: () => void,
  ) {
    this.#sock = sock
    this.#intervalMs = intervalMs
    this.#answerMs = Math.max(intervalMs * ANSWER_SHARE, MIN_ANSWER_MS)
    this.#onSilent = onSilent
  }

  begin(): void {
    this.#heard()
    this.#sock.ws.on('frame', () => this.#heard())
    this.#checkIn(this.#intervalMs)
  }

  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  #heard(): void {
    this.#heardAtMs = systemClock.monotonicMs()
    this.#pingedAtMs = undefined
  }

  #checkIn(ms: number): void {
    // `onSilent` may have ended the link.
    if (this.#hasEnded) return
    const nowMs = systemClock.monotonicMs()
    this.#dueAtMs = this.#intervalMs <= BEAT_MS ? nowMs + ms : Math.ceil((nowMs + ms) / BEAT_MS) * BEAT_MS
    this.#timer = setTimeout(() => this.#check(), this.#dueAtMs - nowMs)
  }

  #check(): void {
    const nowMs = systemClock.monotonicMs()
    if (this.#pingedAtMs === undefined) {
      const leftMs = this.#heardAtMs + this.#intervalMs - nowMs
      if (leftMs > 0) return this.#checkIn(leftMs)
      this.#ping(nowMs)
    } else if (nowMs < this.#dueAtMs + LATE_MS) this.#onSilent()
    this.#checkIn(this.#answerMs)
  }

  #ping(nowMs: number): void {
    this.#pingedAtMs = nowMs
    const id = this.#sock.generateMessageTag()
    // Marks the frame as a query, which waits for no transaction.
    this.#sock.ws.once(`TAG:${id}`, () => {})
    // A link that is closed ends by itself.
    void this.#sock.sendNode({ ...PING, attrs: { ...PING.attrs, id } }).catch(() => {})
  }
}
