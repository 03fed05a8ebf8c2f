import { getOwn } from '../look-up.ts'

/**
 * Whether a number can be linked only with its passkey. `asked`: it can. `no_options`: the server says so and what it
 * wants only when it is asked. `hangs`: it takes the passkey and never says another word.
 */
export type PasskeyDemand = 'none' | 'asked' | 'no_options' | 'hangs'

/** As the keys of a phone spell "passkey", and the same with the last key changed. */
const BY_LAST_DIGITS: Readonly<Record<string, PasskeyDemand>> = {
  '7277539': 'asked',
  '7277530': 'hangs',
}

export function passkeyDemandOf(digits: string): PasskeyDemand {
  return getOwn(BY_LAST_DIGITS, digits.slice(-7)) ?? 'none'
}
