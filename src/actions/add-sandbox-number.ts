import type { Context } from '../context.ts'
import { BOUNDS } from '../domain/bounds.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { StoredPairing } from '../store/pairings/pairings.ts'
import type { StoredSession } from '../store/sessions/sessions.ts'
import { PolledSignal } from '../store/polled-signal.ts'
import { submitPasskey } from './answer-pairing.ts'
import type { RequestDeps } from './send-request.ts'
import { startPairing } from './pair-session.ts'
import { scanPairing } from './scan-pairing.ts'
import { useSandboxPasskey } from './use-sandbox-passkey.ts'

type Deps = RequestDeps & Pick<Context, 'config'> & { store: Pick<Store, 'accounts' | 'pairings' | 'sessions'> }

const TIMEOUT_MS = 120_000
const POLL_MS = 250

/**
 * Adds a sandbox number, paired by the sandbox network's simulated phone and connected. A number that the account has
 * already is linked again; one of another account is rejected.
 */
export async function addSandboxNumber(
  deps: Deps,
  request: { accountId: string; phone: string | null; label: string },
): Promise<StoredSession> {
  const wakeUp = new PolledSignal(deps, ['pairings', 'sessions'])
  const over = new AbortController()
  try {
    const pairing = { ...request, method: 'qr', platform: 'sandbox' } as const
    const { id } = await startPairing(deps, pairing, BOUNDS.openSandboxPairings)
    const session = await untilConnected(deps, id, wakeUp, new CodeScans(deps, over.signal))
    if (session !== undefined) return session
    await deps.store.pairings.endPairing({ id, status: 'expired', error: null })
    throw new GatewayError(
      'sandbox_unavailable',
      'the sandbox did not link the number; worker and simulator roles must run',
    )
  } finally {
    over.abort()
    wakeUp.stop()
  }
}

/** `undefined` on a timeout. */
async function untilConnected(
  { store, clock }: Deps,
  pairingId: string,
  wakeUp: PolledSignal<'pairings' | 'sessions'>,
  scans: CodeScans,
): Promise<StoredSession | undefined> {
  const deadlineMs = clock.monotonicMs() + TIMEOUT_MS
  for (let leftMs = TIMEOUT_MS; leftMs > 0; leftMs = deadlineMs - clock.monotonicMs()) {
    const pairing = (await store.pairings.getPairing(pairingId))!
    const session = await connectedSession(store, pairing)
    if (session !== undefined) return session
    scans.scan(pairing)
    await wakeUp.sleep(Math.min(POLL_MS, leftMs))
  }
  return undefined
}

async function connectedSession(store: Deps['store'], pairing: StoredPairing): Promise<StoredSession | undefined> {
  if (pairing.status === 'failed')
    throw new GatewayError('platform_refused', pairing.error ?? 'the number could not be linked')
  if (pairing.status !== 'linked') return undefined
  const session = await store.sessions.getSession(pairing.sessionId!)
  return session?.state === 'connected' ? session : undefined
}

/**
 * Makes the simulated phone scan each code that the pairing shows, and scan it again if that fails. If the number has a
 * passkey, the phone uses it.
 */
class CodeScans {
  readonly #deps: Deps
  readonly #signal: AbortSignal
  #scannedAt = 0

  constructor(deps: Deps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
  }

  scan(pairing: StoredPairing): void {
    if (pairing.updatedAt === this.#scannedAt) return
    const work = this.#workOn(pairing)
    if (work === undefined) return
    this.#scannedAt = pairing.updatedAt
    work.catch(() => {
      this.#scannedAt = 0
    })
  }

  #workOn(pairing: StoredPairing): Promise<void> | undefined {
    if (pairing.status === 'waiting') return scanPairing(this.#deps, pairing, this.#signal)
    return pairing.status === 'passkey' ? this.#usePasskey(pairing) : undefined
  }

  async #usePasskey(pairing: StoredPairing): Promise<void> {
    const used = await useSandboxPasskey(this.#deps, pairing, this.#signal)
    if (!('assertion' in used)) return
    const { id, rawId, type, response } = used.assertion
    const submitted = { assertion: { id, rawId, type, response }, compareCodes: false }
    await submitPasskey(this.#deps, pairing, submitted, this.#signal)
  }
}
