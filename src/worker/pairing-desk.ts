import { linkedNumber } from '../actions/linked-number.ts'
import { GatewayError } from '../domain/errors.ts'
import { aboutCreds, aboutKey, aboutPairing } from '../domain/sealed.ts'
import type { LinkedDevice, PairingStep, Platform } from '../platform/platform.ts'
import type { HostIdentity, TakenSession } from '../store/units/hosting/hosting.ts'
import type { StoredPairing } from '../store/units/sessions/pairings.ts'
import { whenReachable } from '../store/when-reachable.ts'
import type { HostParts } from './parts.ts'

/** Links new devices: shows each caller its codes, and hands a number over to be hosted when its phone has accepted. */
export interface PairingDesk {
  /** Takes pairings that wait, and lets go of those that are over. */
  look(): Promise<void>
  stop(): Promise<void>
}

/** A pairing that waits for its phone costs a connection; one that is at work costs time of the processor too. */
const MAX_ATTENDED = 100
const MAX_AT_WORK = 8
const CLAIM_MS = 5_000
const RENEW_MS = 1_000
const DISCARD_MS = 10_000
/** A phone that has accepted waits so long for a database that is away. */
const COMPLETE_MS = 15_000

const NOT_LINKED =
  'the device could not be linked: pair again, and remove it from the phone’s devices if it is listed there'
const STATUS_AFTER = { qr: 'waiting', code: 'waiting', scanned: 'scanned', trouble: 'pending' } as const

interface Attended {
  abort: AbortController
  done: Promise<void>
  /** For the phone, which has a code, or for a platform that cannot be reached. */
  waits: boolean
}

