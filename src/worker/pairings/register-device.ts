import { GatewayError, sandboxNumberTaken, tooManyNumbers } from '../../domain/errors.ts'
import { aboutCreds, aboutProxy } from '../../domain/sealed.ts'
import type { LinkedDevice, Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HostIdentity, TakenSession } from '../../store/hosting/hosting.ts'
import type { CompletedPairing } from '../../store/pairings/complete-pairing.ts'
import { retryUntilReachable } from '../../store/retry-until-reachable.ts'
import { sealKey } from '../inbox/device-seals.ts'
import type { HostDeps } from '../deps.ts'

export interface RegisterDeps extends Omit<HostDeps, 'store' | 'metrics'> {
  store: Pick<Store, 'pairings'>
  platform: Platform
  identity: HostIdentity
  /** A number is linked, and this host owns its lease. */
  onLinked: (taken: TakenSession) => void
}

/** How long a phone that has accepted waits while the database is unreachable. */
export const PHONE_WAITS_MS = 15_000
const DISCARD_MS = 10_000
const MOVED = 'the number moved to another account'

/** Registers the device that a phone has accepted. A rejected device is removed from the phone's list. */
export async function registerOrDiscard(
  deps: RegisterDeps,
  id: string,
  device: LinkedDevice,
): Promise<'linked' | 'over'> {
  const outcome = await register(deps, id, device).catch(async (error: unknown) => {
    // Only a rejection is certain: after any other error the number may still be registered.
    if (error instanceof GatewayError) await discard(deps, id, device)
    throw error
  })
  if (outcome === 'over') await discard(deps, id, device)
  return outcome
}

/** The phone does not accept a second time, so this waits for an unreachable database. */
async function register(deps: RegisterDeps, id: string, device: LinkedDevice): Promise<'linked' | 'over'> {
  const { clock, store } = deps
  const untilMs = clock.monotonicMs() + PHONE_WAITS_MS
  let isRepeated = false
  const tryOnce = async (): Promise<'linked' | 'over'> => {
    // The outcome of an earlier try is unknown. If it succeeded, this host finds the number's lease at its next reconcile.
    if (isRepeated && (await store.pairings.getPairing(id))?.status === 'linked') return 'linked'
    isRepeated = true
    return await registerOnce(deps, id, device)
  }
  return await retryUntilReachable(clock, tryOnce, { mayRetry: () => clock.monotonicMs() < untilMs })
}

async function registerOnce(deps: RegisterDeps, id: string, device: LinkedDevice): Promise<'linked' | 'over'> {
  const { store, seal, identity, onLinked } = deps
  const { sessionId } = device
  while (await store.pairings.clearMovedNumber({ id, sessionId, movedDetail: MOVED }));
  const completed = await store.pairings.completePairing({
    id,
    owner: identity.id,
    sessionId,
    phone: device.phone,
    device: device.device,
    creds: seal.seal(device.creds, aboutCreds(sessionId)),
    keys: device.keys.map(key => sealKey(seal, sessionId, key)),
    proxy: device.proxy ? seal.sealJson(device.proxy, aboutProxy(sessionId)) : null,
    movedDetail: MOVED,
  })
  const taken = linkedNumber(completed)
  if (taken === undefined) return 'over'
  onLinked(taken)
  return 'linked'
}

async function discard({ platform, log }: RegisterDeps, id: string, device: LinkedDevice): Promise<void> {
  await platform.discard(device, AbortSignal.timeout(DISCARD_MS)).then(
    () => log.info({ pairing: id }, 'pairing.discarded'),
    (error: unknown) => log.warn({ pairing: id, err: error }, 'pairing.discard_failed'),
  )
}

/** The linked number, or `undefined` if its pairing has ended meanwhile. Throws the error that the customer reads. */
function linkedNumber(completed: CompletedPairing): TakenSession | undefined {
  switch (completed.kind) {
    case 'linked':
      return completed.taken
    case 'over':
      return undefined
    case 'number_taken':
      throw sandboxNumberTaken()
    case 'full':
      throw tooManyNumbers(completed.platform, completed.limit)
    default: {
      const never: never = completed
      return never
    }
  }
}
