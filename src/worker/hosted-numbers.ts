import { surplusOf } from '../domain/fair-share.ts'
import type { SessionState } from '../domain/session.ts'
import type { Platform } from '../platform/platform.ts'
import type { Semaphore } from '../runtime/semaphore.ts'
import type { HostHeartbeat, HostIdentity, TakenSession } from '../store/hosting/hosting.ts'
import { failUnhosted } from './unhosted-commands.ts'
import { HeldLease } from './held-lease.ts'
import { HostedNumber } from './hosted-number.ts'
import { Logins } from './logins.ts'
import type { HostDeps, HostStore } from './deps.ts'
import type { LeaseDeadline } from './lease-deadline.ts'
import { SentMessages } from './sent-messages.ts'

export interface NumbersDeps extends Omit<HostDeps, 'store'> {
  store: HostStore
  platform: Platform
  identity: HostIdentity
  /** The deadline of leases that the host takes now; `undefined` before its first heartbeat. */
  leaseDeadline: () => LeaseDeadline | undefined
  /** The link of a number has changed: the next tick may be due sooner. */
  onLinkChange: () => void
  /** The store may have commands of a number that become due later. */
  onWaitingCommands: () => void
  /** Admits one suspect of this host at a time: a received item that may have killed an earlier host. */
  suspects: Semaphore
}

/** Numbers that are taken and not logged in yet. Beyond that other hosts may log them in sooner. */
const MAX_UNLINKED = 64
/** Settings that one read returns: each number costs several look-ups. */
const READ_AT_ONCE = 256

/** The numbers of this host: taken up to a fair share, handed over when others should have them and at the end. */
export class HostedNumbers {
  readonly #deps: NumbersDeps
  readonly #numbers = new Map<string, HostedNumber>()
  readonly #ending = new Set<string>()
  readonly #logins: Logins
  readonly #sentMessages: SentMessages
  /** Numbers that this host does not run, although it owned their leases in the store at the last reconcile. */
  #strays = new Set<string>()
  #isHandingOver = false

  constructor(deps: NumbersDeps) {
    this.#deps = deps
    this.#logins = new Logins(deps)
    this.#sentMessages = new SentMessages(deps)
  }

  /** Room for one more. */
  get hasRoom(): boolean {
    return this.#numbers.size < this.#deps.config.maxSessions
  }

