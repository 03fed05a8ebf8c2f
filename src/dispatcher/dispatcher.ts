import { setMaxListeners } from 'node:events'
import type { Context } from '../context.ts'
import { createOutbound } from '../net/outbound.ts'
import { aborted, type Role } from '../role.ts'
import { advanceReplays, sweepHistory } from './chores.ts'
import { deliver } from './deliver.ts'
import { createIntake } from './intake.ts'
import { createShards } from './shards.ts'
import { createTargets } from './targets.ts'
import { createTurns, type Endpoint, type Turn } from './turns.ts'

const MB = 1024 * 1024
const LIMITS = { inFlight: 4_096, perAccount: 1_024, bytes: 256 * MB, bytesPerAccount: 64 * MB }
const STARTS_PER_ROUND = 32
const LOOK_EVERY_MS = 1_000
/** Below the time that the process gives its roles to drain. */
const DRAIN_MS = 15_000

/** Delivers what is due in the shards that it owns, until it is told to stop. */
export function createDispatcher(context: Context): Role {
  const { store, clock, log, metrics, config } = context
  const cutOff = new AbortController()
  // Every result that waits for the database listens to it.
  setMaxListeners(0, cutOff.signal)
  const targets = createTargets(context)
  const turns = createTurns(LIMITS)
  const shards = createShards(context, {
    gained: () => lookSoon(),
    lost: shard => intake.shardLost(shard.number),
  })
  const intake = createIntake({ store, log, shards, turns, targets, onReady: pump })
  // An endpoint's own limit binds; endpoints that share a host must not wait for each other's connections.
  const outbound = createOutbound(context.targets, {
    timeoutMs: config.deliveryTimeoutMs,
    connectionsPerOrigin: LIMITS.inFlight,
  })
  const parts = { ...context, outbound, targets, shards, answered, signal: cutOff.signal }
  let stopping = false
  let pumpScheduled = false
  let ready = false
  let lookSoon = () => {}
  let tendSoon = () => {}
  let replaySoon = () => {}
  let onIdle = () => {}

  /**
   * Starts what may start, a few in each round of the event loop: answers are heard in between, so that a busy process
   * has no more requests and connections open than it can serve.
   */
  function pump(): void {
    if (pumpScheduled) return
    pumpScheduled = true
    setImmediate(() => {
      pumpScheduled = false
      if (stopping || !shards.isValid()) return
      for (let n = 0; n < STARTS_PER_ROUND; n++) {
        const turn = turns.next()
        if (turn === undefined) return
        void run(turn)
      }
      pump()
    })
  }

  function answered(endpoint: Endpoint): void {
    turns.answered(endpoint)
    pump()
  }

  async function run(turn: Turn): Promise<void> {
    const { lane, delivery } = turn
    const shard = shards.active(lane.shard)
    let dueAt: number | null = null
    if (shard === undefined) turns.answered(turn.endpoint)
    else {
      shard.inFlight++
      const isOurs = () => shards.isValid() && shards.active(lane.shard) === shard
      dueAt = await deliver(parts, turn, shard, isOurs).catch((error: unknown) => {
        log.error({ err: error, delivery_id: delivery.id }, 'delivery failed inside the gateway')
        return null
      })
      shard.inFlight--
    }
    turns.settled(turn)
    intake.done(lane, delivery, dueAt)
    if (turns.inFlight() === 0) onIdle()
    pump()
  }

  function onSignal(key: string): void {
    if (key === 'shards') return tendSoon()
    if (key === 'replays') return replaySoon()
    const space = key.indexOf(' ')
    if (space === -1) return intake.webhookChanged(key)
    intake.woken(key.slice(0, space), Number(key.slice(space + 1)))
  }

  /** Repeats a piece of work until the end; it may be asked for sooner. A failure is logged and tried again. */
  function repeat(name: string, work: () => Promise<number>, signal: AbortSignal): [Promise<void>, () => void] {
    let sooner = new AbortController()
    signal.addEventListener('abort', () => sooner.abort(), { once: true })
    const loop = async () => {
      while (!signal.aborted) {
        sooner = new AbortController()
        const waitMs = await work().catch((error: unknown) => {
          if (!signal.aborted) log.warn({ err: error }, `${name} failed`)
          return 500
        })
        if (!signal.aborted) await clock.sleep(waitMs, sooner.signal)
      }
    }
    return [loop(), () => sooner.abort()]
  }

  async function tend(): Promise<number> {
    await shards.tend()
    ready = true
    pump()
    return shards.nextTendMs()
  }

  async function look(): Promise<number> {
    const oldest = await intake.look()
    metrics.oldestDueSeconds.set(oldest === null ? 0 : Math.max(0, shards.databaseNow() - oldest) / 1000)
    pump()
    return LOOK_EVERY_MS
  }

  async function drain(): Promise<void> {
    const idle = new Promise<void>(resolve => (onIdle = resolve))
    if (turns.inFlight() > 0) await Promise.race([idle, clock.sleep(DRAIN_MS)])
    cutOff.abort()
    await outbound.close()
  }

  return {
    name: 'dispatcher',
    isReady: () => ready && shards.isValid() && !stopping,
    run: async signal => {
      const drained = new AbortController()
      signal.addEventListener('abort', () => (stopping = true), { once: true })
      const unlisten = store.signals.on('deliveries', onSignal)
      const loops: Array<Promise<void>> = [sweepHistory(parts, signal)]
      const start = (name: string, until: AbortSignal, work: () => Promise<number>) => {
        const [loop, soon] = repeat(name, work, until)
        loops.push(loop)
        return soon
      }
      // What is in flight when the end comes still needs its leases.
      tendSoon = start('tending shards', drained.signal, tend)
      lookSoon = start('looking for deliveries', signal, look)
      replaySoon = start('advancing replays', signal, async () => ((await advanceReplays(parts)) ? 100 : LOOK_EVERY_MS))
      const ticking = setInterval(() => intake.tick(), intake.tickMs)
      await aborted(signal)
      unlisten()
      clearInterval(ticking)
      await drain()
      drained.abort()
      await Promise.all(loops)
      await shards.leaveAll()
    },
  }
}
