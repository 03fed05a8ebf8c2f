import type { Clock } from '../../runtime/clock.ts'
import { StepFailed, type TrialApi } from './trial-api.ts'

/** An event as the history shows it: what it is about, nothing of what was said. */
export interface Happening {
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

const LOOK_MS = 500

/** What the number has told since the trial began: the history of its webhook's deliveries, delivered or not. */
export class Happenings {
  readonly #api: TrialApi
  readonly #clock: Clock
  readonly #session: string
  readonly #used = new Set<string>()

  constructor(api: TrialApi, clock: Clock, session: string) {
    this.#api = api
    this.#clock = clock
    this.#session = session
  }

  /** The next one that fits and that no step has had yet. */
  async next(sinceMs: number, withinMs: number, fits: (happening: Happening) => boolean): Promise<Happening> {
    return await this.until(withinMs, 'nothing of it was told', async () => {
      const since = encodeURIComponent(new Date(sinceMs).toISOString())
      const path = `/v1/deliveries?limit=100&since=${since}&session_id=${encodeURIComponent(this.#session)}`
      const { data } = (await this.#api.expect('GET', path)) as unknown as { data: Entry[] }
      const found = [...data].reverse().find(({ id, payload }) => !this.#used.has(id) && fits(payload))
      if (found !== undefined) this.#used.add(found.id)
      return found?.payload
    })
  }

  /** Looks again and again, until there is something or the time is over. */
  async until<T>(withinMs: number, otherwise: string, look: () => Promise<T | undefined>): Promise<T> {
    const endMs = this.#clock.monotonicMs() + withinMs
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      if (this.#clock.monotonicMs() >= endMs) throw new StepFailed(otherwise)
      await this.#clock.sleep(LOOK_MS)
    }
  }
}

interface Entry {
  id: string
  payload: Happening
}