export function createPairingDesk(
  parts: HostParts,
  platform: Platform,
  identity: HostIdentity,
  onLinked: (taken: TakenSession, askedAtMs: number) => void,
): PairingDesk {
  const { store, seal, log, config } = parts
  const { monotonicMs } = parts.clock
  const attended = new Map<string, Attended>()
  let renewedAtMs = 0
  let looking = false
  let stopped = false

  async function look(): Promise<void> {
    if (looking || stopped) return
    looking = true
    try {
      await letGo()
      const limit = room()
      if (limit <= 0 || !(await store.hosting.hasFreePairing(identity.platform))) return
      const input = { owner: identity.id, platform: identity.platform, limit, ttlMs: CLAIM_MS }
      for (const pairing of await store.hosting.claimPairings(input)) if (!attended.has(pairing.id)) attend(pairing)
    } finally {
      looking = false
    }
  }

  function room(): number {
    const atWork = [...attended.values()].filter(({ waits }) => !waits).length
    return Math.min(MAX_AT_WORK - atWork, MAX_ATTENDED - attended.size)
  }

  /** Keeps the claims, and ends what was cancelled or has expired. */
  async function letGo(): Promise<void> {
    if (attended.size === 0) return
    const standing = new Set(
      monotonicMs() - renewedAtMs < RENEW_MS ? await standingOf([...attended.keys()]) : await renew(),
    )
    for (const [id, { abort }] of attended) if (!standing.has(id)) abort.abort()
  }

  async function renew(): Promise<string[]> {
    const askedAtMs = monotonicMs()
    const ids = await store.hosting.renewPairings({ owner: identity.id, ids: [...attended.keys()], ttlMs: CLAIM_MS })
    renewedAtMs = askedAtMs
    return ids
  }

  async function standingOf(ids: string[]): Promise<string[]> {
    const rows = await Promise.all(ids.map(id => store.sessions.getPairing(id)))
    return rows.flatMap(row => (row && ['pending', 'waiting', 'scanned'].includes(row.status) ? [row.id] : []))
  }

  function attend(pairing: StoredPairing): void {
    const abort = new AbortController()
    const done = pair(pairing, abort.signal).finally(() => attended.delete(pairing.id))
    attended.set(pairing.id, { abort, done, waits: false })
  }

  async function pair(pairing: StoredPairing, signal: AbortSignal): Promise<void> {
    const begunMs = monotonicMs()
    const outcome = await link(pairing, signal).catch(async (error: unknown) => {
      if (stopped) return 'left'
      const expired = signal.aborted
      if (!expired) log.warn({ pairing: pairing.id, err: error }, 'pairing.failed')
      await store.sessions
        .endPairing({
          id: pairing.id,
          owner: identity.id,
          status: expired ? 'expired' : 'failed',
          error: error instanceof GatewayError ? error.message : expired ? null : NOT_LINKED,
        })
        .catch(() => {})
      return expired ? 'over' : 'failed'
    })
    const ms = Math.round(monotonicMs() - begunMs)
    log.info({ pairing: pairing.id, platform: pairing.platform, outcome, ms }, 'pairing.attended')
  }

  async function link(pairing: StoredPairing, signal: AbortSignal): Promise<string> {
    const request =
      pairing.method === 'qr' ? { method: 'qr' as const } : { method: 'code' as const, phone: pairing.phone! }
    let steps: Promise<void> = Promise.resolve()
    const onStep = (step: PairingStep): void => {
      steps = steps.then(() => showWhenReachable(pairing.id, step)).catch(() => {})
    }
    const device = await platform.pair(request, onStep, signal)
    await steps
    const outcome = await complete(pairing.id, device).catch(async (error: unknown) => {
      // Only a refusal is certain: after any other failure the number may be registered all the same.
      if (error instanceof GatewayError) await discard(pairing.id, device)
      throw error
    })
    if (outcome === 'over') await discard(pairing.id, device)
    return outcome
  }

  /** The phone has accepted a device that nobody will host: it is not to stay in the phone's list. */
  async function discard(id: string, device: LinkedDevice): Promise<void> {
    await platform.discard(device, AbortSignal.timeout(DISCARD_MS)).then(
      () => log.info({ pairing: id }, 'pairing.discarded'),
      (error: unknown) => log.warn({ pairing: id, err: error }, 'pairing.not_discarded'),
    )
  }

  /** A typed code is shown once: where the database is away, it waits, though not longer than a phone does. */
  async function showWhenReachable(id: string, step: PairingStep): Promise<void> {
    const untilMs = monotonicMs() + COMPLETE_MS
    const makesSense = () => attended.has(id) && monotonicMs() < untilMs
    await whenReachable(parts.clock, () => show(id, step), { makesSense })
  }

  async function show(id: string, step: PairingStep): Promise<void> {
    const code = step.kind === 'qr' ? { qr: step.qr } : step.kind === 'code' ? { code: step.code } : null
    const stands = await store.hosting.recordPairingStep({
      id,
      owner: identity.id,
      status: STATUS_AFTER[step.kind],
      step: code && seal.sealJson(code, aboutPairing(id)),
      expiresAt: 'expiresAtMs' in step ? step.expiresAtMs : null,
      error: step.kind === 'trouble' ? step.why : null,
    })
    const attendedTo = attended.get(id)
    if (attendedTo !== undefined) attendedTo.waits = step.kind !== 'scanned'
    if (!stands) attendedTo?.abort.abort()
  }

  /** The phone has accepted once and will not again, so a database that is away is waited for. */
  async function complete(id: string, device: LinkedDevice): Promise<'linked' | 'over'> {
    const untilMs = monotonicMs() + COMPLETE_MS
    let isRepeated = false
    const register = async (): Promise<'linked' | 'over'> => {
      // Nobody knows what became of an earlier try. Where it succeeded, the number is hosted when its lease is free.
      if (isRepeated && (await store.sessions.getPairing(id))?.status === 'linked') return 'linked'
      isRepeated = true
      const askedAtMs = monotonicMs()
      const taken = await registerDevice(id, device)
      if (taken === undefined) return 'over'
      onLinked(taken, askedAtMs)
      return 'linked'
    }
    return await whenReachable(parts.clock, register, { makesSense: () => monotonicMs() < untilMs })
  }

  async function registerDevice(id: string, device: LinkedDevice): Promise<TakenSession | undefined> {
    const { sessionId } = device
    const completed = await store.hosting.completePairing({
      id,
      owner: identity.id,
      sessionId,
      phone: device.phone,
      device: device.device,
      creds: seal.seal(device.creds, aboutCreds(sessionId)),
      keys: device.keys.map(({ category, id: keyId, value }) => ({
        category,
        id: keyId,
        sealed: value && seal.seal(value, aboutKey(sessionId, category, keyId)),
      })),
      ttlMs: config.leaseTtlMs,
    })
    return linkedNumber(completed)
  }

  return {
    look,
    stop: async () => {
      stopped = true
      const all = [...attended.values()]
      for (const { abort } of all) abort.abort()
      await Promise.all(all.map(({ done }) => done))
    },
  }
}
