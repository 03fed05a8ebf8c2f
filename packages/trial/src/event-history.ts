import { StepFailed, type TrialApi } from './trial-api.ts'

export interface Clock {
  now(): Date
  monotonicMs(): number
  sleep(ms: number): Promise<void>
}

/** An event as the delivery history shows it, without content. */
export interface HistoryEvent {
  kind: string
  type?: string
  event?: string
  message_id?: string
  chat_jid?: string
  sender_jid?: string
  reacted_message_id?: string
  edited_message_id?: string
  revoked_message_id?: string
}

const POLL_MS = 500

/** The events of the number since the trial began: the history of its webhook's deliveries, delivered or not. */
export class EventHistory {
  readonly #api: TrialApi
  readonly #clock: Clock
  readonly #session: string
  readonly #used = new Set<string>()

  constructor(api: TrialApi, clock: Clock, session: string) {
    this.#api = api
    this.#clock = clock
    this.#session = session
  }

  /** The next matching event that no step has used yet. */
  async next(sinceMs: number, withinMs: number, matches: (event: HistoryEvent) => boolean): Promise<HistoryEvent> {
    return await this.until(withinMs, 'no event reported it', async () => {
      const query = { limit: 100, since: new Date(sinceMs).toISOString(), session_id: this.#session }
      const { data } = await this.#api.expect(client => client.deliveries.list(query))
      const entries = [...data].reverse() as unknown as Array<{ id: string; payload: HistoryEvent }>
      const found = entries.find(({ id, payload }) => !this.#used.has(id) && matches(payload))
      if (found !== undefined) this.#used.add(found.id)
      return found?.payload
    })
  }

  /** Polls until there is a result; fails the step when the time is over. */
  async until<T>(withinMs: number, otherwise: string, poll: () => Promise<T | undefined>): Promise<T> {
    const endMs = this.#clock.monotonicMs() + withinMs
    for (;;) {
      const found = await poll()
      if (found !== undefined) return found
      if (this.#clock.monotonicMs() >= endMs) throw new StepFailed(otherwise)
      await this.#clock.sleep(POLL_MS)
    }
  }
}
