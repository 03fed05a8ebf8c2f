import type { Clock } from '../../../runtime/clock.ts'
import type { Context } from '../../../context.ts'
import { BUILT_IN, type ClientVersion, versionText } from '../../../domain/client-version.ts'
import { randomFraction } from '../../../runtime/random.ts'
import { RepeatingTask } from '../../../runtime/repeating-task.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import type { AskVersion, ToldVersion } from './ask-version.ts'
import { backoffMs } from '../../../runtime/exponential-backoff.ts'

/** What is known beyond this process, and by all nodes. */
export interface VersionMemory {
  /** The newest that a source has named to anybody. */
  read(): Promise<ClientVersion | undefined>
  keep(version: ClientVersion): Promise<void>
  /** Nobody is to hear of this one again. */
  forget(revision: number): Promise<void>
}

export type VersionNews =
  | { kind: 'learnt'; version: ClientVersion }
  /** No source has named one: this one stays in use. */
  | { kind: 'not_learnt'; version: ClientVersion; failures: string[] }
  | { kind: 'expires'; version: ClientVersion }

export interface VersionDeps {
  clock: Clock
  ask: AskVersion
  memory?: VersionMemory
  /** The operator names one: nothing is asked. */
  pin?: number | null
  onNews?: (news: VersionNews) => void
}

/** Whoever came just before us has asked for us too. */
const FRESH_MS = 600_000
const FIRST_ASK_MS = 5_000
const LOOK_MS = 30_000
/** Told to all numbers at once. */
const SOON_MS = 5_000

const NOWHERE: VersionMemory = { read: async () => undefined, keep: async () => {}, forget: async () => {} }

/**
 * As which version of the web client the numbers of a network log in: the newest known, never an older one again, save
 * where others than the platform named one that it refuses.
 */
export class ClientVersions {
  readonly #deps: VersionDeps
  readonly #memory: VersionMemory
  readonly #waiting = new Set<() => void>()
  #current: ClientVersion
  #asking: Promise<void> | undefined
  #seeking: Promise<void> = Promise.resolve()
  #askAtMs = Number.NEGATIVE_INFINITY
  #failures = 0
  /** The newest one that the platform has refused. */
  #refused = 0
  /** One of the list that the platform has refused, while its own page names an older one. */
  #disbelieved = 0
  #isKept = true
  #following: RepeatingTask | undefined

  constructor(deps: VersionDeps) {
    const { pin, memory, clock } = deps
    this.#deps = deps
    this.#memory = memory ?? NOWHERE
    const learntAtMs = pin === BUILT_IN.revision ? BUILT_IN.learntAtMs : clock.now().getTime()
    this.#current = pin ? { ...BUILT_IN, revision: pin, source: 'pinned', learntAtMs } : BUILT_IN
  }

  get current(): ClientVersion {
    return this.#current
  }

