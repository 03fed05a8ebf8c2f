/** Who sees something of a number. `contacts_except`: all contacts but those that the owner has chosen on the phone. */
const AUDIENCES = ['all', 'contacts', 'contacts_except', 'none'] as const

/** The settings of a number that say who may see or do what, with the values that each can have. */
export const PRIVACY = {
  last_seen: AUDIENCES,
  online: ['all', 'match_last_seen'],
  picture: AUDIENCES,
  about: AUDIENCES,
  read_receipts: ['all', 'none'],
  group_add: ['all', 'contacts', 'contacts_except'],
  call_add: ['all', 'known'],
  messages: ['all', 'contacts'],
} as const satisfies Record<string, readonly string[]>

export type PrivacyName = keyof typeof PRIVACY

export const PRIVACY_NAMES = Object.keys(PRIVACY) as PrivacyName[]

/** Only the phone can choose whom a setting leaves out. */
export const isSettable = (value: string): boolean => value !== 'contacts_except'

/** A setting that the platform does not name has no value. */
export type PrivacySettings = Record<PrivacyName, string | null>
