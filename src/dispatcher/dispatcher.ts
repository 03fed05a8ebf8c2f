import { setMaxListeners } from 'node:events'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { WakeSignal } from '../runtime/wake-signal.ts'
import type { ParseReply } from '../actions/accept-reply.ts'
import type { Context } from '../context.ts'
import { withoutRedaction } from '../observability/log.ts'
import { createOutbound } from '../net/outbound.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import { aborted, type Role } from '../role.ts'
import { type After, deliver, type DeliverDeps, probeLater } from './deliver.ts'
import { FairQueue, type Picked } from './fair-queue.ts'
import { Intake } from './intake.ts'
import { Placement } from './placement.ts'
import { Shards, type Tenure } from './shards.ts'
import { CurrentWebhooks } from './current-webhooks.ts'

const MB = 1024 * 1024
const LIMITS = { inFlight: 4_096, perAccount: 1_024, bytes: 256 * MB, bytesPerAccount: 64 * MB }
const STARTS_PER_ROUND = 32
const POLL_MS = 1_000
const REPLAY_BATCH = 100
const REPLAY_AGAIN_MS = 100
/** Below the time that the process gives its roles to drain. */
const DRAIN_MS = 15_000

/** Without a parser it reads no answers of endpoints. */
export const createDispatcher = (context: Context, parseReply: ParseReply | null = null): Role =>
  new Dispatcher(context, parseReply)

/** Delivers the due deliveries of the shards that it owns, until it is stopped: read → queue → attempt → record. */
class Dispatcher implements Role {
  readonly name = 'dispatcher'
  readonly #context: Context
  readonly #cutOff = new AbortController()
  /** Notified when a delivery may begin. */
  readonly #ready = new WakeSignal()
  readonly #webhooks: CurrentWebhooks
  readonly #queue: FairQueue
  readonly #shards: Shards
  readonly #intake: Intake
  readonly #deps: DeliverDeps
  readonly #rebalancing: RepeatingTask
  readonly #ticking: RepeatingTask
  readonly #scanning: RepeatingTask
  readonly #replaying: RepeatingTask
  #hasRebalanced = false
  #isStopping = false

  constructor(context: Context, parseReply: ParseReply | null) {
    this.#context = context
    // Every result that waits for the database adds a listener.
    setMaxListeners(0, this.#cutOff.signal)
    this.#webhooks = new CurrentWebhooks(context)
    this.#queue = new FairQueue({ clock: context.clock, limits: LIMITS, ready: this.#ready })
    this.#shards = new Shards(context)
    const placement = new Placement({ log: context.log, webhooks: this.#webhooks, queue: this.#queue })
    this.#intake = new Intake({
      ...context,
      shards: this.#shards,
      placement,
      tickSooner: () => this.#ticking.runSoon(),
    })
    this.#deps = {
      ...context,
      webhooks: this.#webhooks,
      queue: this.#queue,
      parseReply,
      signal: this.#cutOff.signal,
      attemptLog: withoutRedaction(context.log),
      // An endpoint's own limit binds; endpoints that share a host must not wait for each other's connections.
      outbound: createOutbound(context.targets, {
        clock: context.clock,
        timeoutMs: context.config.deliveryTimeoutMs,
        connectionsPerOrigin: LIMITS.inFlight,
      }),
    }
    this.#rebalancing = new RepeatingTask(context, 'shards.rebalance', () => this.#rebalance())
    this.#ticking = new RepeatingTask(context, 'deliveries.tick', async () => this.#intake.tick())
    this.#scanning = new RepeatingTask(context, 'deliveries.scan', () => this.#scan())
    this.#replaying = new RepeatingTask(context, 'replays.advance', () => this.#advanceReplays())
  }

  isReady(): boolean {
    return this.#hasRebalanced && this.#shards.isValid() && !this.#isStopping
  }

  async run(signal: AbortSignal): Promise<void> {
    const drained = new AbortController()
    const unlisten = this.#listen()
    const loops = [
      // Deliveries in flight still need their leases while they drain.
      this.#rebalancing.run(drained.signal),
      this.#ticking.run(signal),
      this.#scanning.run(signal),
      this.#replaying.run(signal),
      this.#beginDeliveries(),
    ]
    await aborted(signal)
    this.#isStopping = true
    this.#ready.notify()
    unlisten()
    await this.#drain()
    drained.abort()
    await Promise.all(loops)
    await this.#shards.leaveAll()
  }

