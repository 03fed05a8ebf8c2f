import pg from 'pg'

const RECONNECT_MS = 500

/** Listens on a connection of its own, and again after it was lost. What was missed meanwhile, polling finds. */
export class Listener {
  readonly #url: string
  readonly #channel: string
  readonly #onPayload: (payload: string) => void
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(url: string, channel: string, onPayload: (payload: string) => void) {
    this.#url = url
    this.#channel = channel
    this.#onPayload = onPayload
    void this.#connect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5_000,
    })
    this.#client = client
    const again = (): void => this.#connectAgain()
    client.on('error', again)
    client.on('end', again)
    client.on('notification', ({ payload }) => this.#onPayload(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${this.#channel}`)
    } catch {
      again()
    }
  }

  #connectAgain(): void {
    if (this.#isClosed || this.#timer !== undefined) return
    void this.#client?.end().catch(() => {})
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#connect()
    }, RECONNECT_MS)
  }
}
