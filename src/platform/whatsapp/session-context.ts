import type { GroupMetadata } from 'baileys'
import type { BoundedCache } from './bounded-cache.ts'
import type { DeviceStorage, SessionCallbacks } from '../platform.ts'
import type { Connection } from './link/connection.ts'
import { linkDown } from './errors.ts'
import type { FollowedChannels } from './remembered/followed-channels.ts'
import type { Lids } from './remembered/lids.ts'
import type { Link } from './link/link.ts'
import type { RememberedSet } from './remembered/remembered-set.ts'
import type { MediaRoute } from './engine/socket-config.ts'
import type { GuardedDownload } from './to-message/fetch-media.ts'

/** What the commands and interpretations of one session share. */
export interface SessionContext {
  sessionId: string
  storage: DeviceStorage
  callbacks: SessionCallbacks
  link: Link
  lids: Lids
  /** People this number has written to: who sees its status posts. */
  readers: RememberedSet
  /** Contacts whose presence was asked for. */
  subscriptions: RememberedSet
  /** Whether this number manages a channel, as far as that was asked. */
  managedChannels: BoundedCache<boolean>
  channels: FollowedChannels
  /** The members of a group, from memory or from the platform. */
  groupOf(connection: Connection, jid: string): Promise<GroupMetadata>
  /** Whether a call that is on has a picture: only its offer tells. */
  videoCalls: BoundedCache<boolean>
  /** How often somebody was asked in vain, lately, to put up a file again that was gone. */
  missingFiles: BoundedCache<number>
  /** Calls that are being rejected, and whether it worked. */
  rejections: BoundedCache<Promise<boolean>>
  download: GuardedDownload
  mediaRoute: MediaRoute
  ackTimeoutMs: number
}

export function openConnection(context: Pick<SessionContext, 'link'>): Connection {
  const connection = context.link.current()
  if (!connection) throw linkDown()
  return connection
}
