import pg from 'pg'
import { StallDetector, silent } from '../stall-detector.ts'
import { StoreUnavailable } from '../transaction.ts'
import { WaitQueue } from '../wait-queue.ts'
import { endsConnection, isReadOnly, ReadOnlyServer } from './failures.ts'
import { ASKING, CONNECTING, HOT, IDLE_IN_UNIT_MS, withinPace } from './timeouts.ts'

/** What a connection was opened to may have become another server: its name, or a proxy, leads elsewhere by now. */
const MAX_AGE_S = 300

export interface ConnectionOptions {
  url: string
  size: number
  /** Behind a pooler that hands each transaction another session. */
  isPooled: boolean
  maxAgeS?: number
}

interface Waiting {
  resolve: () => void
  reject: (error: unknown) => void
}

/** Few connections, of a limited age, for those who want one for a moment. */
export class Connections {
  readonly #options: ConnectionOptions
  /** One connection more than are lent: whether the database answers can always be asked. */
  readonly stallDetector = new StallDetector(() => this.#pool.query(withinPace(ASKING, { text: 'select 1' })))
  readonly #line = new WaitQueue<Waiting>(this.stallDetector)
  #pool: pg.Pool
  #lent = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#pool = this.#openPool()
  }

  /**
   * Lends a connection for one piece of work. One that the work leaves inside a transaction, or that has shown to be no
   * good, is destroyed: nothing is asked of it any more.
   */
  async lend<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.stallDetector.isSilent()) throw silent()
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

  /** Outside of a unit. Who reads hears of silence at once; what was asked ends in its own time. */
  async read(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return await this.stallDetector.unlessSilent(this.lend(client => client.query(query)))
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

  /** The server takes no writes any more: neither do its other connections. */
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
      // A database behind a dead line ends nothing by itself.
      query_timeout: HOT.answerMs,
      // It is waited for, whatever its type says.
      onConnect: refuseReadOnly as (client: pg.ClientBase) => void,
    })
    pool.on('error', () => {})
    pool.on('connect', client => {
      // A connection that ends while a unit holds it says so twice: to the query, and as an event that must have a listener.
      client.on('error', () => {})
      client.on('drain', () => this.stallDetector.heard())
      this.stallDetector.heard()
    })
    return pool
  }
}

export const connectionTo = (url: string, isPooled: boolean): pg.PoolConfig => ({
  connectionString: url,
  ...(isPooled ? { Client: Unprepared as unknown as new () => pg.ClientBase } : {}),
  types: { getTypeParser },
  connectionTimeoutMillis: CONNECTING.answerMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
})

const SESSION_SETTINGS = {
  statement_timeout: HOT.statementMs,
  idle_in_transaction_session_timeout: IDLE_IN_UNIT_MS,
}

/** What is prepared in one session is not known in the next, or is known there already. */
class Unprepared extends pg.Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- as many ways to ask as the driver has
  override query(...asked: any[]): any {
    const [question, ...rest] = asked
    const unnamed = typeof question === 'object' && 'name' in question ? { ...question, name: undefined } : question
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    return (super.query as any).call(this, unnamed, ...rest)
  }
}

/** A standby, or a primary that is being left: it would answer reads of long ago, and take no write. */
async function refuseReadOnly(client: pg.ClientBase): Promise<void> {
  const question = withinPace(CONNECTING, { text: 'show transaction_read_only' })
  const { rows } = await client.query<{ transaction_read_only: string }>(question)
  if (rows[0]!.transaction_read_only === 'on') throw new ReadOnlyServer('the server takes no writes')
}

export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new StoreUnavailable(explain((error as Error).message), { cause: error })
  }
}

/** Only a pooler refuses what a session is to be opened with. */
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
