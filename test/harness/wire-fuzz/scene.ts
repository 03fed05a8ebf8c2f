import type { Random } from './random.ts'
import type { Wire } from './wire.ts'

/** The context of a hostile message: its sender and receiver, and what the sender knows of others. */
export interface Scene {
  readonly random: Random
  readonly wire: Wire
  /** A fresh id. */
  readonly id: string
  /** A group of which number and contact are members. */
  readonly group: string
  /** A group of which neither is a member. */
  readonly foreignGroup: string
  /** Ids of messages that others have sent to the number. */
  readonly ids: readonly string[]
  /** Ids of messages that the number has sent to this contact. */
  readonly sentIds: readonly string[]
  /** Other people, some of whom write to the number. */
  readonly others: ReadonlyArray<{ readonly jid: string; readonly lid: string }>
}
