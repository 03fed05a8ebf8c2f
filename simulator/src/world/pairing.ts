import type { Connection } from '../wire/connection.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { DeviceKeys } from './device.ts'

/** A pairing by code that a client has begun for a number. */
export interface LinkCode {
  readonly jid: string
  readonly ref: Buffer
  readonly wrappedEphemeral: Buffer
  /** Since when it is good, in Unix milliseconds. */
  readonly sinceMs: number
  /** Told the client's last message, which proves that both know the code. */
  finish: ((stanza: BinaryNode) => void) | undefined
}

/** A number's passkey that a client has to bring the word of, once its code was scanned. */
export interface PasskeyCeremony {
  readonly digits: string
  /** What the phone shows to be compared; nothing before the client has told its nonce. */
  readonly code: string | undefined
  /** The client has proven that it showed the code that was scanned: nothing need be compared. */
  readonly isProven: boolean
  /** Whether the stanza was of the ceremony. */
  hear(stanza: BinaryNode): boolean
}

/** A client that shows a code and waits for a phone. */
export interface Pairing {
  readonly connection: Connection
  readonly refs: readonly string[]
  /** When it was given them, in Unix milliseconds: each is good for a while after the one before. */
  readonly sinceMs: number
  readonly keys: DeviceKeys
  linkCode: LinkCode | undefined
  passkey: PasskeyCeremony | undefined
  /** The last time that the client had to replace the secret of its codes; `confirmed` is told when it has. */
  refresh: { readonly id: string; isConfirmed: boolean; confirmed: (() => void) | undefined } | undefined
  /** Secrets that no phone takes any more. */
  readonly retired: Set<string>
  /** What goes wrong once in every pairing of the number, and has. */
  readonly habits: Set<string>
  /** Told the outcome when the client has signed, or is gone. */
  pending: { readonly accept: (reply: BinaryNode) => void; readonly refuse: (error: Error) => void } | undefined
}
