import type { Clock } from '../../runtime/clock.ts'
import { ConfigError } from '../../boot/config-error.ts'
import type { GatewayClient } from '../gateway-client.ts'
import { refusedBy } from '../refusal.ts'
import type { HeardEvent } from './heard-event.ts'

const WAIT_S = 25
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

export interface Opened {
  id: string
  cursor: string
  secret: string
}

interface Page {
  data: HeardEvent[]
  cursor: string
  missed: number
}

/** What is said besides events. */
export interface ReaderNews {
  away(): void
  back(): void
  missed(count: number | null): void
  /** A listener was opened: whoever keeps it may go on with it after a restart. */
  opened?(listener: Opened): void
}

interface ReaderParts {
  clock: Clock
  news: ReaderNews
  signal: AbortSignal
  /** How long it may be away and find everything; an hour where not given. */
  keepHours?: number
}

/**
 * Reads the events of an account one after the other, by a cursor that is acknowledged when the next are asked for. A
 * gateway that is away is asked again until it is back: nothing is missed between.
 */
export class EventReader {
  readonly #reach: () => Promise<GatewayClient>
  readonly #clock: Clock
  readonly #news: ReaderNews
  readonly #signal: AbortSignal
  readonly #keep: { keep_hours?: number }
  #client: GatewayClient | undefined
  #listener: Opened | undefined
  #cursor = '0'
  #isAway = false

  constructor(reach: () => Promise<GatewayClient>, parts: ReaderParts) {
    this.#reach = reach
    this.#clock = parts.clock
    this.#news = parts.news
    this.#signal = parts.signal
    this.#keep = parts.keepHours === undefined ? {} : { keep_hours: parts.keepHours }
  }

  /** Goes on behind what was acknowledged before. Where the gateway does not know the listener any more, it begins anew. */
  resume(listener: Opened): void {
    this.#listener = listener
    this.#cursor = listener.cursor
  }

  /** Begins; what is wrong now is wrong for good, and thrown. */
  async open(): Promise<{ id: string; secret: string; url: string }> {
    this.#client = await this.#reach()
    const opened = await this.#client.call<unknown>('POST', '/v1/listeners', this.#keep)
    this.#listener = opened as Opened
    this.#cursor = this.#listener.cursor
    this.#news.opened?.(this.#listener)
    return { id: this.#listener.id, secret: this.#listener.secret, url: this.#client.url }
  }

  /** Every event, until the signal aborts. What was told when the next is asked for is acknowledged. */
  async *events(): AsyncGenerator<HeardEvent> {
    let pauseMs = FIRST_PAUSE_MS
    while (!this.#signal.aborted) {
      const page = await this.#read()
      if (page === undefined) {
        if (!this.#isAway && !this.#signal.aborted) this.#news.away()
        this.#isAway = true
        await this.#clock.sleep(pauseMs, this.#signal)
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
        continue
      }
      if (this.#isAway) this.#news.back()
      this.#isAway = false
      pauseMs = FIRST_PAUSE_MS
      if (page.missed > 0) this.#news.missed(page.missed)
      yield* page.data
      this.#cursor = page.cursor
    }
  }

  #kept(): string {
    const { keep_hours } = this.#keep
    return keep_hours === undefined ? '' : `&keep_hours=${keep_hours}`
  }

  async close(): Promise<void> {
    if (this.#listener === undefined) return
    await this.#client?.ask('DELETE', `/v1/listeners/${this.#listener.id}`)
  }

  /** `undefined`: the gateway does not answer now. After a restart it may be elsewhere, and its token is another. */
  async #read(): Promise<Page | undefined> {
    try {
      this.#client ??= await this.#reach()
      const path = `/v1/listeners/${this.#listener!.id}/events?after=${this.#cursor}&wait=${WAIT_S}${this.#kept()}`
      const answer = await this.#client.open('GET', path, { signal: this.#signal })
      const json = (await answer.json()) as Record<string, unknown>
      if (answer.status === 200) return json as unknown as Page
      if (answer.status === 404) return await this.#beginAnew()
      const isForGood = [400, 403].includes(answer.status) || (answer.status === 401 && this.#client.hasKey)
      const cure = answer.status === 401 ? '. Give a key that is not revoked: --key, or POSTERN_API_KEY.' : ''
      if (isForGood) throw refusedBy('the gateway', { status: answer.status, json }, cure)
    } catch (error) {
      if (error instanceof ConfigError && this.#client !== undefined) throw error
    }
    // Who ends it is still at the same gateway, and says so there.
    if (!this.#signal.aborted) this.#client = undefined
    return undefined
  }

  /** The gateway has forgotten the listener: it was away for too long. */
  async #beginAnew(): Promise<Page> {
    await this.open()
    this.#news.missed(null)
    return { data: [], cursor: this.#cursor, missed: 0 }
  }
}
