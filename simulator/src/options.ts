import type { Clock } from './clock.ts'
import type { SimulatorStorage } from './storage.ts'
import type { ServerKeys } from './wire/certificate.ts'
import type { Encode } from './wire/connection.ts'
import type { SimulatorLogger, Timing } from './world/network.ts'

/** Who reaches which part of the network. */
export interface Visit {
  /** `version`: the pages that name the newest version of the web client. */
  readonly to: 'chat' | 'media' | 'version'
  readonly address: string
}

/** How a simulator is started. */
export interface SimulatorOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** The same for media. */
  readonly mediaPort?: number
  /** Without a storage the state is lost when the simulator closes. */
  readonly storage?: SimulatorStorage
  /** The identity of the server if the storage has none; generated when absent. */
  readonly serverKeys?: ServerKeys
  /** Default: the system clock. */
  readonly clock?: Clock
  readonly timing?: Partial<Timing>
  readonly logger?: SimulatorLogger
  /** How many messages a phone holds; default 1,000. */
  readonly heldMessages?: number
  /** How many bytes all phones hold together; default 128 MB. */
  readonly heldBytes?: number
  /** A folder for files of more than 128 MB; without one they are checked and not kept, and no phone can open them. */
  readonly largeFiles?: string
  /** How many people the network remembers; default 20,000. */
  readonly maxContacts?: number
  /** Whether phones send keys and history to a device after linking; default true. */
  readonly historySync?: boolean
  /** Called with every connection to the chat server, and every request to the media server. */
  readonly onVisit?: (visit: Visit) => void
  /** Encodes stanzas; the default is the library's encoder, which cannot write everything that its decoder reads. */
  readonly encode?: Encode
}
