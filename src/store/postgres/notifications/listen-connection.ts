import pg from 'pg'

const RECONNECT_MS = 500
const TIMEOUT_MS = 5_000
const CLOSE_MS = 1_000
/** A probe finds a connection that is dead without an error. */
const PROBE_MS = 5_000
/** A standby accepts and sends no notifications. */
const PROBE = 'select pg_is_in_recovery() as follows'

/** Tells operators in `pg_stat_activity` which connection listens. */
export const LISTENER_NAME = 'postern-listen'

interface Query {
  name?: string
  text: string
  values?: unknown[]
}

/** A connection for notifications. It opens when it is needed and reconnects. Polling finds what is missed meanwhile. */
export class ListenConnection {
  readonly #url: string
  readonly #onPayload: (payload: string) => void
  readonly #channels = new Set<string>()
  #client: pg.Client | undefined
  #connecting: Promise<pg.Client> | undefined
  #timer: NodeJS.Timeout | undefined
  #lastQuery: Promise<unknown> = Promise.resolve()
  /** The connection was just lost: calls fail until the next attempt to reconnect. */
  #isResting = false
  #isClosed = false

  constructor(url: string, onPayload: (payload: string) => void) {
    this.#url = url
    this.#onPayload = onPayload
  }

  /** Subscribes to a channel, and again after each reconnect. */
  listenOn(channel: string): void {
    if (this.#isClosed || this.#channels.has(channel)) return
    this.#channels.add(channel)
    if (this.#client !== undefined) this.query({ text: `listen ${channel}` }).catch(() => {})
    else if (!this.#isResting) this.#connectSoon()
  }

  /** Runs queries in order. Rejects while the connection is down; a connection with an error is closed and opened again. */
  query(query: Query): Promise<pg.QueryResult> {
    const result = this.#lastQuery.then(() => this.#run(query))
    this.#lastQuery = result.catch(() => {})
    return result
  }

  async #run(query: Query): Promise<pg.QueryResult> {
    const client = this.#client ?? (await this.#connect())
    try {
      return await client.query(query)
    } catch (error) {
      this.#lost(client)
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const client = this.#client ?? (await this.#connecting?.catch(() => undefined))
    if (client === undefined) return
    const tooLate = setTimeout(() => destroy(client), CLOSE_MS)
    await client.end().catch(() => {})
    clearTimeout(tooLate)
  }

  #connectSoon(): void {
    // Channels that are requested in the same round share the connection.
    queueMicrotask(() => void this.#connect().catch(() => {}))
  }

  #connect(): Promise<pg.Client> {
    if (this.#isResting || this.#isClosed) return Promise.reject(new Error('the connection is down'))
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: LISTENER_NAME,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ payload = '', processId }) => {
      if (processId !== ownProcessId(client)) this.#onPayload(payload)
    })
    try {
      await client.connect()
      // Nothing durable is written on this connection, so no commit waits for the disk.
      await client.query('set synchronous_commit = off')
      for (const channel of this.#channels) await client.query(`listen ${channel}`)
    } catch (error) {
      this.#lost(client)
      throw error
    }
    this.#client = client
    this.#probeLater()
    return client
  }

  #probeLater(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#probe(), PROBE_MS).unref()
  }

  async #probe(): Promise<void> {
    const client = this.#client
    try {
      const { rows } = await this.query({ text: PROBE })
      if (client !== undefined && (rows[0] as { follows: boolean }).follows) this.#lost(client)
      else this.#probeLater()
    } catch {
      // The connection is closed, and opens again later.
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined
    // Without waiting for a server that may not respond.
    destroy(client)
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#isResting = true
    this.#timer = setTimeout(() => {
      this.#isResting = false
      if (this.#channels.size > 0) this.#connectSoon()
    }, RECONNECT_MS).unref()
  }
}

const destroy = (client: pg.Client): void =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

const ownProcessId = (client: pg.Client): number | null => (client as unknown as { processID: number | null }).processID
