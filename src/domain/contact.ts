/** Parts of a profile that a person may hide. */
export const HIDDEN_PARTS = ['about', 'picture'] as const
export type HiddenPart = (typeof HIDDEN_PARTS)[number]

export const HOURS_MODES = ['specific_hours', 'open_24h', 'appointment_only'] as const

/** The opening hours of a business on one day; times are minutes after midnight. */
export interface OpenDay {
  day: string
  mode: (typeof HOURS_MODES)[number] | null
  opens: number | null
  closes: number | null
}

export interface BusinessProfile {
  /** The name that the platform has verified. */
  name: string | null
  description: string | null
  category: string | null
  address: string | null
  email: string | null
  websites: string[]
  hours: { timezone: string | null; days: OpenDay[] } | null
}

/** A person, as the platform shows them to one number. */
export interface Contact {
  /** The JID with the phone number if it is known, otherwise the hidden identifier. */
  jid: string
  lid: string | null
  phone: string | null
  /** The name that the person gave themselves, as of their last message to the number. */
  name: string | null
  about: string | null
  aboutSetAtMs: number | null
  /** The platform's name of the picture: another picture has another one. */
  pictureId: string | null
  business: BusinessProfile | null
  hidden: HiddenPart[]
}

/** What a number shows of itself. */
export type OwnProfile = Pick<Contact, 'jid' | 'name' | 'about' | 'aboutSetAtMs' | 'pictureId' | 'business'>

/** The longest texts that the platform's apps accept. */
export const MAX_NAME = 25
export const MAX_ABOUT = 139

export const PICTURE_SIZES = ['preview', 'full'] as const
export type PictureSize = (typeof PICTURE_SIZES)[number]

export interface Picture {
  id: string
  mimetype: string
  bytes: number
  /** Base64. */
  data: string
}

/** A person whom a number has blocked. */
export interface BlockedContact {
  jid: string
  phone: string | null
}

/** `unanswered`: the platform said nothing about this number. */
export const CHECK_OUTCOMES = ['found', 'not_found', 'invalid', 'unanswered'] as const
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number]

/** Whether one phone number is on the platform. */
export interface CheckedNumber {
  phone: string
  outcome: Exclude<CheckOutcome, 'invalid'>
  jid: string | null
}

/** How many more numbers may be checked before the budget of the day begins again. */
export interface CheckBudgetLeft {
  limit: number
  left: number
  resetsAtMs: number
}
