import type { Context } from '../context.ts'
import { COMMAND_LINE, isPlainRead, type PackedRequest } from '../domain/api-log.ts'
import type { Identity } from './identity.ts'
import { makeId } from '../domain/ids.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { WakeSignal } from '../runtime/wake-signal.ts'
import type { Store } from '../store/store.ts'
import type { Answered } from './response-log.ts'
import type { LogChunk } from '../store/api-log/api-log.ts'
import { LimitedRequests } from './limits/limited-requests.ts'

/** After the first request of a batch. */
const WRITE_AFTER_MS = 1_000
/** Requests of one account in one row. */
const BATCH = 500
/** How many requests may wait to be written while the database is unreachable; further ones are not logged. */
const MAX_WAITING = 20_000
const MAX_PATH = 1_000
const MAX_MESSAGE = 300

/** The cap of an account's log is checked every this many entries. */
const TRIM_AFTER = 5_000

type LogDeps = Pick<Context, 'clock' | 'log'> & { store: Pick<Store, 'apiLog'> }

/** Collects the requests that accounts make with their keys, and writes those of each second in one batch. */
export class ApiLog {
  readonly #deps: LogDeps
  #waiting = new Map<string, PackedRequest[]>()
  #count = 0
  /** Notified when requests wait to be written. */
  readonly #added = new WakeSignal()
  #dropped = 0
  readonly #sinceTrim = new Map<string, number>()
  readonly #limited = new LimitedRequests()

  constructor(deps: LogDeps) {
    this.#deps = deps
  }

  /** Requests of the portal's users are not part of the log. */
  add({ method, route, url, status, ms, identity, requestId, rejection }: Answered): void {
    if (identity === null) return
    const caller = callerOf(identity)
    // Commands that follow the log read every second; they would push everything else out of it.
    if (caller === null || (caller === COMMAND_LINE && isPlainRead(method, status))) return
    if (!this.#limited.keeps(identity.account.id, status, rejection?.code ?? null)) return
    if (this.#count >= MAX_WAITING) {
      this.#dropped++
      return
    }
    const query = url.indexOf('?')
    const packed: PackedRequest = [
      this.#deps.clock.now().getTime(),
      method,
      route ?? '',
      copyOf(query === -1 ? url : url.slice(0, query), MAX_PATH),
      status,
      caller,
      Math.round(ms * 10) / 10,
      requestId,
      rejection?.code ?? null,
      rejection === null ? null : copyOf(rejection.detail, MAX_MESSAGE),
    ]
    const own = this.#waiting.get(identity.account.id)
    if (own === undefined) this.#waiting.set(identity.account.id, [packed])
    else own.push(packed)
    this.#count++
    this.#added.notify()
  }

  /** Writes until the signal aborts, and then once more what is left. */
  async run(signal: AbortSignal): Promise<void> {
    const writing = new RepeatingTask(this.#deps, 'api_log.write', async () => {
      await this.#added.wait()
      await this.#deps.clock.sleep(WRITE_AFTER_MS, signal)
      await this.#write()
      return 0
    })
    signal.addEventListener('abort', () => this.#added.notify(), { once: true })
    await writing.run(signal)
    await this.#write().catch((error: unknown) => this.#deps.log.warn({ err: error }, 'api_log.write_failed'))
  }

  async #write(): Promise<void> {
    if (this.#count === 0) return
    const waiting = this.#waiting
    const count = this.#count
    this.#limited.nextInterval()
    this.#waiting = new Map()
    try {
      for (const [accountId, requests] of waiting) {
        const { entries, wereWritten } = this.#limited.withCounts(accountId, requests)
        await this.#deps.store.apiLog.addApiLog(this.#batchesOf(accountId, entries))
        wereWritten()
        waiting.delete(accountId)
      }
    } catch (error) {
      this.#putBack(waiting)
      this.#added.notify()
      throw error
    } finally {
      this.#count += [...waiting.values()].reduce((sum, { length }) => sum + length, 0) - count
    }
    if (this.#dropped > 0) this.#deps.log.warn({ requests: this.#dropped }, 'api_log.requests_dropped')
    this.#dropped = 0
  }

  #batchesOf(accountId: string, requests: PackedRequest[]): LogChunk[] {
    const since = (this.#sinceTrim.get(accountId) ?? TRIM_AFTER) + requests.length
    const trims = since >= TRIM_AFTER
    if (trims && this.#sinceTrim.size > MAX_WAITING) this.#sinceTrim.clear()
    this.#sinceTrim.set(accountId, trims ? 0 : since)
    const batches: LogChunk[] = []
    for (let at = 0; at < requests.length; at += BATCH) {
      const some = requests.slice(at, at + BATCH)
      batches.push({
        id: makeId('log'),
        accountId,
        fromMs: some[0]![0],
        untilMs: some.at(-1)![0],
        n: some.length,
        requests: JSON.stringify(some),
        trims: trims && at === 0,
      })
    }
    return batches
  }

  /** Before what came meanwhile. */
  #putBack(unwritten: Map<string, PackedRequest[]>): void {
    for (const [accountId, requests] of unwritten)
      this.#waiting.set(accountId, [...requests, ...(this.#waiting.get(accountId) ?? [])])
  }
}

const callerOf = ({ key, user }: Identity): string | null => key?.id ?? (user === null ? COMMAND_LINE : null)

/** A copy of the part that is shown, so that the log does not keep the whole text in memory. */
const copyOf = (text: string, maxLength: number): string => Buffer.from(text.slice(0, maxLength)).toString()
