import { type PosternClient, PosternError, type WebhookEvent } from '#sdk'

type EventKind = WebhookEvent['kind']

const WAIT_S = 25
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000

export interface Gateway {
  client: PosternClient
  /** The user gave an API key; otherwise the client uses the token of a data folder, which changes with each start. */
  hasKey: boolean
}

/** A listener of the gateway, and the cursor behind the last acknowledged event. */
export interface Listener {
  id: string
  cursor: string
}

/** An event as the gateway returns it to a listener. */
export interface GatewayEvent {
  cursor: string
  event_id: string
  message_id: string
  session_id: string
  kind: string
  category: string
  created_at: string
  body: string
}

interface Page {
  data: GatewayEvent[]
  cursor: string
  missed: number
}

export interface ReaderDeps {
  /** Finds the gateway: after a restart it may have another address or token. */
  connect: () => Promise<Gateway>
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  signal: AbortSignal
  /** How long the gateway keeps events that the client does not read; an hour if it is absent. */
  keepHours?: number
  /** The kinds of events to read; all if it is absent. */
  kinds?: readonly EventKind[]
  /** Reads this pull endpoint instead of a listener. */
  endpointId?: string
  onUnreachable(): void
  onReachable(): void
  /** `null` if the gateway does not know how many events are missing. */
  onMissed(count: number | null): void
  onOpened?(listener: Listener): void
}

/** The gateway rejects the API key. */
export class KeyRejected extends Error {
  override name = 'KeyRejected'
  /** A page that explains the error, if there is one. */
  readonly readOn: string | undefined

  constructor(message: string, { readOn }: { readOn?: string | undefined } = {}) {
    super(message)
    this.readOn = readOn
  }
}

/**
 * Reads the events of an account in order, by a listener or from a pull endpoint. The next read acknowledges the events
 * before it. While the gateway is unreachable the reader retries, so that it misses nothing.
 */
export class EventReader {
  readonly #deps: ReaderDeps
  readonly #keep: { keep_hours?: number }
  readonly #only: { kinds?: EventKind[] }
  #gateway: Gateway | undefined
  #listener: Listener | undefined
  #isUnreachable = false

  constructor(deps: ReaderDeps) {
    this.#deps = deps
    this.#keep = deps.keepHours === undefined ? {} : { keep_hours: deps.keepHours }
    this.#only = deps.kinds === undefined ? {} : { kinds: [...deps.kinds] }
  }

  /** Continues behind the cursor. If the gateway no longer has the listener, the reader opens another one. */
  resume(listener: Listener): void {
    this.#listener = listener
  }

  /** Opens a listener, or finds the pull endpoint. Every failure rejects. The secret of a listener signs forwarded events. */
  async open(): Promise<{ id: string; secret: string }> {
    this.#gateway ??= await this.#deps.connect()
    const { endpointId } = this.#deps
    if (endpointId !== undefined) {
      // Its first page comes again with the first read.
      await this.#gateway.client.endpoints.read(endpointId)
      this.#listener = { id: endpointId, cursor: '0' }
      return { id: endpointId, secret: '' }
    }
    const { id, cursor, secret } = await this.#gateway.client.listeners.create({ ...this.#keep, ...this.#only })
    this.#listener = { id, cursor }
    this.#deps.onOpened?.(this.#listener)
    return { id, secret }
  }

  /** All events until the signal aborts. */
  async *events(): AsyncGenerator<GatewayEvent> {
    const { signal, sleep, onUnreachable, onReachable, onMissed } = this.#deps
    let pauseMs = FIRST_PAUSE_MS
    while (!signal.aborted) {
      const page = await this.#read()
      if (page === undefined) {
        if (!this.#isUnreachable && !signal.aborted) onUnreachable()
        this.#isUnreachable = true
        await sleep(pauseMs, signal)
        pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
        continue
      }
      if (this.#isUnreachable) onReachable()
      this.#isUnreachable = false
      pauseMs = FIRST_PAUSE_MS
      if (page.missed > 0) onMissed(page.missed)
      yield* page.data
      this.#listener!.cursor = page.cursor
    }
  }

  /** Removes the listener, or acknowledges what was read of the pull endpoint, if the gateway responds. */
  async close(): Promise<void> {
    if (this.#listener === undefined) return
    const { id, cursor } = this.#listener
    const client = this.#gateway?.client
    if (this.#deps.endpointId === undefined) await client?.listeners.delete(id).catch(() => {})
    else await client?.endpoints.ack(id, cursor).catch(() => {})
  }

  /** `undefined` if the gateway does not respond now. */
  async #read(): Promise<Page | undefined> {
    const { signal } = this.#deps
    const { id, cursor } = this.#listener!
    try {
      this.#gateway ??= await this.#deps.connect()
      const { client } = this.#gateway
      if (this.#deps.endpointId !== undefined)
        return await client.endpoints.read(id, { after: cursor, wait: WAIT_S }, { signal })
      return await client.listeners.read(id, { after: cursor, wait: WAIT_S, ...this.#keep }, { signal })
    } catch (error) {
      if (error instanceof PosternError && error.status === 404) {
        if (this.#deps.endpointId !== undefined) throw error
        return await this.#openAnother()
      }
      this.#throwPermanent(error)
    }
    // The gateway may have another address or token when it is back. A reader that ends still closes its listener.
    if (!signal.aborted) this.#gateway = undefined
    return undefined
  }

  /** The gateway rejects a wrong key permanently; the token of a data folder changes with each start. */
  #throwPermanent(error: unknown): void {
    if (!(error instanceof PosternError)) return
    if ([400, 403].includes(error.status)) throw error
    if (error.status === 401 && this.#gateway?.hasKey === true)
      throw new KeyRejected(
        `the gateway answered 401: ${error.message}. Give a key that is not revoked: --key, or POSTERN_API_KEY.`,
        { readOn: error.docUrl },
      )
  }

  /** The gateway removed the listener, because the client did not read for too long. */
  async #openAnother(): Promise<Page> {
    await this.open()
    this.#deps.onMissed(null)
    return { data: [], cursor: this.#listener!.cursor, missed: 0 }
  }
}
