import type { LinkedDevice, PairingRequest, PairingStep } from '../../platform.ts'
import type { ClientVersions } from '../version/client-versions.ts'
import { PairingAttempt, type PairingDeps } from './attempt.ts'
import { CodeBackoff } from './code-backoff.ts'

const RETRY_MS = [2_000, 4_000, 8_000, 15_000, 30_000]

/** Links a new device. Expired codes are renewed until the phone accepts or the signal aborts. */
export async function pair(
  deps: PairingDeps,
  request: PairingRequest,
  onStep: (step: PairingStep) => void,
  signal: AbortSignal,
): Promise<LinkedDevice> {
  const run = { request, onStep, codeBackoff: new CodeBackoff() }
  for (let failures = 0; ; ) {
    signal.throwIfAborted()
    const { revision } = deps.versions.current
    const attempt = new PairingAttempt(deps, run)
    const linked = await attempt.outcome(signal)
    if (linked) return linked
    if (attempt.isOutdated) {
      await waitForNewerVersion(deps.versions, revision, onStep, signal)
      continue
    }
    // Expired codes are replaced immediately, so that there is always one to scan.
    failures = attempt.isUsedUp ? 0 : failures + 1
    await deps.clock.sleep(waitMs(failures), signal)
  }
}

/** The platform gives no codes to a version that it no longer accepts. */
async function waitForNewerVersion(
  versions: ClientVersions,
  revision: number,
  onStep: (step: PairingStep) => void,
  signal: AbortSignal,
): Promise<void> {
  if (await versions.findNewer(revision)) return
  onStep({ kind: 'trouble', why: versions.whyRefused })
  await versions.waitForNewer(revision, signal)
}

const waitMs = (failures: number): number => (failures === 0 ? 0 : RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]!)
