import type { Context } from '../context.ts'
import { beatMs, HolderWatch } from '../domain/holder.ts'
import { type Lease, SIMULATOR_LEASE } from '../domain/lease.ts'
import type { Store } from '../store/store.ts'
import type { Beaten } from '../store/leases/lease-owners.ts'

export interface LeaseDeps extends Pick<Context, 'clock' | 'nodeId'> {
  store: Pick<Store, 'leases'>
  leaseTtlMs: number
  outageMs: number
}

/** One that runs the sandbox network, or stands by until the one that does has ended or died. */
export class SandboxHolder {
  readonly #deps: LeaseDeps
  readonly #id: string
  readonly #watch: HolderWatch

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.#id = `${deps.nodeId}/simulator`
    this.#watch = new HolderWatch(deps.leaseTtlMs)
  }

  /** Waits until no other node runs the sandbox network. */
  async take(signal: AbortSignal): Promise<Lease | undefined> {
    const { store, clock, leaseTtlMs } = this.#deps
    await store.leases.addLeases({ names: [SIMULATOR_LEASE], pool: 'simulator' })
    while (!signal.aborted) {
      await this.#endDead(await this.#beat())
      const lease = await store.leases.takeLease({ owner: this.#id, name: SIMULATOR_LEASE })
      if (lease !== undefined) return lease
      await clock.sleep(beatMs(leaseTtlMs), signal)
    }
    return undefined
  }

  /** Says that it lives until told to stop. Throws when the lease is another's, or may be by now. */
  async keep(signal: AbortSignal): Promise<void> {
    const { clock, leaseTtlMs, outageMs } = this.#deps
    let heldUntilMs = clock.monotonicMs() + outageMs
    while (!signal.aborted) {
      await clock.sleep(beatMs(leaseTtlMs), signal)
      const askedMs = clock.monotonicMs()
      const beaten = await this.#beat().catch(() => undefined)
      if (beaten?.isNew) throw new Error('another sandbox network has taken over')
      if (beaten !== undefined) heldUntilMs = askedMs + outageMs
      else if (clock.monotonicMs() > heldUntilMs) throw new Error('the lease of the sandbox network could not be kept')
    }
  }

  async leave(): Promise<void> {
    await this.#deps.store.leases.endHolder({ id: this.#id })
  }

  async #beat(): Promise<Beaten> {
    const { store, nodeId, outageMs } = this.#deps
    return await store.leases
      .beat({ id: this.#id, nodeId, pool: 'simulator', room: 1, lastsMs: outageMs })
      .catch((error: unknown) => {
        this.#watch.unanswered()
        throw error
      })
  }

  async #endDead({ holders }: Beaten): Promise<void> {
    const others = holders.filter(({ id }) => id !== this.#id)
    for (const { id, beat } of this.#watch.answered(others, this.#deps.clock.monotonicMs()))
      await this.#deps.store.leases.endHolder({ id, beat })
  }
}
