import { assertionFlaw } from '../domain/assertion-flaw.ts'
import { invalid, wrongState } from '../domain/errors.ts'
import type { PairingStatus, ShownCode } from '../domain/pairing.ts'
import type { PasskeyAssertion } from '../domain/passkey.ts'
import { aboutPairing } from '../domain/sealed.ts'
import type { StoredPairing } from '../store/pairings/pairings.ts'
import { type RequestDeps, sendPairingAnswer } from './send-request.ts'

/** The steps after a passkey was accepted: submitting it again changes nothing. */
const AFTER_PASSKEY: readonly PairingStatus[] = ['confirm', 'scanned', 'linked']
const AFTER_CONFIRM: readonly PairingStatus[] = ['scanned', 'linked']

/** Passes on the assertion of the number's passkey. Resolves when the platform has accepted it. */
export async function submitPasskey(
  deps: RequestDeps,
  pairing: StoredPairing,
  submitted: { assertion: PasskeyAssertion; compareCodes: boolean },
  signal?: AbortSignal,
): Promise<void> {
  if (AFTER_PASSKEY.includes(pairing.status)) return
  const options = shownOf(deps, pairing)?.passkey?.options
  if (pairing.status !== 'passkey' || options === undefined)
    throw wrongState(`the pairing requires no passkey now: it is ${pairing.status}`)
  const flaw = assertionFlaw(submitted.assertion, options)
  if (flaw !== undefined) throw invalid(flaw, 'response')
  await sendPairingAnswer(deps, pairing.id, { kind: 'passkey', ...submitted }, signal)
}

/** Passes on a person's confirmation that the phone and the caller show the same code. */
export async function confirmCode(deps: RequestDeps, pairing: StoredPairing, signal?: AbortSignal): Promise<void> {
  if (AFTER_CONFIRM.includes(pairing.status)) return
  if (pairing.status !== 'confirm')
    throw wrongState(`the pairing shows no code to compare now: it is ${pairing.status}`)
  await sendPairingAnswer(deps, pairing.id, { kind: 'confirm' }, signal)
}

/** Requests another code to type. Resolves when it is shown, and rejects with the reason if there is none. */
export async function renewCode(deps: RequestDeps, pairing: StoredPairing, signal?: AbortSignal): Promise<void> {
  if (pairing.method !== 'code') throw invalid('id is not a pairing by code: its QR code renews automatically', 'id')
  if (pairing.status !== 'waiting') throw wrongState(`the pairing shows no code now: it is ${pairing.status}`)
  await sendPairingAnswer(deps, pairing.id, { kind: 'new_code' }, signal)
}

/** What the pairing shows to its caller now. */
export function shownOf({ seal }: Pick<RequestDeps, 'seal'>, { id, step }: StoredPairing): ShownCode | null {
  return step && seal.openJson<ShownCode>(step, aboutPairing(id))
}
