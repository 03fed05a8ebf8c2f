import { setMaxListeners } from 'node:events'
import { WakeSignal } from '../../runtime/wake-signal.ts'
import type { Clock } from '../../runtime/clock.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import type { BridgeLedger, Head, Job } from '../../store/bridge/bridge-ledger.ts'

/** Of each kind. */
const AT_ONCE = 8
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** Of one job that is refused, in a row: about a minute and a half. */
const MOST_REFUSALS = 8

/** A job has to be done again, later; what follows it in its lane waits. */
export class Again extends Error {
  override name = 'Again'
  readonly afterMs: number | null
  /** The other side has read it and does not take it: so many times, and it is given up. */
  readonly isRefused: boolean

  constructor(why: string, { afterMs = null as number | null, isRefused = false } = {}) {
    super(why)
    this.afterMs = afterMs
    this.isRefused = isRefused
  }
}

export interface LaneParts {
  ledger: BridgeLedger
  clock: Clock
  signal: AbortSignal
  /** Does a job and finishes it, or throws. */
  work: (job: Job) => Promise<void>
  /** The first time that a lane has to wait, and when it goes on. */
  waits: (lane: string, why: string) => void
  goesOn: (lane: string) => void
  /** Behind it the job is done no more, and what it holds stays sealed. */
  gaveUp: (job: Job, why: string) => void
}

/** Does the jobs of a ledger: those of a lane in their order, lanes side by side. */
export class Lanes {
  readonly #parts: LaneParts
  readonly #bell = new WakeSignal()
  readonly #running = new Map<string, Promise<void>>()
  /** By kind: a side that hangs does not hold up the other. */
  readonly #rooms = new Map<string, Semaphore>()
  readonly #failed = new AbortController()
  readonly #ending: AbortSignal

  constructor(parts: LaneParts) {
    this.#parts = parts
    this.#ending = AbortSignal.any([parts.signal, this.#failed.signal])
    // Each lane that waits listens for itself.
    setMaxListeners(0, this.#ending)
    this.#ending.addEventListener('abort', () => this.#bell.notify(), { once: true })
  }

  /** There is something new in the ledger. */
  ring(): void {
    this.#bell.notify()
  }

  /** Until the signal aborts. Rejects where the ledger itself fails. */
  async run(): Promise<void> {
    this.#bell.notify()
    while (!this.#ending.aborted) {
      await this.#bell.wait()
      if (this.#ending.aborted) break
      for (const lane of this.#parts.ledger.takeLanes()) this.#start(lane)
    }
    await Promise.all(this.#running.values())
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason
  }

  #start(lane: string): void {
    if (this.#running.has(lane) || this.#parts.ledger.next(lane) === undefined) return
    const run = this.#runLane(lane).catch((error: unknown) => this.#failed.abort(error))
    this.#running.set(lane, run)
  }

  async #runLane(lane: string): Promise<void> {
    const { ledger, clock, waits, goesOn } = this.#parts
    let [pauseMs, tries, refusals] = [FIRST_PAUSE_MS, 0, 0]
    for (let head = ledger.next(lane); head !== undefined && !this.#ending.aborted; head = ledger.next(lane)) {
      const trouble = await this.#try(head)
      if (this.#ending.aborted) return
      if (trouble !== undefined && tries === 0) waits(lane, trouble.message)
      refusals = trouble?.isRefused === true ? refusals + 1 : 0
      if (trouble === undefined || refusals >= MOST_REFUSALS) {
        if (trouble !== undefined) this.#giveUp(head.id, trouble.message)
        else if (tries > 0) goesOn(lane)
        ;[pauseMs, tries, refusals] = [FIRST_PAUSE_MS, 0, 0]
        continue
      }
      tries++
      await clock.sleep(trouble.afterMs ?? pauseMs, this.#ending)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
    // In the moment in which nothing more was found: what is added from now on starts it again.
    this.#running.delete(lane)
  }

  /** Rejects where the ledger does not give the job: that is no fault of the job. */
  async #try({ id, kind }: Head): Promise<Again | undefined> {
    const { ledger, work } = this.#parts
    const attempt = async (): Promise<Again | undefined> => {
      const job = ledger.open(id)
      return await work(job).then(() => undefined, troubleOf)
    }
    try {
      return await this.#room(kind).run(attempt, this.#ending)
    } catch (error) {
      if (this.#ending.aborted) return undefined
      throw error
    }
  }

  #room(kind: string): Semaphore {
    const room = this.#rooms.get(kind) ?? new Semaphore(AT_ONCE)
    this.#rooms.set(kind, room)
    return room
  }

  #giveUp(id: number, why: string): void {
    this.#parts.ledger.giveUp(id)
    this.#parts.gaveUp(this.#parts.ledger.open(id), why)
  }
}

const troubleOf = (error: unknown): Again =>
  error instanceof Again ? error : new Again((error as Error).name, { isRefused: true })
