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

/** What was addressed to a device and not acknowledged by it yet, in order. */
export interface Outbox {
  readonly entries: Map<string, BinaryNode>
  /** Keys of the entries by stanza id. */
  readonly byId: Map<string, string[]>
  next: number
  /** The last of what waited that was sent since the login; its key. */
  handedOut: string
  /** What the link was ended over; its key. */
  owed: string | undefined
  /** The link on which confirmations are waited for. */
  watched: Connection | undefined
}

/** A companion device that a phone has accepted, as the server keeps it. */
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
  /** Connected, and everything kept for it while it was away is on its way. */
  online: boolean
  /** The client says that its user looks at it; only then presence and typing are pushed. */
  available: boolean
  /** The contacts whose presence it wants: the JID it named, by digits. */
  readonly subscriptions: Map<string, string>
  /** Until when it is told of a channel's live updates, by the channel's JID. */
  readonly liveUpdates: Map<string, number>
}
