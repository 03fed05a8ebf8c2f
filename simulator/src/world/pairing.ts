import type { Connection } from '../wire/connection.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { DeviceKeys } from './device.ts'

/** A pairing by code that a client has begun for a number. */
export interface LinkCode {
  readonly jid: string
  readonly ref: Buffer
  readonly wrappedEphemeral: Buffer
  /** When the client received it, in Unix milliseconds. */
  readonly sinceMs: number
  /** Called with the client's last message, which proves that both sides know the code. */
  finish: ((stanza: BinaryNode) => void) | undefined
}

/** The steps by which a client presents the number's passkey after its code was scanned. */
export interface PasskeyCeremony {
  readonly digits: string
  /** The code on the phone for comparison; absent until the client has sent its nonce. */
  readonly code: string | undefined
  /** Whether the client has proven that it showed the scanned code, which makes a comparison unnecessary. */
  readonly isProven: boolean
  /** Returns whether the stanza belongs to the ceremony. */
  handle(stanza: BinaryNode): boolean
}

/** A client that shows a code and waits for a phone. */
export interface Pairing {
  readonly connection: Connection
  readonly refs: readonly string[]
  /** When the client received the references, in Unix milliseconds; they expire one after another. */
  readonly sinceMs: number
  readonly keys: DeviceKeys
  linkCode: LinkCode | undefined
  passkey: PasskeyCeremony | undefined
  /** The last request to replace the secret of the codes; `confirmed` is called when the client has. */
  refresh: { readonly id: string; isConfirmed: boolean; confirmed: (() => void) | undefined } | undefined
  /** Secrets that were replaced. */
  readonly retired: Set<string>
  /** Faults of the number's habits that have occurred in this pairing. */
  readonly habits: Set<string>
  /** Receives the outcome when the client has signed or disconnected. */
  pending: { readonly accept: (reply: BinaryNode) => void; readonly refuse: (error: Error) => void } | undefined
}
