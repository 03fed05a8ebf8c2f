import type { Context } from '../context.ts'
import type { Category } from '../domain/event.ts'
import { aboutWebhook } from '../domain/sealed.ts'

/** A webhook as it stands now. */
export interface Target {
  urls: Record<Category, string>
  active: boolean
  /** The secrets that sign at this time: two while a rotation overlaps. */
  secretsAt(nowMs: number): string[]
}

/** Wake-ups tell of changes at once; this bounds how long a change can stay unseen without one. */
const FRESH_MS = 1_000

type TargetsParts = Pick<Context, 'store' | 'seal' | 'clock'>

/** The webhooks that deliveries go to, read again when they have changed. */
export class Targets {
  readonly #parts: TargetsParts
  readonly #cache = new Map<string, { target: Promise<Target | undefined>; readAt: number }>()

  constructor(parts: TargetsParts) {
    this.#parts = parts
  }

  get(webhookId: string): Promise<Target | undefined> {
    const cached = this.#cache.get(webhookId)
    const now = this.#parts.clock.monotonicMs()
    if (cached !== undefined && now - cached.readAt < FRESH_MS) return cached.target
    const target = this.#read(webhookId)
    const entry = { target, readAt: now }
    this.#cache.set(webhookId, entry)
    target.catch(() => {
      if (this.#cache.get(webhookId) === entry) this.#cache.delete(webhookId)
    })
    return target
  }

  async #read(webhookId: string): Promise<Target | undefined> {
    const { store, seal } = this.#parts
    const row = await store.delivery.readTarget(webhookId)
    if (row === undefined) return undefined
    const open = (sealed: Uint8Array) => seal.open(sealed, aboutWebhook(webhookId)).toString('utf8')
    const sealed = row.oldSecret === null ? [row.secret] : [row.secret, row.oldSecret]
    let secrets: string[] | undefined
    return {
      urls: row.urls,
      active: row.active,
      secretsAt: nowMs => {
        secrets ??= sealed.map(open)
        return nowMs < (row.oldSecretUntil ?? 0) ? secrets : secrets.slice(0, 1)
      },
    }
  }

  forget(webhookId: string): void {
    this.#cache.delete(webhookId)
  }

  forgetOld(): void {
    const before = this.#parts.clock.monotonicMs() - FRESH_MS
    for (const [id, entry] of this.#cache) if (entry.readAt < before) this.#cache.delete(id)
  }
}
