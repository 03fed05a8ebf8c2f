import type { Clock } from './clock.ts'
import type { SimulatorStorage } from './storage.ts'
import type { ServerKeys } from './wire/certificate.ts'
import type { Encode } from './wire/connection.ts'
import type { SimulatorLogger, Timing } from './world/network.ts'

/** How a simulator is started. */
export interface SimulatorOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 0: a free one. */
  readonly port?: number
  /** The same for media. */
  readonly mediaPort?: number
  /** Without it everything is forgotten at the end. */
  readonly storage?: SimulatorStorage
  /** The identity of a network that has none saved; a new one when absent. */
  readonly serverKeys?: ServerKeys
  /** The system's when absent. */
  readonly clock?: Clock
  readonly timing?: Partial<Timing>
  readonly logger?: SimulatorLogger
  /** How many messages a phone holds; default 1,000. */
  readonly heldMessages?: number
  /** How many bytes all phones hold together; default 128 MB. */
  readonly heldBytes?: number
  /** How many people there are; default 20,000. */
  readonly maxContacts?: number
  /** Whether phones send keys and history to newly linked devices; default true. */
  readonly historySync?: boolean
  /** How stanzas are written; default as the library does, which cannot write all that can be read. */
  readonly encode?: Encode
}
