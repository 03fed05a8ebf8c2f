import type { PhoneKeys } from './phone-keys.ts'

/**
 * How a device that is listed and gone shows when its keys are asked for: with an error of its own, by not being
 * mentioned, or by an error for everybody who was asked for with it.
 */
export type Gone = 'error' | 'omitted' | 'whole'

/** A device that a contact has linked beside the phone: a computer, or a service that answers for a company. */
export interface Companion {
  readonly id: number
  /** Runs at the platform, and is no member of any group. */
  readonly isHosted: boolean
  gone: Gone | undefined
  /** Made when they are needed. */
  keys: PhoneKeys | undefined
  /** The last messages that it has read, by id. */
  readonly read: Set<string>
}
