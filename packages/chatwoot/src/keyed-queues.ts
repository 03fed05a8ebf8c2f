import { setMaxListeners } from 'node:events'
import type { Clock } from './clock.ts'
import type { BridgeLedger, Job, JobHead } from './ledger.ts'
import { Semaphore } from './semaphore.ts'

/** Jobs of one kind that run at a time. */
const CONCURRENCY = 8
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
/** Consecutive rejections of one job: about a minute and a half. */
const MAX_REJECTIONS = 8

/** A job has to be retried later. The jobs behind it in its queue wait. */
export class RetryLater extends Error {
  override name = 'RetryLater'
  readonly afterMs: number | null
  /** The other side has read the job and rejects it: after several rejections the job is abandoned. */
  readonly isRefused: boolean

  constructor(why: string, { afterMs = null as number | null, isRefused = false } = {}) {
    super(why)
    this.afterMs = afterMs
    this.isRefused = isRefused
  }
}

export interface QueueDeps {
  ledger: BridgeLedger
  clock: Clock
  signal: AbortSignal
  /** Performs a job and finishes it, or throws. */
  work: (job: Job) => Promise<void>
  /** A queue starts to wait. */
  onWaiting: (queue: string, why: string) => void
  /** A queue that waited continues. */
  onResumed: (queue: string) => void
  /** A job is not retried any more. Its content stays sealed in the ledger. */
  onAbandoned: (job: Job, why: string) => void
}

/** Performs the jobs of a ledger: those of one queue in order, different queues in parallel. */
export class KeyedQueues {
  readonly #deps: QueueDeps
  readonly #wakeSignal = new WakeSignal()
  readonly #running = new Map<string, Promise<void>>()
  /** By kind, so that one slow side does not delay the other. */
  readonly #semaphores = new Map<string, Semaphore>()
  readonly #failed = new AbortController()
  readonly #ending: AbortSignal

  constructor(deps: QueueDeps) {
    this.#deps = deps
    this.#ending = AbortSignal.any([deps.signal, this.#failed.signal])
    // Every waiting queue adds a listener.
    setMaxListeners(0, this.#ending)
    this.#ending.addEventListener('abort', () => this.#wakeSignal.notify(), { once: true })
  }

  /** The ledger has new jobs. */
  wake(): void {
    this.#wakeSignal.notify()
  }

  /** Works until the signal aborts. Rejects if the ledger itself fails. */
  async run(): Promise<void> {
    this.#wakeSignal.notify()
    while (!this.#ending.aborted) {
      await this.#wakeSignal.wait()
      if (this.#ending.aborted) break
      for (const queue of this.#deps.ledger.takeQueues()) this.#start(queue)
    }
    await Promise.all(this.#running.values())
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason
  }

  #start(queue: string): void {
    if (this.#running.has(queue) || this.#deps.ledger.next(queue) === undefined) return
    const run = this.#runQueue(queue).catch((error: unknown) => this.#failed.abort(error))
    this.#running.set(queue, run)
  }

  async #runQueue(queue: string): Promise<void> {
    const { ledger, clock, onWaiting, onResumed } = this.#deps
    let [pauseMs, tries, rejections] = [FIRST_PAUSE_MS, 0, 0]
    for (let head = ledger.next(queue); head !== undefined && !this.#ending.aborted; head = ledger.next(queue)) {
      const failure = await this.#try(head)
      if (this.#ending.aborted) return
      if (failure !== undefined && tries === 0) onWaiting(queue, failure.message)
      rejections = failure?.isRefused === true ? rejections + 1 : 0
      if (failure === undefined || rejections >= MAX_REJECTIONS) {
        if (failure !== undefined) this.#abandon(head.id, failure.message)
        else if (tries > 0) onResumed(queue)
        ;[pauseMs, tries, rejections] = [FIRST_PAUSE_MS, 0, 0]
        continue
      }
      tries++
      await clock.sleep(failure.afterMs ?? pauseMs, this.#ending)
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
    // No await since the last look into the ledger: a job that is added from now on starts the queue again.
    this.#running.delete(queue)
  }

  /** Rejects if the ledger cannot open the job, which is not the fault of the job. */
  async #try({ id, kind }: JobHead): Promise<RetryLater | undefined> {
    const { ledger, work } = this.#deps
    const attempt = async (): Promise<RetryLater | undefined> => {
      const job = ledger.open(id)
      return await work(job).then(() => undefined, failureOf)
    }
    try {
      return await this.#semaphoreOf(kind).run(attempt, this.#ending)
    } catch (error) {
      if (this.#ending.aborted) return undefined
      throw error
    }
  }

  #semaphoreOf(kind: string): Semaphore {
    const semaphore = this.#semaphores.get(kind) ?? new Semaphore(CONCURRENCY)
    this.#semaphores.set(kind, semaphore)
    return semaphore
  }

  #abandon(id: number, why: string): void {
    this.#deps.ledger.abandon(id)
    this.#deps.onAbandoned(this.#deps.ledger.open(id), why)
  }
}

const failureOf = (error: unknown): RetryLater =>
  error instanceof RetryLater ? error : new RetryLater((error as Error).name, { isRefused: true })

/** Wakes one waiting loop. Several notifications before the next wait count as one. */
class WakeSignal {
  #isNotified = false
  #wake: (() => void) | undefined

  notify(): void {
    this.#isNotified = true
    this.#wake?.()
  }

  async wait(): Promise<void> {
    if (!this.#isNotified) await new Promise<void>(resolve => (this.#wake = resolve))
    this.#wake = undefined
    this.#isNotified = false
  }
}
