/** What a business tells its customers. */
export interface Business {
  /** The name that the platform has verified. */
  readonly name: string
  readonly description?: string
  readonly category?: string
  readonly address?: string
  readonly email?: string
  readonly websites?: readonly string[]
  readonly hours?: {
    readonly timezone: string
    /** Times are minutes of the day. */
    readonly days: readonly {
      readonly day: string
      readonly mode: 'specific_hours' | 'open_24h' | 'appointment_only'
      readonly opens?: number
      readonly closes?: number
    }[]
  }
}

export type ProfilePart = 'about' | 'picture'

/** What a person shows of themselves. */
export interface Profile {
  readonly about: string
  /** When it was written, in Unix seconds. */
  readonly aboutAt: number
  /** The path of the picture among the media, and the number by which the platform names it. */
  readonly picture?: { readonly id: string; readonly path: string } | undefined
  readonly business?: Business
  /** What the person shows to nobody. */
  readonly hides: ReadonlySet<ProfilePart>
}

export const EMPTY_PROFILE: Profile = { about: '', aboutAt: 0, hides: new Set() }
