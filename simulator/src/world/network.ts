import type { Clock } from '../clock.ts'
import type { Judgements } from '../grammar/judgements.ts'
import type { Journal } from '../journal.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { DistinctTimes, Sequence } from '../sequence.ts'
import type { Faults } from '../server/fault-plan.ts'
import type { Versions } from '../server/versions.ts'
import type { MemoryBudget } from '../memory-budget.ts'
import type { ServerKeys } from '../wire/certificate.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { Order } from './catalogue.ts'
import type { Channel } from './channel.ts'
import type { LinkedDevice } from './device.ts'
import type { Group } from './group.ts'
import type { Pairing } from './pairing.ts'
import type { User } from './person.ts'
import type { RetryRequests } from './retry-requests.ts'
import type { UnreadMessages } from './unread.ts'

/** Delays of the simulated world, in milliseconds. */
export interface Timing {
  /** From a message's arrival at the server to its ack. */
  readonly ackDelayMs: number
  /** From the ack to the receipt of the contact's device. */
  readonly receiptDelayMs: number
  /** From that receipt to reading. */
  readonly readDelayMs: number
  /** How long a device receives a channel's live updates after it has requested them. */
  readonly liveUpdatesMs: number
  /** From the start of a pairing to the request to replace the secret of its codes. */
  readonly secretRefreshMs: number
  /** How long a device may leave a stanza unconfirmed before the server closes its link. */
  readonly confirmMs: number
}

/** The simulator never logs content or keys. */
export interface SimulatorLogger {
  debug(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
}

/** The state of the simulated server. */
export interface Network {
  readonly keys: ServerKeys
  readonly users: Map<string, User>
  readonly digitsByLid: Map<string, string>
  readonly groups: Map<string, Group>
  readonly channels: Map<string, Channel>
  /** By their ids. */
  readonly orders: Map<string, Order>
  readonly pairings: Set<Pairing>
  readonly journal: Journal
  readonly faults: Faults
  /** How the stanzas of the clients differ from those of the web client. */
  readonly judgements: Judgements
  /** Messages that a listed device did not get, or could not read. */
  readonly unread: UnreadMessages
  /** Messages that devices have requested again. */
  readonly retries: RetryRequests
  readonly media: MediaStore
  readonly versions: Versions
  readonly clock: Clock
  readonly sequence: Sequence
  /** When phones sent and received each message. */
  readonly messageTimes: DistinctTimes
  readonly timing: Timing
  readonly logger: SimulatorLogger | undefined
  /** How many messages a phone holds before the oldest is forgotten. */
  readonly heldMessages: number
  /** The limit of all messages that phones hold together. */
  readonly memory: MemoryBudget
  /** How many people the network remembers before it forgets the oldest without a linked device. */
  readonly maxContacts: number
  /** Whether a phone sends its history to a device after linking. */
  readonly historySync: boolean
  /** Called with every stanza of logged-in devices. */
  onReceived?: ((device: LinkedDevice, stanza: BinaryNode) => void) | undefined
  /** Wakes the callers that wait for a change. */
  changed(): void
  /** Runs the task after the delay, unless the simulator is closed before; synchronously without a delay. */
  later(delayMs: number, task: () => void): void
}
