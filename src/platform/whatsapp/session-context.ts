import type { Clock } from '../../runtime/clock.ts'
import type { ExpiringMap } from '../../runtime/expiring-map.ts'
import type { DeviceStorage, SessionCallbacks } from '../platform.ts'
import type { HeavyWork } from './engine/heavy-work.ts'
import type { MediaRoute } from './engine/socket-config.ts'
import { linkDown } from './errors.ts'
import type { Connection } from './link/connection.ts'
import type { Link } from './link/link.ts'
import type { Recipients } from './recipients/recipients.ts'
import type { FollowedChannels } from './remembered/followed-channels.ts'
import type { Groups } from './remembered/groups.ts'
import type { Lids } from './remembered/lids.ts'
import type { MediaHosts } from './remembered/media-hosts.ts'
import type { RememberedSet } from './remembered/remembered-set.ts'
import type { Tokens } from './remembered/tokens.ts'
import type { GuardedDownload } from './to-message/fetch-media.ts'

/** What the commands and interpretations of one session share. */
export interface SessionContext {
  sessionId: string
  clock: Clock
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  storage: DeviceStorage
  callbacks: SessionCallbacks
  link: Link
  lids: Lids
  groups: Pick<Groups, 'find' | 'forget'>
  recipients: Recipients
  tokens: Tokens
  /** The name that a direct chat went by when it was last heard or written to, by the name that customers know. */
  chatNames: ExpiringMap<string>
  /** People this number has written to: who sees its status posts. */
  readers: RememberedSet
  /** Contacts whose presence was asked for. */
  subscriptions: RememberedSet
  /** Whether this number manages a channel, as far as that was asked. */
  managedChannels: ExpiringMap<boolean>
  /** Channels of which the platform did not say, a moment ago, who manages them. */
  untoldChannels: ExpiringMap<false>
  channels: FollowedChannels
  /** Whether a call that is on has a picture: only its offer tells. */
  videoCalls: ExpiringMap<boolean>
  /** How often somebody was asked in vain, lately, to put up a file again that was gone. */
  missingFiles: ExpiringMap<number>
  /** Calls that are being rejected, and whether it worked. */
  rejections: ExpiringMap<Promise<boolean>>
  /** How often callers were written to, lately, that calls are not taken. */
  autoReplies: ExpiringMap<number>
  /** Callers whose number the platform was asked for, lately. */
  askedCallers: ExpiringMap<true>
  download: GuardedDownload
  mediaRoute: MediaRoute
  mediaHosts: Pick<MediaHosts, 'others'>
  ackTimeoutMs: number
}

export function openConnection(context: Pick<SessionContext, 'link'>): Connection {
  const connection = context.link.current()
  if (!connection) throw linkDown()
  return connection
}
