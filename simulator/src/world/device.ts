import type { DeviceAddress } from '../jid.ts'
import type { Connection } from '../wire/connection.ts'
import type { BinaryNode } from '../wire/node.ts'

export interface PublicPreKey {
  readonly id: number
  readonly publicKey: Buffer
}

export interface DeviceKeys {
  readonly noiseKey: Buffer
  readonly identityKey: Buffer
  readonly registrationId: number
  readonly signedPreKey: PublicPreKey & { readonly signature: Buffer }
}

/** Stanzas for a device that it has not confirmed, in order. */
export interface Outbox {
  readonly entries: Map<string, BinaryNode>
  /** Keys of the entries by stanza id. */
  readonly byId: Map<string, string[]>
  next: number
  /** Key of the last waiting stanza that was sent since the login. */
  lastSent: string
  /** Key of the stanza over whose missing confirmation the link was closed. */
  unconfirmed: string | undefined
  /** The link on which a timer waits for confirmations. */
  watched: Connection | undefined
}

/** A client that is linked to a number, in the form that the server stores. */
export interface LinkedDevice extends DeviceAddress {
  readonly noiseKey: Buffer
  readonly identityKey: Buffer
  readonly keyIndex: number
  registrationId: number
  signedPreKey: DeviceKeys['signedPreKey']
  preKeys: PublicPreKey[]
  /** Whether the phone has sent this device its history. */
  greeted: boolean
  readonly outbox: Outbox
  connection: Connection | undefined
  /** Connected, and all waiting stanzas are sent. */
  online: boolean
  /**
   * Whether the client says that it is in use; only then does the server send presence and typing. `undefined` before
   * it says so.
   */
  available: boolean | undefined
  /** The JIDs under which it has subscribed to the presence of contacts, by digits. */
  readonly subscriptions: Map<string, string>
  /** Until when it receives live updates, by the channel's JID. */
  readonly liveUpdates: Map<string, number>
}
