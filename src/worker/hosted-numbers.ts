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

export interface NumbersDeps extends Omit<HostDeps, 'store'> {
  store: HostStore
  platform: Platform
  identity: HostIdentity
  /** Under which it holds what it takes now; none before the others know this host. */
  leaseDeadline: () => LeaseDeadline | undefined
  /** Lets one received item of the process through at a time: those that a host may have died of. */
  suspects: Semaphore
}

/** A number that was taken has no link before its turn to log in: others may have an earlier one for it. */
const UNLINKED_AT_ONCE = 64

/** The numbers that this host holds: taken up to a fair share, handed over to others and at the end. */
export class HostedNumbers {
  readonly #deps: NumbersDeps
  readonly #numbers = new Map<string, HostedNumber>()
  readonly #ending = new Set<string>()
  readonly #logins: Logins
  /** Held, as the store has it, and not hosted, when that was looked at last. */
  #strays = new Set<string>()
  #isHandingOver = false

  constructor(deps: NumbersDeps) {
    this.#deps = deps
    this.#logins = new Logins(deps)
  }

  /** Room for one more. */
  get hasRoom(): boolean {
    return this.#numbers.size < this.#deps.config.maxSessions
  }

  get(sessionId: string): HostedNumber | undefined {
    return this.#numbers.get(sessionId)
  }

  /** Hosts a number whose lease is ours. */
  host({ lease, session: row }: TakenSession, leaseDeadline: LeaseDeadline): void {
    const { log, identity } = this.#deps
    const heldLease = new HeldLease(this.#deps, lease, leaseDeadline)
    const number = new HostedNumber(
      {
        ...this.#deps,
        heldLease,
        logins: this.#logins,
        onEnd: reason => void this.#end(number, reason === 'logged_out'),
      },
      row,
    )
    const before = this.#numbers.get(row.id)
    this.#numbers.set(row.id, number)
    log.info({ session: row.id, epoch: lease.epoch, owner: identity.id }, 'session.hosted')
    void this.#start(number, before)
  }

  /** Takes numbers that nobody holds, no more than can log in soon. */
  async take(): Promise<void> {
    const { store, identity, config } = this.#deps
    const leaseDeadline = this.#deps.leaseDeadline()
    const limit = Math.min(UNLINKED_AT_ONCE - this.#logins.unfinished, config.maxSessions - this.#numbers.size)
    if (!leaseDeadline?.isFresh() || limit <= 0 || !(await store.hosting.hasFreeSession(identity.platform))) return
    for (const taken of await store.hosting.takeSessions({ ...identity, limit })) this.host(taken, leaseDeadline)
  }

  /** Hands over what others should have. */
  async share({ holders, free }: Pick<HostHeartbeat, 'holders' | 'free'>): Promise<void> {
    if (this.#isHandingOver) return
    const surplus = surplusOf({ leases: this.#numbers.size, room: this.#deps.config.maxSessions }, { holders, free })
    this.#isHandingOver = true
    await this.#endAll([...this.#numbers.values()].slice(this.#numbers.size - surplus))
    this.#isHandingOver = false
  }

  /** Compares what it hosts with what it holds, and tells each what is set for it now. */
  async reconcile(): Promise<void> {
    const { store, identity } = this.#deps
    const [leaseDeadline, numbers] = [this.#deps.leaseDeadline(), [...this.#numbers.values()]]
    const held = new Map((await store.hosting.readHeld(identity)).map(taken => [taken.lease.id, taken]))
    for (const number of numbers) {
      const { lease, session } = held.get(number.heldLease.sessionId) ?? {}
      if (lease?.epoch === number.heldLease.lease.epoch) number.refresh(session!)
      // One that is logged out is of no network any more, and held until it is given back.
      else void this.#end(number, number.state === 'logged_out')
    }
    if (leaseDeadline?.lasts()) this.#adopt([...held.values()], leaseDeadline)
  }

  /** Tells numbers what is set for them now. */
  async refresh(sessionIds: string[]): Promise<void> {
    for (const row of await this.#deps.store.hosting.readHosted(sessionIds)) this.get(row.id)?.refresh(row)
  }

  /** Wakes those for which something waits in the store, in case a signal was lost. */
  async wakeDue(): Promise<void> {
    for (const id of await this.#deps.store.commands.readDueSessions([...this.#numbers.keys()])) {
      this.get(id)?.wakeForCommands()
      this.get(id)?.wakeForRequests()
    }
  }

  tick(): void {
    for (const number of this.#numbers.values()) number.tick()
  }

  /** How many are in which state. */
  counts(): Record<SessionState, number> {
    const counts: Record<SessionState, number> = { connecting: 0, connected: 0, disconnected: 0, logged_out: 0 }
    for (const number of this.#numbers.values()) counts[number.state]++
    return counts
  }

  /** Ends them all and gives them back. */
  async handOver(): Promise<void> {
    await this.#endAll([...this.#numbers.values()])
  }

  /** Taken, or kept, in a commit that nobody heard of: hosted, where a second look finds them too. */
  #adopt(held: TakenSession[], leaseDeadline: LeaseDeadline): void {
    const strays = held.filter(({ lease: { id } }) => !this.#numbers.has(id) && !this.#ending.has(id))
    for (const taken of strays) if (this.#strays.has(taken.lease.id)) this.host(taken, leaseDeadline)
    this.#strays = new Set(strays.map(({ lease }) => lease.id).filter(id => !this.#numbers.has(id)))
  }

  /** A number paired anew replaces its own earlier link, which has to be gone before the new one begins. */
  async #start(number: HostedNumber, before: HostedNumber | undefined): Promise<void> {
    const { log } = this.#deps
    try {
      before?.heldLease.end()
      await before?.end()
      await number.start()
    } catch (error) {
      log.error({ session: number.heldLease.sessionId, err: error }, 'session.not_started')
      await this.#end(number, true)
    }
  }

  async #endAll(numbers: HostedNumber[]): Promise<void> {
    await Promise.all(numbers.map(number => this.#end(number, true)))
  }

  /** Ends a number; where its lease is still ours it is given back, for others to take at once. */
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
      log.warn({ session: sessionId, owner: identity.id, err: error }, 'session.not_released')
    }
  }
}