  /** As the library wants it. */
  get forLibrary(): [number, number, number] {
    return [2, 3000, this.#current.revision]
  }

  /** Resolves when it is known what others know, and the sources have been asked, or took too long. */
  async ready(): Promise<void> {
    await this.#hear().catch(() => {})
    await this.#keep()
    if (this.#isPinned) return
    const { clock } = this.#deps
    const sinceMs = clock.now().getTime() - (this.#current.confirmedAtMs ?? 0)
    if (sinceMs >= 0 && sinceMs < FRESH_MS) this.#plan(true)
    else await resolveWithin(clock, FIRST_ASK_MS, this.#ask())
  }

  /** Asks daily, and hears what other nodes have learnt, until the end. */
  async follow(deps: Pick<Context, 'log'>, signal: AbortSignal): Promise<void> {
    if (this.#isPinned) return
    const { clock } = this.#deps
    this.#following = new RepeatingTask({ clock, ...deps }, 'version.follow', () => this.#look(), LOOK_MS)
    await this.#following.run(signal)
  }

  /**
   * The platform refuses this revision: whether there is another one now. However many numbers are refused, the sources
   * are asked once for each revision; after that they are asked in their turn.
   */
  async seekNewer(revision: number): Promise<boolean> {
    if (this.#current.revision === revision && !this.#isPinned) {
      if (revision > this.#refused) this.#seeking = this.#seek(revision)
      await this.#seeking
    }
    return this.#current.revision !== revision
  }

  /** Resolves when another one is in use, or the signal aborts. */
  async whenNewer(revision: number, signal: AbortSignal): Promise<void> {
    if (this.#current.revision !== revision || signal.aborted) return
    await new Promise<void>(resolve => {
      const look = (): void => {
        if (this.#current.revision === revision && !signal.aborted) return
        this.#waiting.delete(look)
        signal.removeEventListener('abort', look)
        resolve()
      }
      this.#waiting.add(look)
      signal.addEventListener('abort', look, { once: true })
    })
  }

  /** The platform says until when it takes this revision, or with `null` that this no longer holds. */
  expires(revision: number, expiresAtMs: number | null): void {
    if (revision !== this.#current.revision || expiresAtMs === this.#current.expiresAtMs) return
    this.#current = { ...this.#current, expiresAtMs }
    this.#deps.onNews?.({ kind: 'expires', version: this.#current })
    void this.#keep()
    if (expiresAtMs === null) return
    this.#askAtMs = this.#deps.clock.monotonicMs() + SOON_MS * randomFraction()
    this.#following?.soon()
  }

  /** Why a number that is refused with the current version stays where it is. */
  get whyRefused(): string {
    const version = versionText(this.#current.revision)
    return this.#isPinned
      ? `the platform no longer accepts version ${version} of its web client; whoever runs the gateway has to name a newer one, or none (POSTERN_WHATSAPP_VERSION)`
      : `the platform no longer accepts version ${version} of its web client; a newer version is needed, which the gateway goes on asking for`
  }

  get #isPinned(): boolean {
    return this.#current.source === 'pinned'
  }

  async #look(): Promise<number> {
    const { clock } = this.#deps
    if (!this.#isKept) await this.#keep()
    await this.#hear()
    if (clock.monotonicMs() >= this.#askAtMs) await this.#ask()
    return Math.max(0, Math.min(LOOK_MS, this.#askAtMs - clock.monotonicMs()))
  }

  async #seek(refused: number): Promise<void> {
    this.#refused = refused
    // One that is under way may be content with less.
    await this.#asking
    if (this.#current.revision <= refused) await this.#ask()
    this.#following?.soon()
  }

  /** One at a time, whoever wants it. */
  #ask(): Promise<void> {
    this.#asking ??= this.#askOnce().finally(() => (this.#asking = undefined))
    return this.#asking
  }

  async #askOnce(): Promise<void> {
    const { revision } = this.#current
    await this.#hear().catch(() => {})
    if (this.#current.revision > revision) return this.#plan(true)
    const { told, failures } = await this.#deps.ask(this.#refused >= revision ? this.#refused : 0)
    if (told === undefined) this.#deps.onNews?.({ kind: 'not_learnt', version: this.#current, failures })
    else await this.#learn(told)
    this.#plan(told !== undefined)
  }

  async #learn(told: ToldVersion): Promise<void> {
    const { revision } = this.#current
    if (this.#isDisbelieved(told)) return
    if (told.revision < revision && !this.#givesWayTo(told)) return
    const nowMs = this.#deps.clock.now().getTime()
    const before = told.revision === revision ? this.#current : { learntAtMs: nowMs, expiresAtMs: null }
    if (told.revision < revision) await this.#disbelieve(revision)
    this.#adopt({ ...before, ...told, confirmedAtMs: nowMs })
    await this.#keep()
  }

  /** What the platform refuses, and others named, may never have been a version at all. */
  #givesWayTo({ revision, source }: ToldVersion): boolean {
    const isRefused = this.#refused === this.#current.revision
    return isRefused && this.#current.source === 'fallback' && source === 'page' && revision >= BUILT_IN.revision
  }

  async #disbelieve(revision: number): Promise<void> {
    this.#disbelieved = revision
    this.#refused = 0
    await this.#memory.forget(revision).catch(() => {})
  }

  #isDisbelieved({ revision, source }: ToldVersion): boolean {
    return revision === this.#disbelieved && source === 'fallback'
  }

  #plan(isAnswered: boolean): void {
    const isNewerWanted = this.#refused >= this.#current.revision || this.#current.expiresAtMs !== null
    const waitMs = nextAskMs({ isAnswered, isNewerWanted, failures: this.#failures }, randomFraction())
    this.#failures = isAnswered && !isNewerWanted ? 0 : this.#failures + 1
    this.#askAtMs = this.#deps.clock.monotonicMs() + waitMs
  }

  /** What others have learnt, or were told about the same one. */
  async #hear(): Promise<void> {
    if (this.#isPinned || !this.#isKept) return
    const heard = await this.#memory.read()
    if (heard === undefined || this.#isDisbelieved(heard)) return
    if (heard.revision >= this.#current.revision) this.#adopt(heard)
  }

  #adopt(version: ClientVersion): void {
    const isOther = version.revision !== this.#current.revision
    this.#current = version
    if (!isOther) return
    this.#deps.onNews?.({ kind: 'learnt', version })
    for (const look of this.#waiting) look()
  }

  /** A database that is away is told later. */
  async #keep(): Promise<void> {
    this.#isKept = await this.#memory.keep(this.#current).then(
      () => true,
      () => false,
    )
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

interface LastAsk {
  /** A source has named a version. */
  isAnswered: boolean
  /** The one in use is refused by the platform, or will be. */
  isNewerWanted: boolean
  /** How often in a row it brought not what was wanted. */
  failures: number
}

/** How long until the sources are asked again; `chance` is from 0 to 1, so that nodes do not ask together. */
export function nextAskMs({ isAnswered, isNewerWanted, failures }: LastAsk, chance: number): number {
  const isWell = isAnswered && !isNewerWanted
  const waitMs = isWell ? DAY_MS : backoffMs(MINUTE_MS, HOUR_MS, failures)
  return waitMs * (0.75 + chance / 4)
}
