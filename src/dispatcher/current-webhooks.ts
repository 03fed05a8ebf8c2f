import type { Context } from '../context.ts'
import type { Category } from '../domain/event.ts'
import { ExpiringMap } from '../runtime/expiring-map.ts'
import { Signer } from '../domain/signature.ts'
import { aboutWebhook } from '../domain/sealed.ts'
import { Deferred } from '../runtime/deferred.ts'
import type { Store } from '../store/store.ts'
import type { CurrentWebhookRow } from '../store/webhooks/webhooks.ts'

/** The current state of a webhook. */
export interface CurrentWebhook {
  urls: Record<Category, string>
  active: boolean
  /** The secrets that sign at this time: two while a rotation overlaps. */
  signersAt(nowMs: number): Signer[]
}

/** Notifications report changes at once; without one a change is seen after this time. */
const FRESH_MS = 1_000
const MAX_CACHED = 10_000

type CurrentWebhooksDeps = Pick<Context, 'seal' | 'clock'> & { store: Pick<Store, 'webhooks'> }

interface CachedWebhook {
  reading: Promise<CurrentWebhook | undefined>
  /** Its result. */
  read?: CurrentWebhook | undefined
}

/** A cache of the webhooks that deliveries go to. */
export class CurrentWebhooks {
  readonly #deps: CurrentWebhooksDeps
  readonly #cache: ExpiringMap<CachedWebhook>
  /** Requested in this round of the event loop: they are read with one query. */
  #wanted = new Map<string, Deferred<CurrentWebhookRow | undefined>>()

  constructor(deps: CurrentWebhooksDeps) {
    this.#deps = deps
    this.#cache = new ExpiringMap(MAX_CACHED, { ms: FRESH_MS, clock: deps.clock })
  }

  get(webhookId: string): Promise<CurrentWebhook | undefined> {
    const cached = this.#cache.get(webhookId)
    if (cached !== undefined) return cached.reading
    const reading = this.#read(webhookId)
    const entry: CachedWebhook = { reading }
    this.#cache.set(webhookId, entry)
    reading.then(
      webhook => (entry.read = webhook),
      () => {
        if (this.#cache.get(webhookId) === entry) this.#cache.delete(webhookId)
      },
    )
    return reading
  }

  /** The webhook, if it is in the cache. */
  peek(webhookId: string): CurrentWebhook | undefined {
    return this.#cache.get(webhookId)?.read
  }

  async #read(webhookId: string): Promise<CurrentWebhook | undefined> {
    const { seal } = this.#deps
    const row = await this.#rowOf(webhookId)
    if (row === undefined) return undefined
    const open = (sealed: Uint8Array) => new Signer(seal.open(sealed, aboutWebhook(webhookId)).toString('utf8'))
    const sealed = row.oldSecret === null ? [row.secret] : [row.secret, row.oldSecret]
    let signers: Signer[] | undefined
    return {
      urls: row.urls,
      active: row.active,
      signersAt: nowMs => {
        signers ??= sealed.map(open)
        return signers.length === 1 || nowMs < (row.oldSecretUntil ?? 0) ? signers : signers.slice(0, 1)
      },
    }
  }

  #rowOf(webhookId: string): Promise<CurrentWebhookRow | undefined> {
    if (this.#wanted.size === 0) queueMicrotask(() => void this.#readWanted())
    const row = this.#wanted.get(webhookId) ?? new Deferred<CurrentWebhookRow | undefined>()
    this.#wanted.set(webhookId, row)
    return row.promise
  }

  async #readWanted(): Promise<void> {
    const wanted = this.#wanted
    this.#wanted = new Map()
    try {
      const rows = await this.#deps.store.webhooks.readCurrentWebhooks([...wanted.keys()])
      const found = new Map(rows.map(row => [row.id, row]))
      for (const [id, row] of wanted) row.resolve(found.get(id))
    } catch (error) {
      for (const row of wanted.values()) row.reject(error as Error)
    }
  }

  forget(webhookId: string): void {
    this.#cache.delete(webhookId)
  }

  /** Secrets do not stay in memory for long after the last delivery. */
  dropExpired(): void {
    this.#cache.dropExpired()
  }
}
