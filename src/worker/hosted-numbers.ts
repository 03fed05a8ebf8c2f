import { surplusOf } from '../domain/fair-share.ts'
import type { SessionLease } from '../domain/lease.ts'
import type { SessionState } from '../domain/session.ts'
import type { Platform } from '../platform/platform.ts'
import { Semaphore } from '../semaphore.ts'
import type { Store } from '../store/store.ts'
import type { HostIdentity, TakenSession } from '../store/units/hosting/hosting.ts'
import { failUnhosted } from './unhosted-commands.ts'
import { Hold } from './hold.ts'
import { HostedNumber } from './hosted-number.ts'
import type { HostParts } from './parts.ts'

export interface NumbersParts extends Omit<HostParts, 'store'> {
  store: Pick<Store, 'commands' | 'hosting' | 'inbox' | 'requests'>
  platform: Platform
  identity: HostIdentity
}

const LOGINS_AT_ONCE = 4

const nameOf = ({ id, epoch }: SessionLease): string => `${epoch} ${id}`

/** The numbers that this host holds: taken up to a fair share, renewed in time, handed over at the end. */
export class HostedNumbers {
  readonly #parts: NumbersParts
  readonly #numbers = new Map<string, HostedNumber>()
  readonly #logins = new Semaphore(LOGINS_AT_ONCE)
  #hasRenewed = false

  constructor(parts: NumbersParts) {
    this.#parts = parts
  }

  /** Whether the others know that this host lives. */
  get isKnown(): boolean {
    return this.#hasRenewed
  }

  get(sessionId: string): HostedNumber | undefined {
    return this.#numbers.get(sessionId)
  }

  /** Hosts a number whose lease is ours since it was asked for. */
  host({ lease, session: row }: TakenSession, askedAtMs: number): void {
    const { log, identity } = this.#parts
    const hold = new Hold(this.#parts, lease, askedAtMs)
    const number = new HostedNumber(
      { ...this.#parts, hold, logins: this.#logins, onEnd: reason => void this.#end(number, reason === 'logged_out') },
      row,
    )
    const before = this.#numbers.get(row.id)
    this.#numbers.set(row.id, number)
    log.info({ session: row.id, epoch: lease.epoch, owner: identity.id }, 'session.hosted')
    void this.#start(number, before)
  }

  /** Takes numbers that nobody holds. */
  async take(): Promise<void> {
    const { store, identity, config, clock } = this.#parts
    if (!this.#hasRenewed || !(await store.hosting.hasFreeSession(identity.platform))) return
    const askedAtMs = clock.monotonicMs()
    const asked = { ...identity, held: this.#numbers.size, ttlMs: config.leaseTtlMs }
    for (const taken of await store.hosting.takeSessions(asked)) this.host(taken, askedAtMs)
  }

  /** Renews what it holds, and hands over what others should have. */
  async renew(): Promise<void> {
    const { store, identity, config, clock } = this.#parts
    const askedAtMs = clock.monotonicMs()
    const numbers = [...this.#numbers.values()]
    const leases = numbers.map(number => number.hold.lease)
    const renewal = await store.hosting.renewHost({ ...identity, leases, ttlMs: config.leaseTtlMs })
    const held = new Set(renewal.held.map(nameOf))
    for (const number of numbers) {
      if (held.has(nameOf(number.hold.lease))) number.hold.renewed(askedAtMs)
      else void this.#end(number, false)
    }
    this.#hasRenewed = true
    await this.refresh([...this.#numbers.keys()])
    const surplus = surplusOf(this.#numbers.size, renewal)
    if (surplus > 0) await this.#endAll([...this.#numbers.values()].slice(-surplus))
  }

  /** Tells numbers what is set for them now. */
  async refresh(sessionIds: string[]): Promise<void> {
    for (const row of await this.#parts.store.hosting.readHosted(sessionIds)) this.get(row.id)?.refresh(row)
  }

  /** Wakes those for which something waits in the store, in case a signal was lost. */
  async wakeDue(): Promise<void> {
    for (const id of await this.#parts.store.commands.readDueSessions([...this.#numbers.keys()])) {
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

  /** A number paired anew replaces its own earlier link, which has to be gone before the new one begins. */
  async #start(number: HostedNumber, before: HostedNumber | undefined): Promise<void> {
    const { log } = this.#parts
    try {
      before?.hold.end()
      await before?.end()
      await number.start()
    } catch (error) {
      log.error({ session: number.hold.sessionId, err: error }, 'session.not_started')
      await this.#end(number, true)
    }
  }

  async #endAll(numbers: HostedNumber[]): Promise<void> {
    await Promise.all(numbers.map(number => this.#end(number, true)))
  }

  /** Ends a number; where its lease is still ours it is given back, for others to take at once. */
  async #end(number: HostedNumber, release: boolean): Promise<void> {
    const { store, log, identity } = this.#parts
    const { sessionId, lease } = number.hold
    if (this.get(sessionId) === number) this.#numbers.delete(sessionId)
    await number.end()
    log.info({ session: sessionId, epoch: lease.epoch, released: release }, 'session.ended')
    if (!release) return
    try {
      await store.hosting.releaseSessions({ owner: identity.id, leases: [lease] })
      if (number.state === 'logged_out') await failUnhosted(this.#parts)
    } catch (error) {
      log.warn({ session: sessionId, owner: identity.id, err: error }, 'session.not_released')
    }
  }
}
