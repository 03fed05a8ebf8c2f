import { LeaseOwnerWatch } from '../domain/lease-owner-watch.ts'
import type { HostHeartbeat, HostIdentity } from '../store/hosting/hosting.ts'
import type { Store } from '../store/store.ts'
import type { HostDeps } from './deps.ts'
import { LeaseDeadline } from './lease-deadline.ts'

export interface HeartbeatDeps extends Pick<HostDeps, 'clock' | 'config' | 'log'> {
  store: Pick<Store, 'hosting' | 'leases'>
  identity: HostIdentity
}

/** Records this host's heartbeat, and ends the leases of hosts whose heartbeat has stopped. */
export class Heartbeat {
  readonly #deps: HeartbeatDeps
  readonly #watch: LeaseOwnerWatch
  #leaseDeadline: LeaseDeadline | undefined

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps
    this.#watch = new LeaseOwnerWatch(deps.config.leaseTtlMs)
  }

  /** The deadline of leases that this host takes now; `undefined` before its first heartbeat. */
  get leaseDeadline(): LeaseDeadline | undefined {
    return this.#leaseDeadline
  }

  async record(): Promise<HostHeartbeat> {
    const { config, clock, identity } = this.#deps
    await this.#endOverdue()
    const sentAtMs = clock.monotonicMs()
    const heartbeat = await this.#write().catch((error: unknown) => {
      this.#watch.unanswered()
      throw error
    })
    if (heartbeat.isNew || this.#leaseDeadline === undefined) {
      this.#leaseDeadline?.end()
      this.#leaseDeadline = new LeaseDeadline({ clock, config }, sentAtMs)
    } else this.#leaseDeadline.renew(sentAtMs)
    await this.#endDead(heartbeat.owners.filter(({ id }) => id !== identity.id))
    return heartbeat
  }

  async #write(): Promise<HostHeartbeat> {
    const { store, config, identity } = this.#deps
    return await store.hosting.recordHostHeartbeat({
      id: identity.id,
      nodeId: identity.nodeId,
      pool: identity.platform,
      room: config.maxSessions,
      lastsMs: config.outageMs,
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
