import type { Context } from '../context.ts'
import { invalid } from '../domain/errors.ts'
import type { StoredPairing } from '../store/units/pairings.ts'
import { callSimulator } from './call-simulator.ts'

/**
 * The sandbox's phone scans the QR code that a pairing shows, or is given the code that it shows. Resolves when that
 * phone has linked the device; the worker then takes the number over.
 */
export async function scanPairing(
  parts: Pick<Context, 'store' | 'seal'>,
  pairing: StoredPairing,
  signal?: AbortSignal,
): Promise<void> {
  const { id, platform, phone, status, step } = pairing
  if (platform !== 'sandbox' || phone === null) throw invalid('id is not a pairing of a sandbox number')
  if (status !== 'waiting' || step === null) throw invalid(`the pairing shows no code now: it is ${status}`)
  const shown = parts.seal.openJson<{ qr?: string; code?: string }>(step, `pairing:${id}`)
  await callSimulator(parts, { kind: 'link', phone, ...shown }, signal)
}
