import type { Context } from '../context.ts'
import type { Category } from '../domain/event.ts'
import { RecentMap } from '../domain/recent-map.ts'
import { aboutWebhook } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'

/** A webhook as it stands now. */
export interface CurrentWebhook {
  urls: Record<Category, string>
  active: boolean
  /** The secrets that sign at this time: two while a rotation overlaps. */
  secretsAt(nowMs: number): string[]
}

/** Wake-ups tell of changes at once; this bounds how long a change can stay unseen without one. */
const FRESH_MS = 1_000
const MAX_CACHED = 10_000

type CurrentWebhooksParts = Pick<Context, 'seal' | 'clock'> & { store: Pick<Store, 'delivery'> }

/** The webhooks that deliveries go to, read again when they have changed. */
export class CurrentWebhooks {
  readonly #parts: CurrentWebhooksParts
  readonly #cache: RecentMap<Promise<CurrentWebhook | undefined>>

  constructor(parts: CurrentWebhooksParts) {
    this.#parts = parts
    this.#cache = new RecentMap(MAX_CACHED, { ms: FRESH_MS, clock: parts.clock })
  }

  get(webhookId: string): Promise<CurrentWebhook | undefined> {
    const cached = this.#cache.get(webhookId)
    if (cached !== undefined) return cached
    const webhook = this.#read(webhookId)
    this.#cache.set(webhookId, webhook)
    webhook.catch(() => {
      if (this.#cache.get(webhookId) === webhook) this.#cache.delete(webhookId)
    })
    return webhook
  }

  async #read(webhookId: string): Promise<CurrentWebhook | undefined> {
    const { store, seal } = this.#parts
    const row = await store.delivery.readCurrentWebhook(webhookId)
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

  /** Nobody's secret stays in memory for long after the last delivery. */
  forgetPast(): void {
    this.#cache.forgetPast()
  }
}
