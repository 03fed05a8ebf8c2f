import type { PhoneKeys } from './phone-keys.ts'

/**
 * How the server answers a query for the keys of a device that is listed but removed: with an error for this device,
 * by omitting it, or with an error for the whole query.
 */
export type Gone = 'error' | 'omitted' | 'whole'

/** A device that a contact has linked to the phone: a computer, or a company's hosted service. */
export interface Companion {
  readonly id: number
  /** Whether the platform hosts it; such a device is in no group. */
  readonly isHosted: boolean
  gone: Gone | undefined
  /** Created when needed. */
  keys: PhoneKeys | undefined
  /** The last messages that it has read, by id. */
  readonly read: Set<string>
}
