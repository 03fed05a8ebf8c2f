import { lookUp } from './look-up.ts'
import type { User } from './world/person.ts'

/**
 * How a contact answers, told by the last digits of the number:
 * `absent` is not on the platform, `refused` is rejected by the server with 463, `silent` is never acknowledged,
 * `unread` receives but never reads, `ordinary` receives and reads.
 */
export type Behaviour = 'absent' | 'refused' | 'silent' | 'unread' | 'ordinary'

const BY_LAST_DIGITS: Readonly<Record<string, Behaviour>> = {
  '0404': 'absent',
  '0463': 'refused',
  '0503': 'silent',
  '0201': 'unread',
}

export function behaviourOfNumber(digits: string): Behaviour {
  return lookUp(BY_LAST_DIGITS, digits.slice(-4)) ?? 'ordinary'
}

/** A number with a linked device is somebody's own, and behaves like any real one. */
export function behaviourOf(user: User): Behaviour {
  return user.devices.size > 0 ? 'ordinary' : behaviourOfNumber(user.digits)
}

export const REFUSED_ERROR = 463
/** Long enough to be seen, short enough that nobody waits for it. */
export const REFUSED_RESTRICTS_MS = 2_000
