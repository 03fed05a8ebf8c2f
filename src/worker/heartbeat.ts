import { HolderWatch } from '../domain/holder.ts'
import type { Store } from '../store/store.ts'
import type { HostBeaten, HostIdentity } from '../store/hosting/hosting.ts'
import type { HostDeps } from './deps.ts'
import { LeaseDeadline } from './tenure.ts'

export interface HeartbeatDeps extends Pick<HostDeps, 'clock' | 'config' | 'log'> {
  store: Pick<Store, 'hosting' | 'leases'>
  identity: HostIdentity
}

/** Says again and again that this host lives, and notices who of the others has died. */
export class Heartbeat {
  readonly #deps: HeartbeatDeps
  readonly #watch: HolderWatch
  #tenure: LeaseDeadline | undefined

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps
    this.#watch = new HolderWatch(deps.config.leaseTtlMs)
  }

  /** Under which this host holds what it takes now; none before it is known to the others. */
  get tenure(): LeaseDeadline | undefined {
    return this.#tenure
  }

  async beat(): Promise<HostBeaten> {
    const { config, clock, identity } = this.#deps
    await this.#giveUpWhatIsOver()
    const askedAtMs = clock.monotonicMs()
    const beaten = await this.#say().catch((error: unknown) => {
      this.#watch.unanswered()
      throw error
    })
    if (beaten.isNew || this.#tenure === undefined) {
      this.#tenure?.end()
      this.#tenure = new LeaseDeadline({ clock, config }, askedAtMs)
    } else this.#tenure.beaten(askedAtMs)
    await this.#endDead(beaten.holders.filter(({ id }) => id !== identity.id))
    return beaten
  }

  async #say(): Promise<HostBeaten> {
    const { store, config, identity } = this.#deps
    return await store.hosting.beatHost({
      id: identity.id,
      nodeId: identity.nodeId,
      pool: identity.platform,
      room: config.maxSessions,
      lastsMs: config.outageMs,
    })
  }

  /** The links have ended by themselves, and the others have seen nothing of it if the database was away for all. */
  async #giveUpWhatIsOver(): Promise<void> {
    if (this.#tenure === undefined || this.#tenure.lasts()) return
    await this.#deps.store.leases.endHolder({ id: this.#deps.identity.id })
    this.#tenure = undefined
  }

  async #endDead(others: HostBeaten['holders']): Promise<void> {
    const { store, log, clock } = this.#deps
    for (const { id, beat } of this.#watch.answered(others, clock.monotonicMs()))
      if (await store.leases.endHolder({ id, beat })) log.warn({ owner: id }, 'host.died')
  }
}
