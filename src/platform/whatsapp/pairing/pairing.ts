import type { LinkedDevice, PairingRequest, PairingStep } from '../../platform.ts'
import { PairingAttempt, type PairingParts } from './attempt.ts'
import { CodePatience } from './code-patience.ts'

const RETRY_MS = [2_000, 4_000, 8_000, 15_000, 30_000]

/** Links a new device. Codes run out and are renewed until the phone accepts or the signal ends it. */
export async function pair(
  parts: PairingParts,
  request: PairingRequest,
  onStep: (step: PairingStep) => void,
  signal: AbortSignal,
): Promise<LinkedDevice> {
  const wish = { request, onStep, patience: new CodePatience() }
  for (let failures = 0; ; ) {
    signal.throwIfAborted()
    const attempt = new PairingAttempt(parts, wish)
    const linked = await attempt.outcome(signal)
    if (linked) return linked
    // Codes that ran out are followed by others at once, so that one can be scanned.
    failures = attempt.isUsedUp ? 0 : failures + 1
    await parts.clock.sleep(waitMs(failures), signal)
  }
}

const waitMs = (failures: number): number => (failures === 0 ? 0 : RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]!)
