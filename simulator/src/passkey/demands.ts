import { getOwn } from '../get-own.ts'

/**
 * Whether linking a number requires its passkey. `asked`: it does. `no_options`: it does, and the server sends the
 * options only on request. `hangs`: the server accepts the passkey and never responds.
 */
export type PasskeyDemand = 'none' | 'asked' | 'no_options' | 'hangs'

/** The digits spell "passkey" on a phone's keypad; the variants change the last digit. */
const BY_LAST_DIGITS: Readonly<Record<string, PasskeyDemand>> = {
  '7277539': 'asked',
  '7277530': 'hangs',
}

export function passkeyDemandOf(digits: string): PasskeyDemand {
  return getOwn(BY_LAST_DIGITS, digits.slice(-7)) ?? 'none'
}
