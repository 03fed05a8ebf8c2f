import type { Context } from '../context.ts'
import { isEndpointId, type RetryMode, type SignatureScheme } from '../domain/endpoint.ts'
import type { Category } from '../domain/event.ts'
import type { IncludeWord } from '../domain/include.ts'
import { ExpiringMap } from '../runtime/expiring-map.ts'
import { Signer } from '../domain/signature.ts'
import { aboutEndpoint, aboutHeaders, aboutWebhook } from '../domain/sealed.ts'
import { Deferred } from '../runtime/deferred.ts'
import type { Store } from '../store/store.ts'
import type { CurrentEndpointRow } from '../store/endpoints/current-endpoints.ts'
import type { CurrentWebhookRow } from '../store/webhooks/webhooks.ts'

/** The current state of a webhook, or of an endpoint. */
export interface CurrentWebhook {
  /** The URL of a lane; empty if its category is off. */
  urlOf(category: Category | null): string
  active: boolean
  /** The secrets that sign at this time: two while a rotation overlaps. */
  signersAt(nowMs: number): Signer[]
  /** `null` for a webhook. */
  endpoint: CurrentEndpoint | null
}

/** What an endpoint has and a webhook has not. */
export interface CurrentEndpoint {
  /** `null`: every number of the account. */
  sessionIds: readonly string[] | null
  include: readonly IncludeWord[]
  signature: SignatureScheme
  retry: RetryMode
  /** Whether its answer to a message is sent to the chat. */
  reply: boolean
  failingSince: number | null
  notifiedAt: number | null
  headers(): Readonly<Record<string, string>>
}

type CurrentRow = CurrentWebhookRow | CurrentEndpointRow
type Secrets = Pick<CurrentWebhookRow, 'secret' | 'oldSecret' | 'oldSecretUntil'>

/** Notifications report changes at once; without one a change is seen after this time. */
const FRESH_MS = 1_000
const MAX_CACHED = 10_000

type CurrentWebhooksDeps = Pick<Context, 'seal' | 'clock'> & {
  store: Pick<Store, 'webhooks' | 'endpoints'>
}

interface CachedWebhook {
  reading: Promise<CurrentWebhook | undefined>
  /** Its result. */
  read?: CurrentWebhook | undefined
}

/** A cache of the webhooks and endpoints that deliveries go to. */
export class CurrentWebhooks {
  readonly #deps: CurrentWebhooksDeps
  readonly #cache: ExpiringMap<CachedWebhook>
  /** Requested in this round of the event loop: they are read with one query. */
  #wanted = new Map<string, Deferred<CurrentRow | undefined>>()

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
    const row = await this.#rowOf(webhookId)
    if (row === undefined) return undefined
    const { active } = row
    if ('url' in row) {
      const signersAt = this.#signersOf(row, aboutEndpoint(webhookId))
      return { urlOf: () => row.url, active, signersAt, endpoint: this.#settingsOf(row) }
    }
    const signersAt = this.#signersOf(row, aboutWebhook(webhookId))
    return {
      urlOf: category => (category === null ? '' : row.urls[category]),
      active,
      signersAt,
      endpoint: null,
    }
  }

  #signersOf(row: Secrets, about: string): CurrentWebhook['signersAt'] {
    const sealed = row.oldSecret === null ? [row.secret] : [row.secret, row.oldSecret]
    let signers: Signer[] | undefined
    return nowMs => {
      signers ??= sealed.map(each => new Signer(this.#deps.seal.open(each, about).toString('utf8')))
      return signers.length === 1 || nowMs < (row.oldSecretUntil ?? 0) ? signers : signers.slice(0, 1)
    }
  }

  #settingsOf(row: CurrentEndpointRow): CurrentEndpoint {
    const { sessionIds, include, signature, retry, reply, failingSince, notifiedAt } = row
    let opened: Record<string, string> | undefined
    const headers = () => (opened ??= openHeaders(this.#deps.seal, row))
    return { sessionIds, include, signature, retry, reply, failingSince, notifiedAt, headers }
  }

  #rowOf(webhookId: string): Promise<CurrentRow | undefined> {
    if (this.#wanted.size === 0) queueMicrotask(() => void this.#readWanted())
    const row = this.#wanted.get(webhookId) ?? new Deferred<CurrentRow | undefined>()
    this.#wanted.set(webhookId, row)
    return row.promise
  }

  async #readWanted(): Promise<void> {
    const wanted = this.#wanted
    this.#wanted = new Map()
    try {
      const rows = await this.#readRows([...wanted.keys()])
      const found = new Map(rows.map(row => [row.id, row]))
      for (const [id, row] of wanted) row.resolve(found.get(id))
    } catch (error) {
      for (const row of wanted.values()) row.reject(error as Error)
    }
  }

  async #readRows(ids: string[]): Promise<CurrentRow[]> {
    const { webhooks, endpoints } = this.#deps.store
    const endpointIds = ids.filter(isEndpointId)
    const webhookIds = ids.filter(id => !isEndpointId(id))
    const [ofWebhooks, ofEndpoints] = await Promise.all([
      webhookIds.length === 0 ? [] : webhooks.readCurrentWebhooks(webhookIds),
      endpointIds.length === 0 ? [] : endpoints.readCurrentEndpoints(endpointIds),
    ])
    return [...ofWebhooks, ...ofEndpoints]
  }

  forget(webhookId: string): void {
    this.#cache.delete(webhookId)
  }

  /** Secrets do not stay in memory for long after the last delivery. */
  dropExpired(): void {
    this.#cache.dropExpired()
  }
}

const openHeaders = (seal: Context['seal'], { id, headers }: CurrentEndpointRow): Record<string, string> =>
  headers === null ? {} : (JSON.parse(seal.open(headers, aboutHeaders(id)).toString('utf8')) as Record<string, string>)
