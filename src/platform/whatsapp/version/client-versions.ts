import type { Clock } from '../../../runtime/clock.ts'
import type { Context } from '../../../context.ts'
import { BUILT_IN, type ClientVersion, versionText } from '../../../domain/client-version.ts'
import { randomFraction } from '../../../runtime/random.ts'
import { RepeatingTask } from '../../../runtime/repeating-task.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import type { NamedVersion, QueryVersion } from './query-version.ts'
import { backoffMs } from '../../../runtime/exponential-backoff.ts'

/** The version that all nodes share. */
export interface VersionMemory {
  /** The newest version that a source has named to any node. */
  read(): Promise<ClientVersion | undefined>
  keep(version: ClientVersion): Promise<void>
  /** Deletes this version for all nodes. */
  forget(revision: number): Promise<void>
}

export type VersionEvent =
  | { kind: 'learnt'; version: ClientVersion }
  /** No source has named a version: the current one stays in use. */
  | { kind: 'not_learnt'; version: ClientVersion; failures: string[] }
  | { kind: 'expires'; version: ClientVersion }

export interface VersionDeps {
  clock: Clock
  query: QueryVersion
  memory?: VersionMemory
  /** The operator's version: no source is queried. */
  pin?: number | null
  onEvent?: (event: VersionEvent) => void
}

/** A version that another node confirmed within this time needs no query at the start. */
const FRESH_MS = 600_000
const FIRST_QUERY_MS = 5_000
const REFRESH_MS = 30_000
/** The platform announces an expiration to all numbers together: the next query follows within this time. */
const SOON_MS = 5_000

const NO_MEMORY: VersionMemory = { read: async () => undefined, keep: async () => {}, forget: async () => {} }

/**
 * The version of the web client that the numbers of a network log in with: the newest known one. It never becomes
 * older, unless the platform rejects a version that only the public list named.
 */
export class ClientVersions {
  readonly #deps: VersionDeps
  readonly #memory: VersionMemory
  readonly #waiting = new Set<() => void>()
  #current: ClientVersion
  #querying: Promise<void> | undefined
  #finding: Promise<void> = Promise.resolve()
  #queryAtMs = Number.NEGATIVE_INFINITY
  #failures = 0
  /** The newest version that the platform has rejected. */
  #refused = 0
  /** A version of the list that the platform has rejected, while its own page names an older one. */
  #distrusted = 0
  #isStored = true
  #refreshing: RepeatingTask | undefined

  constructor(deps: VersionDeps) {
    const { pin, memory, clock } = deps
    this.#deps = deps
    this.#memory = memory ?? NO_MEMORY
    const learntAtMs = pin === BUILT_IN.revision ? BUILT_IN.learntAtMs : clock.now().getTime()
    this.#current = pin ? { ...BUILT_IN, revision: pin, source: 'pinned', learntAtMs } : BUILT_IN
  }

  get current(): ClientVersion {
    return this.#current
  }

