import type { Context } from '../context.ts'
import { heartbeatMs, LeaseOwnerWatch } from '../domain/lease-owner-watch.ts'
import { type Lease, SIMULATOR_LEASE } from '../domain/lease.ts'
import { onBeat } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'
import type { Heartbeat } from '../store/leases/lease-owners.ts'

export interface LeaseDeps extends Pick<Context, 'clock' | 'nodeId'> {
  store: Pick<Store, 'leases'>
  leaseTtlMs: number
  outageMs: number
}

/** Owns the sandbox network's lease, or waits until its owner has stopped or died. */
export class SandboxLease {
  readonly #deps: LeaseDeps
  readonly #id: string
  readonly #watch: LeaseOwnerWatch

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.#id = `${deps.nodeId}/simulator`
    this.#watch = new LeaseOwnerWatch(deps.leaseTtlMs)
  }

  /** Waits until no other node runs the sandbox network. */
  async take(signal: AbortSignal): Promise<Lease | undefined> {
    const { store } = this.#deps
    await store.leases.addLeases({ names: [SIMULATOR_LEASE], pool: 'simulator' })
    while (!signal.aborted) {
      await this.#endDead(await this.#recordHeartbeat())
      const lease = await store.leases.takeLease({ owner: this.#id, name: SIMULATOR_LEASE })
      if (lease !== undefined) return lease
      await this.#untilNext(signal)
    }
    return undefined
  }

  /** Records heartbeats until the signal aborts. Throws when another process has the lease, or may have it. */
  async keep(signal: AbortSignal): Promise<void> {
    const { clock, outageMs } = this.#deps
    let heldUntilMs = clock.monotonicMs() + outageMs
    while (!signal.aborted) {
      await this.#untilNext(signal)
      const sentAtMs = clock.monotonicMs()
      const heartbeat = await this.#recordHeartbeat().catch(() => undefined)
      if (heartbeat?.isNew) throw new Error('another sandbox network has taken over')
      if (heartbeat !== undefined) heldUntilMs = sentAtMs + outageMs
      else if (clock.monotonicMs() > heldUntilMs) throw new Error('the lease of the sandbox network could not be kept')
    }
  }

  async #untilNext(signal: AbortSignal): Promise<void> {
    const { clock, leaseTtlMs } = this.#deps
    await clock.sleep(onBeat(heartbeatMs(leaseTtlMs), clock.monotonicMs()), signal)
  }

  async leave(): Promise<void> {
    await this.#deps.store.leases.endLeaseOwner({ id: this.#id })
  }

  async #recordHeartbeat(): Promise<Heartbeat> {
    const { store, nodeId, outageMs } = this.#deps
    return await store.leases
      .recordHeartbeat({ id: this.#id, nodeId, pool: 'simulator', room: 1, lastsMs: outageMs })
      .catch((error: unknown) => {
        this.#watch.unanswered()
        throw error
      })
  }

  async #endDead({ owners }: Heartbeat): Promise<void> {
    const others = owners.filter(({ id }) => id !== this.#id)
    for (const { id, beat } of this.#watch.answered(others, this.#deps.clock.monotonicMs()))
      await this.#deps.store.leases.endLeaseOwner({ id, beat })
  }
}
