import type { Addressing } from './jid.ts'
import { getOwn } from './get-own.ts'
import type { User } from './world/person.ts'

/**
 * How a contact behaves. The last digits of its number decide:
 * `absent` is not on the platform, `refused` is rejected by the server with 463, `silent` is never acknowledged,
 * `unread` receives but never reads, `hidden` shows its number to no one and is found only by hidden identifier,
 * `unhidden` has no hidden identifier, `wary` accepts messages only with a token, `new` exceeds the number of new chats that the platform
 * allows (475), `business` has the profile and the catalogue of a shop, `ordinary` receives and reads.
 */
export type Behaviour =
  | 'absent'
  | 'refused'
  | 'silent'
  | 'unread'
  | 'hidden'
  | 'unhidden'
  | 'wary'
  | 'new'
  | 'business'
  | 'ordinary'

const BY_LAST_DIGITS: Readonly<Record<string, Behaviour>> = {
  '0404': 'absent',
  '0463': 'refused',
  '0503': 'silent',
  '0201': 'unread',
  '0461': 'hidden',
  '0462': 'unhidden',
  '0464': 'wary',
  '0475': 'new',
  '0480': 'business',
}

export function behaviourOfNumber(digits: string): Behaviour {
  return getOwn(BY_LAST_DIGITS, digits.slice(-4)) ?? 'ordinary'
}

/** A number with a linked device belongs to a client and behaves like an ordinary one, whatever its digits. */
export function behaviourOf(user: User): Behaviour {
  return user.devices.size > 0 ? 'ordinary' : behaviourOfNumber(user.digits)
}

/** Whether the platform names the person by hidden identifier. */
export const hasLid = (user: User): boolean => behaviourOf(user) !== 'unhidden'

/** How direct chats with a person name people. */
export const formOf = (user: User): Addressing => (hasLid(user) ? 'lid' : 'pn')

/** Whether the platform neither shows the person's number nor finds the person by it. */
export const isHidden = (user: User): boolean => behaviourOf(user) === 'hidden'

/** The addressing for a person: the wanted one, unless the number is hidden or there is no hidden identifier. */
export const nameableBy = (user: User, wanted: Addressing): Addressing =>
  isHidden(user) ? 'lid' : hasLid(user) ? wanted : 'pn'

const READS: ReadonlySet<Behaviour> = new Set(['ordinary', 'hidden', 'unhidden', 'wary', 'business'])

export const readsAtAll = (user: User): boolean => READS.has(behaviourOf(user))

export const REFUSED_ERROR = 463
export const QUOTA_ERROR = 475
/** Long enough that a client sees the restriction, short enough not to delay a test. */
export const REFUSED_RESTRICTS_MS = 2_000
