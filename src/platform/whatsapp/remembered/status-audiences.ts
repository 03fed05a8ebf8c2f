import type { SignalKeyStore } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import { OwnKeys } from '../device/own-keys.ts'

/** Longer than the day after which the platform removes posts, and after which the gateway changes none. */
const KEPT_MS = 26 * 3_600_000
const MAX_POSTS = 1_000

/** The people who were chosen for single status posts: a revoke goes to them alone. */
export class StatusAudiences {
  readonly #people: OwnKeys<string[] | null>
  readonly #posts: OwnKeys<Array<{ id: string; atMs: number }>>
  readonly #clock: Pick<Clock, 'now'>

  constructor(keys: () => SignalKeyStore, clock: Pick<Clock, 'now'>) {
    this.#people = new OwnKeys('postern-status-audiences', keys)
    this.#posts = new OwnKeys('postern-status-posts', keys)
    this.#clock = clock
  }

  async keep(id: string, people: string[]): Promise<void> {
    const nowMs = this.#clock.now().getTime()
    const posts = [...((await this.#posts.get('all')) ?? []).filter(post => post.id !== id), { id, atMs: nowMs }]
    const kept = posts.filter(({ atMs }) => atMs > nowMs - KEPT_MS).slice(-MAX_POSTS)
    for (const post of posts) if (!kept.includes(post)) this.#people.set(post.id, null)
    this.#people.set(id, people)
    this.#posts.set('all', kept)
  }

  async of(id: string): Promise<string[] | undefined> {
    return (await this.#people.get(id)) ?? undefined
  }
}