  async #drain(): Promise<void> {
    await Promise.race([this.#queue.idle(), this.#context.clock.sleep(DRAIN_MS, this.#cutOff.signal)])
    this.#cutOff.abort()
    await this.#deps.outbound.close()
  }

  #listen(): () => void {
    const { signals } = this.#context.store
    const stops = [
      signals.on('deliveries', ({ lane, dueAt, fresh }) => this.#intake.notified(lane, dueAt, fresh)),
      signals.on('webhooks', ({ webhookId }) => this.#intake.webhookChanged(webhookId)),
      signals.on('shards', () => this.#rebalancing.runSoon()),
      signals.on('replays', () => this.#replaying.runSoon()),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  async #rebalance(): Promise<number> {
    const { gained, lost } = await this.#shards.rebalance()
    for (const shard of lost) this.#intake.shardLost(shard.number)
    await this.#shards.releaseEmpty()
    if (gained) this.#scanning.runSoon()
    this.#hasRebalanced = true
    this.#ready.notify()
    return this.#shards.nextRebalanceMs()
  }

  async #scan(): Promise<number> {
    const oldest = await this.#intake.scan()
    this.#queue.forgetIdle()
    this.#webhooks.dropExpired()
    const waitedMs = oldest === null ? 0 : Math.max(0, this.#context.clock.now().getTime() - oldest)
    this.#setMetrics(waitedMs)
    return this.#context.store.signals.pollDelayMs(POLL_MS)
  }

  #setMetrics(waitedMs: number): void {
    const { oldestDueSeconds, endpoints } = this.#context.metrics
    const { all, failing } = this.#queue.counts()
    oldestDueSeconds.set(waitedMs / 1_000)
    endpoints.set({ state: 'failing' }, failing)
    endpoints.set({ state: 'answering' }, all - failing)
  }

  /** Runs one batch of each replay job of this dispatcher's shards. */
  async #advanceReplays(): Promise<number> {
    const { store } = this.#context
    const jobs = (await store.replays.listRunningReplays()).filter(job => this.#shards.active(job.shard) !== undefined)
    let hasMore = false
    for (const { id } of jobs) hasMore = (await store.replays.advanceReplay({ id, limit: REPLAY_BATCH })) || hasMore
    return hasMore ? REPLAY_AGAIN_MS : store.signals.pollDelayMs(POLL_MS)
  }

  /**
   * Begins deliveries, a few in each round of the event loop: responses are read in between, so that a busy process has no
   * more requests and connections open than it can serve.
   */
  async #beginDeliveries(): Promise<void> {
    while (!this.#isStopping) {
      await this.#ready.wait()
      await yieldToEvents()
      for (let begun = 0; this.#mayBegin(); begun++) {
        const picked = begun < STARTS_PER_ROUND ? this.#queue.pick() : undefined
        if (picked === undefined) break
        void this.#deliver(picked)
      }
    }
  }

  #mayBegin(): boolean {
    return !this.#isStopping && this.#shards.isValid()
  }

  async #deliver(picked: Picked): Promise<void> {
    const { lane, delivery, endpoint } = picked
    const shard = this.#shards.active(lane.shard)
    let after: After = { kind: 'ended' }
    if (shard === undefined) this.#queue.answered(endpoint)
    else {
      shard.inFlight++
      const tenure = (): Tenure => {
        const now = this.#shards.tenureOf(shard)
        // It has not begun, so a process that stops leaves it to the next owner.
        return now === 'uncertain' && this.#isStopping ? 'lost' : now
      }
      after = await deliver(this.#deps, picked, shard, tenure).catch((error: unknown): After => {
        this.#context.log.error({ err: error, delivery_id: delivery.id }, 'delivery.run_failed')
        return { kind: 'ended' }
      })
      shard.inFlight--
    }
    this.#queue.finished(picked)
    this.#intake.ended(lane, delivery, after)
    if (picked.isHeld) probeLater(this.#deps, endpoint)
  }
}
