import pg from 'pg'

const RECONNECT_MS = 500

/** Listens on a connection of its own, and again after it was lost. What was missed meanwhile, polling finds. */
export function listen(url: string, channel: string, onPayload: (payload: string) => void): { close(): Promise<void> } {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5_000,
    })
    client = next
    next.on('error', again)
    next.on('end', again)
    next.on('notification', message => onPayload(message.payload ?? ''))
    try {
      await next.connect()
      await next.query(`listen ${channel}`)
    } catch {
      again()
    }
  }

  function again(): void {
    if (closed || timer !== undefined) return
    void client?.end().catch(() => {})
    timer = setTimeout(() => {
      timer = undefined
      void connect()
    }, RECONNECT_MS)
  }

  void connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
