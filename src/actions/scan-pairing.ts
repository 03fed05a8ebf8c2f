import { invalid, sandboxNumberTaken, wrongState } from '../domain/errors.ts'
import { phoneJid } from '../domain/jid.ts'
import type { Store } from '../store/store.ts'
import type { StoredPairing } from '../store/pairings/pairings.ts'
import { shownOf } from './answer-pairing.ts'
import { type RequestDeps, sendSandboxRequest } from './send-request.ts'

/**
 * The sandbox's simulated phone scans the QR code that a pairing shows, or types its code. Resolves when the phone has
 * linked the device and the worker takes the number over, or when the platform asks for a passkey.
 */
export async function scanPairing(
  deps: RequestDeps & { store: Pick<Store, 'sessions'> },
  pairing: StoredPairing,
  signal?: AbortSignal,
): Promise<void> {
  const { platform, phone, status } = pairing
  const { qr, code } = shownOf(deps, pairing) ?? {}
  if (platform !== 'sandbox' || phone === null) throw invalid('id is not a pairing of a sandbox number', 'id')
  if (status !== 'waiting' || (qr ?? code) === undefined)
    throw wrongState(`the pairing shows no code now: it is ${status}`)
  await requireFree(deps.store, phone, pairing.accountId)
  const shown = { ...(qr !== undefined && { qr }), ...(code !== undefined && { code }) }
  await sendSandboxRequest(deps, { kind: 'link', phone, accountId: pairing.accountId, ...shown }, signal)
}

/** A sandbox number belongs to the account that created it, until that account deletes it. */
export async function requireFree(
  store: Pick<Store, 'sessions'>,
  phone: string,
  accountId: string,
): Promise<'free' | 'ours'> {
  const taken = await store.sessions.getSession(phoneJid(phone))
  if (taken !== undefined && taken.accountId !== accountId) throw sandboxNumberTaken()
  return taken === undefined ? 'free' : 'ours'
}
