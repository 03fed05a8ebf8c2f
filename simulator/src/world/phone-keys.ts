import type { KeyPair } from '../signal/curve.ts'
import type { OwnSenderKey, RemoteSenderKey } from '../signal/sender-key.ts'
import type { LocalIdentity, Session } from '../signal/session.ts'

/** The private keys and sessions of a phone. */
export interface PhoneKeys {
  readonly local: LocalIdentity
  readonly signedPreKey: { readonly id: number; readonly pair: KeyPair; readonly signature: Buffer }
  /** Published and not used yet. */
  readonly preKeys: Map<number, KeyPair>
  /** By device, newest session first. */
  readonly sessions: Map<string, readonly Session[]>
  /** By chat and device, newest key first. */
  readonly remoteSenderKeys: Map<string, readonly RemoteSenderKey[]>
  readonly ownSenderKeys: Map<string, SharedSenderKey>
}

/** A phone, or a companion, whose `digits` are the number and the device. */
export interface KeyHolder {
  readonly digits: string
  readonly keys: PhoneKeys
}

/** The phone's own key of a group, and the devices that have received it. */
export interface SharedSenderKey {
  readonly key: OwnSenderKey
  readonly sharedWith: ReadonlySet<string>
}