  /** In the library's format. */
  get forLibrary(): [number, number, number] {
    return [2, 3000, this.#current.revision]
  }

  /** Resolves when the shared version is read, and the sources have answered or took too long. */
  async ready(): Promise<void> {
    await this.#readShared().catch(() => {})
    await this.#store()
    if (this.#isPinned) return
    const { clock } = this.#deps
    const sinceMs = clock.now().getTime() - (this.#current.confirmedAtMs ?? 0)
    if (sinceMs >= 0 && sinceMs < FRESH_MS) this.#plan(true)
    else await resolveWithin(clock, FIRST_QUERY_MS, this.#query())
  }

  /** Queries the sources daily, and reads what other nodes have learned, until the signal aborts. */
  async follow(deps: Pick<Context, 'log'>, signal: AbortSignal): Promise<void> {
    if (this.#isPinned) return
    const { clock } = this.#deps
    this.#refreshing = new RepeatingTask({ clock, ...deps }, 'version.follow', () => this.#refresh(), REFRESH_MS)
    await this.#refreshing.run(signal)
  }

  /**
   * The platform rejects this revision: returns whether there is another one now. However many numbers are rejected,
   * the sources are queried once for each revision; later queries follow the schedule.
   */
  async findNewer(revision: number): Promise<boolean> {
    if (this.#current.revision === revision && !this.#isPinned) {
      if (revision > this.#refused) this.#finding = this.#find(revision)
      await this.#finding
    }
    return this.#current.revision !== revision
  }

  /** Resolves when another version is in use, or the signal aborts. */
  async waitForNewer(revision: number, signal: AbortSignal): Promise<void> {
    if (this.#current.revision !== revision || signal.aborted) return
    await new Promise<void>(resolve => {
      const check = (): void => {
        if (this.#current.revision === revision && !signal.aborted) return
        this.#waiting.delete(check)
        signal.removeEventListener('abort', check)
        resolve()
      }
      this.#waiting.add(check)
      signal.addEventListener('abort', check, { once: true })
    })
  }

  /** The platform announces until when it accepts this revision; `null` revokes an earlier announcement. */
  expires(revision: number, expiresAtMs: number | null): void {
    if (revision !== this.#current.revision || expiresAtMs === this.#current.expiresAtMs) return
    this.#current = { ...this.#current, expiresAtMs }
    this.#deps.onEvent?.({ kind: 'expires', version: this.#current })
    void this.#store()
    if (expiresAtMs === null) return
    this.#queryAtMs = this.#deps.clock.monotonicMs() + SOON_MS * randomFraction()
    this.#refreshing?.runSoon()
  }

  /** Why a number stays disconnected while the platform rejects the current version. */
  get whyRefused(): string {
    const version = versionText(this.#current.revision)
    return this.#isPinned
      ? `the platform no longer accepts version ${version} of its web client; the operator has to set a newer one, or none (POSTERN_WHATSAPP_VERSION)`
      : `the platform no longer accepts version ${version} of its web client; a newer version is needed, which the gateway goes on asking for`
  }

  get #isPinned(): boolean {
    return this.#current.source === 'pinned'
  }

  async #refresh(): Promise<number> {
    const { clock } = this.#deps
    if (!this.#isStored) await this.#store()
    await this.#readShared()
    if (clock.monotonicMs() >= this.#queryAtMs) await this.#query()
    return Math.max(0, Math.min(REFRESH_MS, this.#queryAtMs - clock.monotonicMs()))
  }

  async #find(refused: number): Promise<void> {
    this.#refused = refused
    // A query that is under way may accept an older version.
    await this.#querying
    if (this.#current.revision <= refused) await this.#query()
    this.#refreshing?.runSoon()
  }

  /** Callers share the query that is under way. */
  #query(): Promise<void> {
    this.#querying ??= this.#queryOnce().finally(() => (this.#querying = undefined))
    return this.#querying
  }

  async #queryOnce(): Promise<void> {
    const { revision } = this.#current
    await this.#readShared().catch(() => {})
    if (this.#current.revision > revision) return this.#plan(true)
    const { named, failures } = await this.#deps.query(this.#refused >= revision ? this.#refused : 0)
    if (named === undefined) this.#deps.onEvent?.({ kind: 'not_learnt', version: this.#current, failures })
    else await this.#learn(named)
    this.#plan(named !== undefined)
  }

  async #learn(named: NamedVersion): Promise<void> {
    const { revision } = this.#current
    if (this.#isDistrusted(named)) return
    if (named.revision < revision && !this.#mayFallBackTo(named)) return
    const nowMs = this.#deps.clock.now().getTime()
    const before = named.revision === revision ? this.#current : { learntAtMs: nowMs, expiresAtMs: null }
    if (named.revision < revision) await this.#distrust(revision)
    this.#adopt({ ...before, ...named, confirmedAtMs: nowMs })
    await this.#store()
  }

  /** A rejected version that only the list named may never have existed. */
  #mayFallBackTo({ revision, source }: NamedVersion): boolean {
    const isRefused = this.#refused === this.#current.revision
    return isRefused && this.#current.source === 'fallback' && source === 'page' && revision >= BUILT_IN.revision
  }

  async #distrust(revision: number): Promise<void> {
    this.#distrusted = revision
    this.#refused = 0
    await this.#memory.forget(revision).catch(() => {})
  }

  #isDistrusted({ revision, source }: NamedVersion): boolean {
    return revision === this.#distrusted && source === 'fallback'
  }

  #plan(isAnswered: boolean): void {
    const isNewerWanted = this.#refused >= this.#current.revision || this.#current.expiresAtMs !== null
    const waitMs = nextQueryMs({ isAnswered, isNewerWanted, failures: this.#failures }, randomFraction())
    this.#failures = isAnswered && !isNewerWanted ? 0 : this.#failures + 1
    this.#queryAtMs = this.#deps.clock.monotonicMs() + waitMs
  }

  /** Adopts what other nodes have learned of newer versions or of the current one. */
  async #readShared(): Promise<void> {
    if (this.#isPinned || !this.#isStored) return
    const stored = await this.#memory.read()
    if (stored === undefined || this.#isDistrusted(stored)) return
    if (stored.revision >= this.#current.revision) this.#adopt(stored)
  }

  #adopt(version: ClientVersion): void {
    const isOther = version.revision !== this.#current.revision
    this.#current = version
    if (!isOther) return
    this.#deps.onEvent?.({ kind: 'learnt', version })
    for (const check of this.#waiting) check()
  }

  /** If the database is unreachable, a later refresh stores it. */
  async #store(): Promise<void> {
    this.#isStored = await this.#memory.keep(this.#current).then(
      () => true,
      () => false,
    )
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

interface LastQuery {
  /** A source has named a version. */
  isAnswered: boolean
  /** The platform rejects the current version, or will. */
  isNewerWanted: boolean
  /** The number of consecutive queries without the wanted result. */
  failures: number
}

/** The delay until the next query; `jitter` is from 0 to 1, so that nodes do not query together. */
export function nextQueryMs({ isAnswered, isNewerWanted, failures }: LastQuery, jitter: number): number {
  const isWell = isAnswered && !isNewerWanted
  const waitMs = isWell ? DAY_MS : backoffMs(MINUTE_MS, HOUR_MS, failures)
  return waitMs * (0.75 + jitter / 4)
}
