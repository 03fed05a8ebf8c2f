import type { GroupMetadata, WASocket } from 'baileys'
import type { GroupSummary } from '../../../domain/group.ts'
import { AsyncCache } from '../../../runtime/async-cache.ts'
import { type Age, ExpiringMap } from '../../../runtime/expiring-map.ts'
import { answerIn, failureOfLibrary } from '../errors.ts'
import { queryGroups, type QueryingSock } from './group-queries.ts'

const MAX = 2_000
/** After a failed query, received items cause no further query for that group during this time. */
const FAILED_MS = 5 * 60_000
const TOO_MANY = 429
/** After the platform has asked for fewer queries, received items cause none during this time. */
const BACKOFF_MS = { first: 10_000, longest: 15 * 60_000 }

/** The pages of a list are read within this time, so that all come from one query. */
const LIST_MS = 60_000

type Sock = Pick<WASocket, 'groupMetadata'>

const ALL = 'all'

/** The members of groups, cached or from the platform. Parallel calls for one group share a query. */
export class Groups {
  readonly #clock: Age['clock']
  #known: AsyncCache<GroupMetadata>
  readonly #age: Age
  /** All groups without their members, in the order of their JIDs. */
  readonly #list: AsyncCache<GroupSummary[]>
  /** Groups that the platform did not describe. */
  readonly #failed: ExpiringMap<true>
  #backoffMs = 0
  #quietUntilMs = 0

  constructor(age: Age) {
    this.#age = age
    this.#clock = age.clock
    this.#known = new AsyncCache(MAX, age)
    this.#list = new AsyncCache(1, { ms: LIST_MS, clock: age.clock })
    this.#failed = new ExpiringMap(MAX, { ms: FAILED_MS, clock: age.clock })
  }

  /** For what a user requests: always queries an unknown group. */
  find(sock: Sock, jid: string): Promise<GroupMetadata> {
    return this.#known.get(jid, () => this.#query(sock, jid))
  }

  /**
   * For received items, of which anyone can cause any number: does not repeat a failed query soon, and waits longer each
   * time the platform asks for fewer queries.
   */
  async findSparingly(sock: Sock, jid: string): Promise<GroupMetadata | undefined> {
    if (this.#failed.get(jid)) return undefined
    try {
      return await this.#known.get(jid, () => this.#queryUnlessQuiet(sock, jid))
    } catch {
      return undefined
    }
  }

  /** All groups that the number is in: one query, which the platform answers only so often. */
  list(sock: QueryingSock): Promise<GroupSummary[]> {
    return this.#list.get(ALL, () => queryGroups(sock))
  }

  forget(jid: string): void {
    this.forgetList()
    this.#known.forget(jid)
    this.#failed.delete(jid)
  }

  forgetList(): void {
    this.#list.forget(ALL)
  }

  forgetAll(): void {
    this.forgetList()
    this.#known = new AsyncCache(MAX, this.#age)
    this.#failed.clear()
  }

  async #query(sock: Sock, jid: string): Promise<GroupMetadata> {
    try {
      const group = await sock.groupMetadata(jid)
      this.#backoffMs = 0
      return group
    } catch (error) {
      if (answerIn(error) === TOO_MANY) this.#backOff()
      else if (failureOfLibrary(error, 'the group').failure.kind !== 'link_down') this.#failed.set(jid, true)
      throw error
    }
  }

  async #queryUnlessQuiet(sock: Sock, jid: string): Promise<GroupMetadata> {
    if (this.#clock.monotonicMs() < this.#quietUntilMs) throw new Error('the platform asked for fewer queries')
    return await this.#query(sock, jid)
  }

  #backOff(): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs < this.#quietUntilMs) return
    this.#backoffMs = Math.min(Math.max(2 * this.#backoffMs, BACKOFF_MS.first), BACKOFF_MS.longest)
    this.#quietUntilMs = nowMs + this.#backoffMs
  }
}