  get areAllConnected(): boolean {
    return [...this.#numbers.values()].every(({ state, isPaused }) => state === 'connected' || isPaused)
  }

  /** The store may have commands of a number that become due later. */
  get haveWaitingCommands(): boolean {
    return [...this.#numbers.values()].some(number => number.hasWaitingCommands)
  }

  get(sessionId: string): HostedNumber | undefined {
    return this.#numbers.get(sessionId)
  }

  /** Runs a number whose lease this host owns. */
  host({ lease, session: row }: TakenSession, leaseDeadline: LeaseDeadline): void {
    const { log, identity } = this.#deps
    const heldLease = new HeldLease(this.#deps, lease, leaseDeadline)
    const number = new HostedNumber(
      {
        ...this.#deps,
        heldLease,
        logins: this.#logins,
        sentMessages: this.#sentMessages,
        onEnd: reason => void this.#end(number, reason === 'logged_out'),
      },
      row,
    )
    const before = this.#numbers.get(row.id)
    this.#numbers.set(row.id, number)
    this.#deps.onLinkChange()
    log.info({ session: row.id, epoch: lease.epoch, owner: identity.id }, 'session.hosted')
    void this.#start(number, before)
  }

  /** Takes free numbers, at most as many as can log in soon. */
  async take(): Promise<void> {
    const { store, identity, config } = this.#deps
    const leaseDeadline = this.#deps.leaseDeadline()
    const limit = Math.min(MAX_UNLINKED - this.#logins.unfinished, config.maxSessions - this.#numbers.size)
    if (!leaseDeadline?.isFresh() || limit <= 0 || !(await store.hosting.hasFreeSession(identity.platform))) return
    for (const taken of await store.hosting.takeSessions({ ...identity, limit })) this.host(taken, leaseDeadline)
  }

  /** Hands over the numbers beyond this host's fair share. */
  async handOverSurplus({ owners, free }: Pick<HostHeartbeat, 'owners' | 'free'>): Promise<void> {
    if (this.#isHandingOver) return
    const surplus = surplusOf({ leases: this.#numbers.size, room: this.#deps.config.maxSessions }, { owners, free })
    this.#isHandingOver = true
    await this.#endAll([...this.#numbers.values()].slice(this.#numbers.size - surplus))
    this.#isHandingOver = false
  }

  /**
   * Compares the numbers that it runs with its leases in the store, and refreshes the settings of each: as soon as they are
   * read, so that nothing newer is replaced.
   */
  async reconcile(): Promise<void> {
    const { store, identity } = this.#deps
    const [leaseDeadline, numbers] = [this.#deps.leaseDeadline(), [...this.#numbers.values()]]
    const leases = new Map((await store.hosting.readHeld(identity)).map(lease => [lease.id, lease]))
    for (const number of numbers) {
      const { sessionId, lease } = number.heldLease
      // The lease of a logged-out number is in no network's pool, and this host's until it releases it.
      if (leases.get(sessionId)?.epoch !== lease.epoch) void this.#end(number, number.state === 'logged_out')
    }
    const strays: TakenSession[] = []
    const ids = [...leases.keys()]
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      for (const session of await store.hosting.readHosted(ids.slice(at, at + READ_AT_ONCE))) {
        const lease = leases.get(session.id)!
        const number = this.#numbers.get(session.id)
        if (number === undefined) strays.push({ lease, session })
        else if (number.heldLease.lease.epoch === lease.epoch) number.refresh(session)
      }
    }
    if (leaseDeadline?.isValid()) this.#adopt(strays, leaseDeadline)
  }

  /** Refreshes the settings of numbers. */
  async refresh(sessionIds: string[]): Promise<void> {
    for (const row of await this.#deps.store.hosting.readHosted(sessionIds)) this.get(row.id)?.refresh(row)
  }

  /**
   * Wakes the numbers with due commands or requests: those for which time has to pass, or all of them in case a notification
   * was lost.
   */
  async wakeDue(onlyWaiting: boolean): Promise<void> {
    const numbers = [...this.#numbers.values()].filter(number => !onlyWaiting || number.hasWaitingCommands)
    const ids = numbers.map(({ heldLease }) => heldLease.sessionId)
    if (ids.length === 0) return
    for (const id of await this.#deps.store.commands.readDueSessions(ids)) {
      this.get(id)?.wakeForCommands()
      this.get(id)?.wakeForRequests()
    }
  }

  tick(): void {
    for (const number of this.#numbers.values()) number.tick()
  }

  /** The numbers by state. */
  counts(): Record<SessionState, number> {
    const counts: Record<SessionState, number> = { connecting: 0, connected: 0, disconnected: 0, logged_out: 0 }
    for (const number of this.#numbers.values()) counts[number.state]++
    return counts
  }

  /** Ends all numbers and releases their leases. */
  async handOverAll(): Promise<void> {
    await this.#endAll([...this.#numbers.values()])
  }

  /** Runs numbers whose lease was taken in a transaction with an unknown outcome, once a second reconcile finds them too. */
  #adopt(held: TakenSession[], leaseDeadline: LeaseDeadline): void {
    const strays = held.filter(({ lease: { id } }) => !this.#numbers.has(id) && !this.#ending.has(id))
    for (const taken of strays) if (this.#strays.has(taken.lease.id)) this.host(taken, leaseDeadline)
    this.#strays = new Set(strays.map(({ lease }) => lease.id).filter(id => !this.#numbers.has(id)))
  }

  /** A number that is paired again replaces its own earlier link, which has to be closed before the new one opens. */
  async #start(number: HostedNumber, before: HostedNumber | undefined): Promise<void> {
    const { log } = this.#deps
    try {
      before?.heldLease.end()
      await before?.end()
      await number.start()
    } catch (error) {
      log.error({ session: number.heldLease.sessionId, err: error }, 'session.start_failed')
      await this.#end(number, true)
    }
  }

  async #endAll(numbers: HostedNumber[]): Promise<void> {
    await Promise.all(numbers.map(number => this.#end(number, true)))
  }

  /** Ends a number, and releases its lease if `release` is set: only while this host still owns it. */
  async #end(number: HostedNumber, release: boolean): Promise<void> {
    const { sessionId } = number.heldLease
    if (this.get(sessionId) !== number) return await number.end()
    this.#numbers.delete(sessionId)
    this.#ending.add(sessionId)
    await this.#endAndRelease(number, release)
    this.#ending.delete(sessionId)
  }

  async #endAndRelease(number: HostedNumber, release: boolean): Promise<void> {
    const { store, log, identity } = this.#deps
    const { sessionId, lease } = number.heldLease
    await number.end()
    log.info({ session: sessionId, epoch: lease.epoch, released: release }, 'session.ended')
    if (!release) return
    try {
      await store.hosting.releaseSession(lease)
      if (number.state === 'logged_out') await failUnhosted(this.#deps)
    } catch (error) {
      log.warn({ session: sessionId, owner: identity.id, err: error }, 'session.release_failed')
    }
  }
}
