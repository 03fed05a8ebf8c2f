import { aloneLeaseMs, heartbeatMs, LeaseOwnerWatch } from '../domain/lease-owner-watch.ts'
import type { HostHeartbeat, HostIdentity } from '../store/hosting/hosting.ts'
import type { Store } from '../store/store.ts'
import type { HostDeps } from './deps.ts'
import { LeaseDeadline } from './lease-deadline.ts'

export interface HeartbeatDeps extends Pick<HostDeps, 'clock' | 'config' | 'log'> {
  store: Pick<Store, 'hosting' | 'leases' | 'signals'>
  identity: HostIdentity
}

/** Records this host's heartbeat, and ends the leases of hosts whose heartbeat has stopped. */
export class Heartbeat {
  readonly #deps: HeartbeatDeps
  readonly #watch: LeaseOwnerWatch
  #leaseDeadline: LeaseDeadline | undefined
  #promisedMs: number

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps
    const { config, store } = deps
    this.#watch = new LeaseOwnerWatch(config.leaseTtlMs, store.signals.areCertain ? aloneLeaseMs(config) : undefined)
    this.#promisedMs = this.#watch.leaseMs
  }

  /** The deadline of leases that this host takes now; `undefined` before its first heartbeat. */
  get leaseDeadline(): LeaseDeadline | undefined {
    return this.#leaseDeadline
  }

  /** The time until the next heartbeat. Sooner than the last one promised if another host has come. */
  get delayMs(): number {
    return heartbeatMs(Math.min(this.#promisedMs, this.#watch.leaseMs))
  }

  async record(): Promise<HostHeartbeat> {
    const { config, clock, identity } = this.#deps
    await this.#endOverdue()
    const sentAtMs = clock.monotonicMs()
    const { leaseMs } = this.#watch
    this.#leaseDeadline?.promise(leaseMs)
    const heartbeat = await this.#write(leaseMs).catch((error: unknown) => {
      this.#watch.unanswered()
      throw error
    })
    this.#promisedMs = leaseMs
    if (heartbeat.isNew || this.#leaseDeadline === undefined) {
      this.#leaseDeadline?.end()
      this.#leaseDeadline = new LeaseDeadline({ clock, config }, { sentAtMs, leaseMs })
    } else this.#leaseDeadline.renew({ sentAtMs, leaseMs })
    await this.#endDead(heartbeat.owners.filter(({ id }) => id !== identity.id))
    return heartbeat
  }

  async #write(leaseMs: number): Promise<HostHeartbeat> {
    const { store, config, identity } = this.#deps
    return await store.hosting.recordHostHeartbeat({
      id: identity.id,
      nodeId: identity.nodeId,
      pool: identity.platform,
      room: config.maxSessions,
      lastsMs: config.outageMs,
      leaseMs,
    })
  }

  /** Releases the leases whose links have ended at the deadline: no other host did so if all had lost the database. */
  async #endOverdue(): Promise<void> {
    if (this.#leaseDeadline === undefined || this.#leaseDeadline.isValid()) return
    await this.#deps.store.leases.endLeaseOwner({ id: this.#deps.identity.id })
    this.#leaseDeadline = undefined
  }

  async #endDead(others: HostHeartbeat['owners']): Promise<void> {
    const { store, log, clock } = this.#deps
    for (const { id, beat } of this.#watch.answered(others, clock.monotonicMs()))
      if (await store.leases.endLeaseOwner({ id, beat })) log.warn({ owner: id }, 'host.died')
  }
}
