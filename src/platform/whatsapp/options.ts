import type { Clock } from '../../runtime/clock.ts'
import type { Semaphore } from '../../runtime/semaphore.ts'
import type { OpenTunnel } from '../../net/proxy.ts'
import type { WhatsAppNetwork } from './engine/library.ts'
import type { Backoff } from './link/backoff.ts'
import type { DownloadFor } from './to-message/fetch-media.ts'
import type { ClientVersions } from './version/client-versions.ts'

export interface WhatsAppOptions {
  clock: Clock
  network: WhatsAppNetwork
  /** Fetches media from addresses that customers chose: `download` of an Outbound with room for 64 MB. */
  download: DownloadFor
  /** The path of ffmpeg, which converts sounds and films (POSTERN_FFMPEG); by default there is none. */
  ffmpeg?: string | null
  /** Opens the connections of numbers that have a proxy; without it such a number cannot be opened. */
  openTunnel?: OpenTunnel
  /** How long a send waits for the platform's ack (POSTERN_ACK_TIMEOUT). */
  ackTimeoutMs: number
  /** How many phone numbers one number may check in a day (POSTERN_CHECKS_PER_DAY). */
  checksPerDay?: number
  /**
   * How long an attempt may take before its message is written, besides its media: device lists, keys, encryption. The
   * next attempt continues with what is prepared.
   */
  prepareTimeoutMs?: number
  /** Numbers that have a passkey may be linked with it (POSTERN_PASSKEY); by default only those of the sandbox. */
  passkey?: boolean
  /** How long nothing may arrive before the platform is pinged; it then has two fifths of this time, or 5 s, to answer. */
  keepAliveIntervalMs?: number
  /** How long the library may take over one received message before the link is ended. */
  stanzaTimeoutMs?: number
  openTimeoutMs?: number
  /** How long the platform's first frame may take. */
  answerTimeoutMs?: number
  /**
   * How long the download of a received file may take, all attempts together; then its message is delivered without it.
   */
  mediaTimeoutMs?: number
  backoff?: Backoff
  /** Admits one message at a time that may have ended a process. The host shares it, and does the same with its items. */
  suspects?: Semaphore
  /** The folder for recorded stanza shapes (POSTERN_RECORD), and a callback for each new file. */
  record?: { folder: string; onFile(session: string, path: string): void }
  /**
   * The versions of the web client to log in with. By default the sandbox's own, and the built-in one for the real
   * platform.
   */
  versions?: ClientVersions
}
