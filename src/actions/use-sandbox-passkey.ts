import { invalid, wrongState } from '../domain/errors.ts'
import type { PasskeyAssertion } from '../domain/passkey.ts'
import type { StoredPairing } from '../store/pairings/pairings.ts'
import { shownOf } from './answer-pairing.ts'
import { type RequestDeps, sendSandboxRequest } from './send-request.ts'

/** What a real owner would provide for a sandbox number: the assertion of its passkey, or the code that its phone shows. */
export type SandboxPasskey = { assertion: PasskeyAssertion } | { code: string }

/** The sandbox's software key signs the challenge of a pairing. The caller passes the assertion on. */
export async function useSandboxPasskey(
  deps: RequestDeps,
  pairing: StoredPairing,
  signal?: AbortSignal,
): Promise<SandboxPasskey> {
  const { platform, phone, status } = pairing
  if (platform !== 'sandbox' || phone === null) throw invalid('id is not a pairing of a sandbox number', 'id')
  if (status === 'confirm')
    return await sendSandboxRequest<{ code: string }>(deps, { kind: 'passkey_code', phone }, signal)
  const challenge = shownOf(deps, pairing)?.passkey?.options.challenge
  if (challenge === undefined) throw wrongState(`the pairing requires no passkey now: it is ${status}`)
  const assertion = await sendSandboxRequest<PasskeyAssertion>(deps, { kind: 'passkey', phone, challenge }, signal)
  return { assertion }
}
