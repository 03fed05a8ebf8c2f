import type { SessionState } from '../domain/session.ts'
import type { Platform } from '../platform/platform.ts'
import { aborted } from '../role.ts'
import { type HostIdentity, type Renewal, shareOf, type TakenSession } from '../store/units/hosting/hosting.ts'
import { Hold } from './hold.ts'
import { createHostedSession, type HostedSession } from './hosted-session.ts'
import { Pairings } from './pairings/pairings.ts'
import type { HostParts } from './parts.ts'
import { createSlots } from './slots.ts'
import { forwardUnhosted } from './unhosted-inbox.ts'
import { failUnhosted } from './unhosted-commands.ts'
import { sweepNumbers } from './sweep-numbers.ts'

/** Runs the sessions of one network: takes their leases, keeps them, and gives them back. */
export interface Host {
  /** Runs until the signal aborts, then hands its sessions over. */
  run(signal: AbortSignal): Promise<void>
  isReady(): boolean
}

const TICK_MS = 250
const POLL_DUE_MS = 500
const UNHOSTED_MS = 2_000
const SWEEP_MS = 600_000
const LOGINS_AT_ONCE = 4
const HANDOVERS_AT_ONCE = 8

export function createHost(parts: HostParts, platform: Platform, identity: HostIdentity): Host {
  const { store, config, log } = parts
  const { monotonicMs } = parts.clock
  const ttlMs = config.leaseTtlMs
  const hosted = new Map<string, HostedSession>()
  const loginTurn = createSlots(LOGINS_AT_ONCE)
  let renewed = false
  let stopping = false

  const pairings = new Pairings({ ...parts, platform, identity, onLinked: host })

  function host({ lease, session: row }: TakenSession, askedAtMs: number): void {
    const hold = new Hold(parts, lease, askedAtMs)
    const before = hosted.get(row.id)
    const session = createHostedSession({
      parts,
      platform,
      row,
      hold,
      loginTurn,
      onEnd: reason => void end(session, reason === 'logged_out'),
    })
    hosted.set(row.id, session)
    log.info({ session: row.id, epoch: lease.epoch, owner: identity.id }, 'session.hosted')
    // A number paired anew replaces its own earlier link, which has to be gone before the new one begins.
    before?.hold.end()
    const start = async (): Promise<void> => {
      await before?.end()
      await session.start()
    }
    start().catch((error: unknown) => {
      log.error({ session: row.id, err: error }, 'session.not_started')
      void end(session, true)
    })
  }

  /** Ends a session; where its lease is still ours it is given back, for others to take at once. */
  async function end(session: HostedSession, release: boolean): Promise<void> {
    const { hold } = session
    if (hosted.get(hold.sessionId) === session) hosted.delete(hold.sessionId)
    await session.end()
    log.info({ session: hold.sessionId, epoch: hold.lease.epoch, released: release }, 'session.ended')
    if (!release) return
    await store.hosting.releaseSessions({ owner: identity.id, leases: [hold.lease] }).catch(notWritten)
    if (session.state() === 'logged_out') await failUnhosted(parts).catch(notWritten)
  }

  async function renew(): Promise<void> {
    const askedAtMs = monotonicMs()
    const sessions = [...hosted.values()]
    const leases = sessions.map(session => session.hold.lease)
    const renewal = await store.hosting.renewHost({ ...identity, leases, ttlMs })
    const held = new Set(renewal.held.map(lease => `${lease.epoch} ${lease.id}`))
    for (const session of sessions) {
      const { lease } = session.hold
      if (held.has(`${lease.epoch} ${lease.id}`)) session.hold.renewed(askedAtMs)
      else void end(session, false)
    }
    renewed = true
    await refresh([...hosted.keys()])
    await rebalance(renewal)
  }

  async function refresh(ids: string[]): Promise<void> {
    for (const row of await store.hosting.readHosted(ids)) hosted.get(row.id)?.refresh(row)
  }

  /** Others are alive that run fewer: they get what is above a fair share. */
  async function rebalance(renewal: Renewal): Promise<void> {
    const surplus = Math.min(HANDOVERS_AT_ONCE, hosted.size - shareOf(renewal))
    if (surplus <= 0 || renewal.hosts < 2) return
    await Promise.all([...hosted.values()].slice(-surplus).map(session => end(session, true)))
  }

  async function take(): Promise<void> {
    if (stopping || !renewed || !(await store.hosting.hasFreeSession(identity.platform))) return
    const askedAtMs = monotonicMs()
    for (const taken of await store.hosting.takeSessions({ ...identity, held: hosted.size, ttlMs }))
      host(taken, askedAtMs)
  }

  async function wakeDue(): Promise<void> {
    for (const id of await store.commands.readDueSessions([...hosted.keys()])) {
      hosted.get(id)?.wake()
      hosted.get(id)?.wakeForRequests()
    }
  }

  function countStates(): void {
    const counts: Record<SessionState, number> = { connecting: 0, connected: 0, disconnected: 0, logged_out: 0 }
    for (const session of hosted.values()) counts[session.state()]++
    parts.metrics.sessions(counts)
  }

  function notWritten(error: unknown): void {
    log.warn({ owner: identity.id, err: error }, 'host.retries')
  }

  async function handOver(): Promise<void> {
    const endAll = () => Promise.all([...hosted.values()].map(session => end(session, true)))
    await Promise.all([pairings.stop(), endAll()])
    // A phone may have accepted in the last moment.
    await endAll()
    await store.hosting.endHost(identity.id).catch(notWritten)
  }

  return {
    isReady: () => renewed,
    run: async signal => {
      const rounds = [
        // By itself: a link whose lease has run out ends on time, also where the database does not answer.
        every(TICK_MS, async () => {
          for (const session of hosted.values()) session.tick()
        }),
        every(TICK_MS, async () => {
          await take()
          await pairings.look()
        }),
        every(Math.max(50, ttlMs / 3), renew),
        every(POLL_DUE_MS, wakeDue),
        every(UNHOSTED_MS, async () => {
          countStates()
          await failUnhosted(parts)
        }),
        every(UNHOSTED_MS, () => forwardUnhosted({ ...parts, platform, identity }, signal)),
        every(SWEEP_MS, async () => {
          while ((await store.hosting.sweepHosting()) > 1_000 && !stopping);
          await sweepNumbers(store.hosting, identity.id, () => stopping)
        }),
      ]
      const listening = [
        store.signals.on('commands', ({ sessionId }) => hosted.get(sessionId)?.wake()),
        store.signals.on('requests', ({ sessionId }) => hosted.get(sessionId)?.wakeForRequests()),
        store.signals.on('sessions', ({ sessionId }) => {
          void (hosted.has(sessionId) ? refresh([sessionId]) : take()).catch(notWritten)
        }),
        store.signals.on('pairings', () => void pairings.look().catch(notWritten)),
        store.signals.on('hosts', () => void Promise.all([take(), pairings.look()]).catch(notWritten)),
      ]
      await aborted(signal)
      stopping = true
      for (const stop of listening) stop()
      await Promise.all(rounds.map(stop => stop()))
      await handOver()
    },
  }

  /** Does something again and again, never twice at once; what fails is tried again in the next round. */
  function every(ms: number, work: () => Promise<void>): () => Promise<void> {
    let timer: NodeJS.Timeout | undefined
    let stopped = false
    let current: Promise<void> = Promise.resolve()
    const round = (): void => {
      const begunMs = monotonicMs()
      current = work()
        .catch(notWritten)
        .then(() => {
          if (!stopped) timer = setTimeout(round, Math.max(0, ms - (monotonicMs() - begunMs)))
        })
    }
    round()
    return async () => {
      stopped = true
      clearTimeout(timer)
      await current
    }
  }
}
