import { GatewayError } from '../../domain/errors.ts'
import type { OpenPairingStatus, ShownCode } from '../../domain/pairing.ts'
import { makeToken } from '../../domain/token.ts'
import { PairingRefused, type PairingStep } from '../../platform/platform.ts'

export interface ShownStep {
  status: OpenPairingStatus
  code: ShownCode | null
  /** Until when the code is valid; without a code, when the next one is requested. */
  expiresAt: number | null
  /** A person may take longer than a phone: the pairing lasts at least until then. */
  lastsUntil: number | null
  /** Why no code can be shown for now. */
  error: string | null
  /** False while the host waits for the phone or the platform. */
  isAtWork: boolean
}

const NOTHING = { code: null, expiresAt: null, lastsUntil: null, error: null, isAtWork: false }

/** What a client that watches a pairing sees after this step. */
export function shownBy(step: PairingStep, makeTicket: () => string = makeToken): ShownStep {
  switch (step.kind) {
    case 'qr':
      return { ...NOTHING, status: 'waiting', code: { qr: step.qr }, expiresAt: step.expiresAtMs }
    case 'code':
      return { ...NOTHING, status: 'waiting', code: { code: step.code }, expiresAt: step.expiresAtMs }
    case 'scanned':
      return { ...NOTHING, status: 'scanned', isAtWork: true }
    case 'renewing':
      return { ...NOTHING, status: 'pending' }
    case 'passkey': {
      const passkey = { options: step.options, ticket: makeTicket() }
      return { ...NOTHING, status: 'passkey', code: { passkey }, ...untilAfter(step.expiresAtMs) }
    }
    case 'confirm':
      return { ...NOTHING, status: 'confirm', code: { code: step.code }, ...untilAfter(step.expiresAtMs) }
    case 'trouble':
      return { ...NOTHING, status: 'pending', error: step.why, expiresAt: step.retryAtMs ?? null }
    default: {
      const never: never = step
      return never
    }
  }
}

/** The steps after a person's last possible response take some time too. */
const AFTER_MS = 120_000
const untilAfter = (expiresAt: number) => ({ expiresAt, lastsUntil: expiresAt + AFTER_MS })

const NOT_LINKED =
  'the device could not be linked: pair again, and remove it from the phone’s devices if it is listed there'

/** How a pairing ends without a number. The client sees only texts that were written for clients. */
export function endAfter(error: unknown, isReleased: boolean): { status: 'expired' | 'failed'; error: string | null } {
  const shown = error instanceof GatewayError ? error.detail : error instanceof PairingRefused ? error.message : null
  return isReleased ? { status: 'expired', error: shown } : { status: 'failed', error: shown ?? NOT_LINKED }
}
