import type { Clock } from '../clock.ts'
import type { Journal } from '../journal.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { Sequence } from '../sequence.ts'
import type { Faults } from '../server/fault-plan.ts'
import type { Versions } from '../server/versions.ts'
import type { Shelf } from '../shelf.ts'
import type { ServerKeys } from '../wire/certificate.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { Channel } from './channel.ts'
import type { LinkedDevice } from './device.ts'
import type { Group } from './group.ts'
import type { Pairing } from './pairing.ts'
import type { User } from './person.ts'
import type { RetryRequests } from './retry-requests.ts'
import type { UnreadMessages } from './unread.ts'

/** Waits of the simulated world, in milliseconds. */
export interface Timing {
  /** From a message's arrival at the server to its ack. */
  readonly ackDelayMs: number
  /** From the ack to the receipt of the contact's device. */
  readonly receiptDelayMs: number
  /** From that receipt to reading. */
  readonly readDelayMs: number
  /** How long a device is sent a channel's live updates after it has asked for them. */
  readonly liveUpdatesMs: number
  /** From the first code of a client that is to be linked to the request that it replaces the secret of its codes. */
  readonly secretRefreshMs: number
  /** How long a device may leave a stanza without its confirmation; then its link is ended. */
  readonly confirmMs: number
}

/** A line for whoever watches. Never carries content or keys. */
export interface SimulatorLogger {
  debug(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
}

/** Everything the simulated server knows. */
export interface Network {
  readonly keys: ServerKeys
  readonly users: Map<string, User>
  readonly digitsByLid: Map<string, string>
  readonly groups: Map<string, Group>
  readonly channels: Map<string, Channel>
  readonly pairings: Set<Pairing>
  readonly journal: Journal
  readonly faults: Faults
  /** What a listed device did not get, or could not read. */
  readonly unread: UnreadMessages
  /** Messages that devices have asked for again. */
  readonly retries: RetryRequests
  readonly media: MediaStore
  readonly versions: Versions
  readonly clock: Clock
  readonly sequence: Sequence
  readonly timing: Timing
  readonly logger: SimulatorLogger | undefined
  /** How many messages a phone holds before the oldest is forgotten. */
  readonly heldMessages: number
  /** What all phones hold together. */
  readonly shelf: Shelf
  /** How many people there are before the oldest without a linked device is forgotten. */
  readonly maxContacts: number
  /** Whether a phone sends its history to a newly linked device. */
  readonly historySync: boolean
  /** Sees every stanza of logged-in devices, where somebody watches the wire. */
  onHeard?: ((device: LinkedDevice, stanza: BinaryNode) => void) | undefined
  /** Tells whoever waits for something that something has changed. */
  changed(): void
  /** Runs later, unless the simulator is closed before. Without a delay it runs at once. */
  later(delayMs: number, task: () => void): void
}
