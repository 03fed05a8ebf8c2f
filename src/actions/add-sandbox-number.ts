import type { Context } from '../context.ts'
import { BOUNDS } from '../domain/bounds.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { StoredPairing } from '../store/units/sessions/pairings.ts'
import type { StoredSession } from '../store/units/sessions/sessions.ts'
import { WakeUp } from '../store/wake-up.ts'
import { bringPasskey } from './answer-pairing.ts'
import type { AskParts } from './ask.ts'
import { startPairing } from './pair-session.ts'
import { scanPairing } from './scan-pairing.ts'
import { useSandboxPasskey } from './use-sandbox-passkey.ts'

type Parts = AskParts & Pick<Context, 'config'> & { store: Pick<Store, 'accounts' | 'sessions'> }

const TIMEOUT_MS = 120_000
const POLL_MS = 250

/**
 * A sandbox number, paired by the sandbox network's own phone and connected: no phone is needed. A number that the
 * account has already is linked anew; one of another account is refused.
 */
export async function addSandboxNumber(
  parts: Parts,
  request: { accountId: string; phone: string | null; label: string },
): Promise<StoredSession> {
  const wakeUp = new WakeUp(parts, ['pairings', 'sessions'])
  const over = new AbortController()
  try {
    const asked = { ...request, method: 'qr', platform: 'sandbox' } as const
    const { id } = await startPairing(parts, asked, BOUNDS.openSandboxPairings)
    const session = await untilConnected(parts, id, wakeUp, new CodeScans(parts, over.signal))
    if (session !== undefined) return session
    await parts.store.sessions.endPairing({ id, status: 'expired', error: null })
    throw new GatewayError(
      'sandbox_unavailable',
      'the sandbox did not link the number; worker and simulator roles must run',
    )
  } finally {
    over.abort()
    wakeUp.stop()
  }
}

/** `undefined` where the time is over before. */
async function untilConnected(
  { store, clock }: Parts,
  pairingId: string,
  wakeUp: WakeUp<'pairings' | 'sessions'>,
  scans: CodeScans,
): Promise<StoredSession | undefined> {
  const deadlineMs = clock.monotonicMs() + TIMEOUT_MS
  for (let leftMs = TIMEOUT_MS; leftMs > 0; leftMs = deadlineMs - clock.monotonicMs()) {
    const pairing = (await store.sessions.getPairing(pairingId))!
    const session = await connectedSession(store, pairing)
    if (session !== undefined) return session
    scans.scan(pairing)
    await wakeUp.sleep(Math.min(POLL_MS, leftMs))
  }
  return undefined
}

async function connectedSession(store: Parts['store'], pairing: StoredPairing): Promise<StoredSession | undefined> {
  if (pairing.status === 'failed')
    throw new GatewayError('platform_refused', pairing.error ?? 'the number could not be linked')
  if (pairing.status !== 'linked') return undefined
  const session = await store.sessions.getSession(pairing.sessionId!)
  return session?.state === 'connected' ? session : undefined
}

/**
 * Has every code scanned, again where the phone could not; one that was renewed meanwhile is followed by the next. Where
 * the number has a passkey, that is used.
 */
class CodeScans {
  readonly #parts: Parts
  readonly #signal: AbortSignal
  #scannedAt = 0

  constructor(parts: Parts, signal: AbortSignal) {
    this.#parts = parts
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
    if (pairing.status === 'waiting') return scanPairing(this.#parts, pairing, this.#signal)
    return pairing.status === 'passkey' ? this.#usePasskey(pairing) : undefined
  }

  async #usePasskey(pairing: StoredPairing): Promise<void> {
    const used = await useSandboxPasskey(this.#parts, pairing, this.#signal)
    if (!('assertion' in used)) return
    const { id, rawId, type, response } = used.assertion
    const brought = { assertion: { id, rawId, type, response }, compareCodes: false }
    await bringPasskey(this.#parts, pairing, brought, this.#signal)
  }
}
