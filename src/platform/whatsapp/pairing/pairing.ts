import type { LinkedDevice, PairingRequest, PairingStep } from '../../platform.ts'
import { PairingAttempt, type PairingParts } from './attempt.ts'

const RETRY_MS = 2_000

/** Links a new device. Codes run out and are renewed until the phone accepts or the signal ends it. */
export async function pair(
  parts: PairingParts,
  request: PairingRequest,
  onStep: (step: PairingStep) => void,
  signal: AbortSignal,
): Promise<LinkedDevice> {
  for (;;) {
    signal.throwIfAborted()
    const linked = await new PairingAttempt(parts, request, onStep).outcome(signal)
    if (linked) return linked
    await parts.clock.sleep(RETRY_MS, signal)
  }
}
