import type { Product, ProductCollection } from './catalogue.ts'

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
  readonly products?: readonly Product[]
  readonly collections?: readonly ProductCollection[]
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

/** The profile of a contact that is a business by its number. */
export const SHOP_PROFILE: Profile = {
  ...EMPTY_PROFILE,
  about: 'Open every day',
  business: {
    name: 'Example Shop',
    description: 'Tea and cups',
    category: 'Shopping & retail',
    products: [
      { id: '1001', name: 'Green tea', price: 4_500, currency: 'EUR', retailerId: 'tea-green' },
      { id: '1002', name: 'Black tea', price: 3_900, currency: 'EUR', retailerId: 'tea-black' },
      { id: '1003', name: 'Cup', description: 'Holds 250 ml', price: 12_000, currency: 'EUR', retailerId: 'cup' },
    ],
    collections: [{ id: '2001', name: 'Tea', products: ['1001', '1002'] }],
  },
}
