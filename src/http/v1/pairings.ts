import type { StoredPairing } from '../../store/units/pairings.ts'
import type { Parts } from '../parts.ts'
import { iso } from '../schemas.ts'

/** What a pairing's caller is to do now: a code that renews itself, or how it ended. */
export function showPairing({ seal }: Pick<Parts, 'seal'>, pairing: StoredPairing) {
  const step = pairing.step && seal.openJson<{ qr?: string; code?: string }>(pairing.step, `pairing:${pairing.id}`)
  return {
    id: pairing.id,
    status: pairing.status,
    ...step,
    ...(pairing.sessionId === null ? {} : { session_id: pairing.sessionId }),
    ...(pairing.error === null ? {} : { error: pairing.error }),
    expires_at: iso(step === null ? pairing.expiresAt : (pairing.stepExpiresAt ?? pairing.expiresAt)),
  }
}
