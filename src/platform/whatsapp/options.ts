import type { Clock } from '../../runtime/clock.ts'
import type { Semaphore } from '../../runtime/semaphore.ts'
import type { WhatsAppNetwork } from './engine/library.ts'
import type { Backoff } from './link/backoff.ts'
import type { DownloadFor } from './to-message/fetch-media.ts'
import type { ClientVersions } from './version/client-versions.ts'

export interface WhatsAppOptions {
  clock: Clock
  network: WhatsAppNetwork
  /** Fetches media from addresses that customers chose: `download` of an Outbound with room for 64 MB. */
  download: DownloadFor
  /** How long a send waits for the platform's ack (POSTERN_ACK_TIMEOUT). */
  ackTimeoutMs: number
  /** Numbers that have a passkey may be linked with it (POSTERN_PASSKEY); unless it is said, those of the sandbox may. */
  passkey?: boolean
  /** How often the link is tried; a dead one is found within three times that. */
  keepAliveIntervalMs?: number
  /** How long the library may take over one received message before the link is ended. */
  stanzaTimeoutMs?: number
  openTimeoutMs?: number
  /** How long the platform's first word may take. */
  answerTimeoutMs?: number
  /** How long a received file may take, every try of it together; its message is told without it then. */
  mediaTimeoutMs?: number
  backoff?: Backoff
  /** Lets one message at a time through that may have ended a process; shared with the host, which does the same with its items. */
  suspects?: Semaphore
  /** Where the shapes of stanzas are written down (POSTERN_RECORD), and who hears of each new file. */
  record?: { folder: string; onFile(session: string, path: string): void }
  /** As which version of the web client it logs in. Left out: what the sandbox's page says, of the real platform the built-in one. */
  versions?: ClientVersions
}
