import type { Connection } from '../wire/connection.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { DeviceKeys } from './device.ts'

/** A pairing by code that a client has begun for a number. */
export interface LinkCode {
  readonly jid: string
  readonly ref: Buffer
  readonly wrappedEphemeral: Buffer
  /** Told the client's last message, which proves that both know the code. */
  finish: ((stanza: BinaryNode) => void) | undefined
}

/** A client that shows a code and waits for a phone. */
export interface Pairing {
  readonly connection: Connection
  readonly refs: readonly string[]
  readonly keys: DeviceKeys
  linkCode: LinkCode | undefined
  /** Told the outcome when the client has signed, or is gone. */
  pending: { readonly accept: (reply: BinaryNode) => void; readonly refuse: (error: Error) => void } | undefined
}
