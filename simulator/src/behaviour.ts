import type { Addressing } from './jid.ts'
import { getOwn } from './look-up.ts'
import type { User } from './world/person.ts'

/**
 * How a contact answers, told by the last digits of the number:
 * `absent` is not on the platform, `refused` is rejected by the server with 463, `silent` is never acknowledged,
 * `unread` receives but never reads, `hidden` shows nobody a number and is found by hidden identifier alone,
 * `unhidden` has no hidden identifier, `wary` hears only who has a token, `new` is one chat more than the platform
 * allows (475), `ordinary` receives and reads.
 */
export type Behaviour = 'absent' | 'refused' | 'silent' | 'unread' | 'hidden' | 'unhidden' | 'wary' | 'new' | 'ordinary'

const BY_LAST_DIGITS: Readonly<Record<string, Behaviour>> = {
  '0404': 'absent',
  '0463': 'refused',
  '0503': 'silent',
  '0201': 'unread',
  '0461': 'hidden',
  '0462': 'unhidden',
  '0464': 'wary',
  '0475': 'new',
}

export function behaviourOfNumber(digits: string): Behaviour {
  return getOwn(BY_LAST_DIGITS, digits.slice(-4)) ?? 'ordinary'
}

/** A number with a linked device is somebody's own, and behaves like any real one. */
export function behaviourOf(user: User): Behaviour {
  return user.devices.size > 0 ? 'ordinary' : behaviourOfNumber(user.digits)
}

/** Whether the platform names the person by hidden identifier. */
export const hasLid = (user: User): boolean => behaviourOf(user) !== 'unhidden'

/** How direct chats with a person name people. */
export const formOf = (user: User): Addressing => (hasLid(user) ? 'lid' : 'pn')

/** Whether nobody is told the person's number, nor finds the person by it. */
export const isHidden = (user: User): boolean => behaviourOf(user) === 'hidden'

/** How a person is named who could be named either way: not by a number that nobody is shown, nor by what is not there. */
export const nameableBy = (user: User, wanted: Addressing): Addressing =>
  isHidden(user) ? 'lid' : hasLid(user) ? wanted : 'pn'

const READS: ReadonlySet<Behaviour> = new Set(['ordinary', 'hidden', 'unhidden', 'wary'])

export const readsAtAll = (user: User): boolean => READS.has(behaviourOf(user))

export const REFUSED_ERROR = 463
export const QUOTA_ERROR = 475
/** Long enough to be seen, short enough that nobody waits for it. */
export const REFUSED_RESTRICTS_MS = 2_000
