import pg from 'pg'

const RECONNECT_MS = 500
const ANSWER_MS = 5_000
const CLOSE_MS = 1_000
/** A line that is dead without a word is found by asking. */
const PROBE_MS = 5_000
/** A server that follows another one takes no notices and gives none. */
const PROBE = 'select pg_is_in_recovery() as follows'

interface Query {
  name?: string
  text: string
  values?: unknown[]
}

/** A connection for notices alone: it comes up when it is needed, and again after it was lost. What was missed meanwhile, polling finds. */
export class ListenConnection {
  readonly #url: string
  readonly #onPayload: (payload: string) => void
  readonly #channels = new Set<string>()
  #client: pg.Client | undefined
  #connecting: Promise<pg.Client> | undefined
  #timer: NodeJS.Timeout | undefined
  #lastAnswer: Promise<unknown> = Promise.resolve()
  /** It was lost a moment ago: whoever needs it does without. */
  #isResting = false
  #isClosed = false

  constructor(url: string, onPayload: (payload: string) => void) {
    this.#url = url
    this.#onPayload = onPayload
  }

  /** From now on, and again whenever the line comes up. */
  listenOn(channel: string): void {
    if (this.#isClosed || this.#channels.has(channel)) return
    this.#channels.add(channel)
    if (this.#client !== undefined) this.query({ text: `listen ${channel}` }).catch(() => {})
    else if (!this.#isResting) this.#connectSoon()
  }

  /** After what was asked before. Fails where the line is down; a line that fails is ended, and comes up anew. */
  query(query: Query): Promise<pg.QueryResult> {
    const answer = this.#lastAnswer.then(() => this.#ask(query))
    this.#lastAnswer = answer.catch(() => {})
    return answer
  }

  async #ask(query: Query): Promise<pg.QueryResult> {
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
    // What is wanted in the same moment is listened for in one go.
    queueMicrotask(() => void this.#connect().catch(() => {}))
  }

  #connect(): Promise<pg.Client> {
    if (this.#isResting || this.#isClosed) return Promise.reject(new Error('the line is down'))
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ payload = '', processId }) => {
      if (processId !== ownProcessId(client)) this.#onPayload(payload)
    })
    try {
      await client.connect()
      // Nothing durable is written here: nobody waits for the disk.
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
      // It is lost, and comes up again by itself.
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined
    // Without waiting for a server that may be gone.
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
