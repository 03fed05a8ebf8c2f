import pg from 'pg'
import { StallDetector, stalled } from '../stall-detector.ts'
import { StoreUnavailable } from '../transaction.ts'
import { WaitQueue } from '../wait-queue.ts'
import { endsConnection, isReadOnly, ReadOnlyServer } from './failures.ts'
import { PROBING, CONNECTING, NORMAL, IDLE_IN_TRANSACTION_MS, withTimeout } from './timeouts.ts'

/** Connections are replaced at this age: the server's name or a proxy may lead to another server by then. */
const MAX_AGE_S = 300

export interface ConnectionOptions {
  url: string
  size: number
  /** Behind a pooler in transaction mode. */
  isPooled: boolean
  maxAgeS?: number
}

interface Waiting {
  resolve: () => void
  reject: (error: unknown) => void
}

/** A pool of a few connections with a limited age. */
export class Connections {
  readonly #options: ConnectionOptions
  /** One more connection than the pool lends, so that a probe is always possible. */
  readonly stallDetector = new StallDetector(() => this.#pool.query(withTimeout(PROBING, { text: 'select 1' })))
  readonly #line = new WaitQueue<Waiting>(this.stallDetector)
  #pool: pg.Pool
  #lent = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#pool = this.#openPool()
  }

  /**
   * Lends a connection for one piece of work. A connection that the work leaves in a transaction, or that has failed,
   * is destroyed.
   */
  async lend<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.stallDetector.isStalled()) throw stalled()
    if (this.#lent < this.#options.size) this.#lent++
    else await new Promise<void>((resolve, reject) => this.#line.join({ resolve, reject }))
    try {
      return await this.stallDetector.during(() => this.#work(work))
    } finally {
      const [next] = this.#line.take(1)
      if (next === undefined) this.#lent--
      else next.resolve()
    }
  }

  /**
   * Runs a query outside of a transaction. The caller gets an error as soon as the database stalls; the query itself
   * ends later.
   */
  async read(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return await this.stallDetector.unlessStalled(this.lend(client => client.query(query)))
  }

  async close(): Promise<void> {
    this.stallDetector.end()
    await this.#pool.end()
  }

  async #work<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const pool = this.#pool
    const client = await connect(pool)
    let isGood = true
    try {
      return await work(client)
    } catch (error) {
      isGood = !endsConnection(error)
      if (isReadOnly(error)) this.#leave(pool)
      throw error
    } finally {
      client.release(!isGood || client.getTransactionStatus() !== 'I')
    }
  }

  /** The server accepts no writes any more, so its other connections are useless too. */
  #leave(pool: pg.Pool): void {
    if (pool !== this.#pool) return
    this.#pool = this.#openPool()
    void pool.end().catch(() => {})
  }

  #openPool(): pg.Pool {
    const { url, size, isPooled, maxAgeS = MAX_AGE_S } = this.#options
    const pool = new pg.Pool({
      ...connectionTo(url, isPooled),
      ...(isPooled ? {} : SESSION_SETTINGS),
      max: size + 1,
      maxLifetimeSeconds: maxAgeS,
      // A broken network ends no connection, so keep-alive finds it.
      query_timeout: NORMAL.responseMs,
      // The pool awaits this callback, although its type does not say so.
      onConnect: rejectReadOnly as (client: pg.ClientBase) => void,
    })
    pool.on('error', () => {})
    pool.on('connect', client => {
      // A connection that ends inside a transaction reports it twice: to the query, and as an event that must have a
      // listener.
      client.on('error', () => {})
      client.on('drain', () => this.stallDetector.responded())
      this.stallDetector.responded()
    })
    return pool
  }
}

export const connectionTo = (url: string, isPooled: boolean): pg.PoolConfig => ({
  connectionString: url,
  ...(isPooled ? { Client: Unprepared as unknown as new () => pg.ClientBase } : {}),
  types: { getTypeParser },
  connectionTimeoutMillis: connectMs(url),
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
})

/** `connect_timeout` in the URL, in seconds, as other programs read it: a database that sleeps needs longer to wake. */
function connectMs(url: string): number {
  const seconds = Number(new URL(url).searchParams.get('connect_timeout'))
  return seconds > 0 ? seconds * 1_000 : CONNECTING.responseMs
}

const SESSION_SETTINGS = {
  statement_timeout: NORMAL.statementMs,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
}

/** Behind a pooler the session changes, so prepared statements cannot be used. */
class Unprepared extends pg.Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- as many ways to ask as the driver has
  override query(...args: any[]): any {
    const [query, ...rest] = args
    const unnamed = typeof query === 'object' && 'name' in query ? { ...query, name: undefined } : query
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    return (super.query as any).call(this, unnamed, ...rest)
  }
}

/** A standby, or an old primary after a failover: it would return old data and accept no write. */
async function rejectReadOnly(client: pg.ClientBase): Promise<void> {
  const query = withTimeout(CONNECTING, { text: 'show transaction_read_only' })
  const { rows } = await client.query<{ transaction_read_only: string }>(query)
  if (rows[0]!.transaction_read_only === 'on') throw new ReadOnlyServer('the server takes no writes')
}

export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new StoreUnavailable(explain((error as Error).message), { cause: error })
  }
}

/** Only a pooler rejects the settings of a new session. */
const explain = (message: string): string =>
  message.includes('unsupported startup parameter')
    ? `${message}: a pooler answers there. Set POSTERN_DATABASE_DIRECT_URL, or give the address of the database itself`
    : message

const INT8 = 20
const NUMERIC = 1700

/** Times, counts and sums stay below 2^53, so they are plain numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 || oid === NUMERIC) return Number
  return pg.types.getTypeParser(oid, format as 'text')
}
