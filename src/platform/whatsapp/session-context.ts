import type { BinaryNode } from 'baileys'
import type { ChatChange } from '../../domain/chat.ts'
import type { FetchOutcome } from '../../domain/command.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ExpiringMap } from '../../runtime/expiring-map.ts'
import type { DeviceStorage, SessionCallbacks } from '../platform.ts'
import type { CollectionName } from './app-state/collection.ts'
import type { Setting } from './app-state/records.ts'
import type { HeavyWork } from './engine/heavy-work.ts'
import type { MediaRoute, Route } from './engine/socket-config.ts'
import { linkDown } from './errors.ts'
import type { Appearance } from './link/appearance.ts'
import type { Connection } from './link/connection.ts'
import type { FailingSends } from './link/failing-sends.ts'
import type { Link } from './link/link.ts'
import type { Recipients } from './recipients/recipients.ts'
import type { CheckBudget } from './remembered/check-budget.ts'
import type { ContactNames } from './remembered/contact-names.ts'
import type { CreatedGroups } from './remembered/created-groups.ts'
import type { Expirations } from './remembered/expirations.ts'
import type { FollowedChannels } from './remembered/followed-channels.ts'
import type { Groups } from './remembered/groups.ts'
import type { Lids } from './remembered/lids.ts'
import type { MediaHosts } from './remembered/media-hosts.ts'
import type { RememberedSet } from './remembered/remembered-set.ts'
import type { StatusAudiences } from './remembered/status-audiences.ts'
import type { Tokens } from './remembered/tokens.ts'
import type { GuardedDownload } from './to-message/fetch-media.ts'
import type { Turn } from './to-message/examine-media.ts'

/** The settings that the devices of the number share. */
export interface Settings {
  refresh(connection: Connection): void
  followingChanged(): void
  announced(connection: Connection, stanza: BinaryNode): void
  change(connection: Connection, name: CollectionName, settings: readonly Setting[], chats: ChatChange[]): Promise<void>
  nameInUse(
    name: CollectionName,
    jids: readonly string[],
    index: (jid: string) => readonly string[],
  ): Promise<string | undefined>
}

/** What the commands and interpretations of one session share. */
export interface SessionContext {
  sessionId: string
  /** The account and the number, which take turns where files are examined and converted. */
  turn: Turn
  clock: Clock
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  storage: DeviceStorage
  callbacks: SessionCallbacks
  link: Link
  lids: Lids
  groups: Pick<Groups, 'find' | 'findSparingly' | 'forget' | 'forgetList' | 'list'>
  createdGroups: CreatedGroups
  createdChannels: CreatedGroups
  contactNames: ContactNames
  checkBudget: CheckBudget
  recipients: Recipients
  tokens: Tokens
  expirations: Expirations
  settings: Settings
  /** Numbers that people gave in a form that the platform corrects, with the real JID. */
  correctedNumbers: ExpiringMap<string>
  /** The name that the last message in a direct chat used, by the chat's JID in the API. */
  chatNames: ExpiringMap<string>
  /** People this number has written to: they see its status posts. */
  readers: RememberedSet
  statusAudiences: StatusAudiences
  /** Contacts whose presence is subscribed to. */
  subscriptions: RememberedSet
  appearance: Appearance
  failingSends: FailingSends
  /** Whether this number manages a channel, if the platform was queried for it. */
  managedChannels: ExpiringMap<boolean>
  /** Channels for which the platform did not answer, within the last ten minutes, who manages them. */
  unansweredChannels: ExpiringMap<false>
  channels: FollowedChannels
  /** Whether a running call has video: only its offer says so. */
  videoCalls: ExpiringMap<boolean>
  /** How many requests to a sender to upload a missing file again have failed in the last ten minutes. */
  missingFiles: ExpiringMap<number>
  /** Calls that ring, or may still. */
  ringing: ExpiringMap<{ id: string; creator: string }>
  /** Calls that are being rejected, and whether the rejection succeeded. */
  rejections: ExpiringMap<Promise<boolean>>
  /** How many automatic replies a caller got in the last hour. */
  autoReplies: ExpiringMap<number>
  /** Callers whose number was queried in the last hour. */
  queriedCallers: ExpiringMap<true>
  /** Received files that customers asked for and that are being fetched, by id. */
  fileFetches: Map<string, Promise<FetchOutcome>>
  download: GuardedDownload
  route: Pick<Route, 'test'>
  mediaRoute: MediaRoute
  /** The path of ffmpeg, which converts sounds and films; `null` if it is not installed. */
  ffmpeg: string | null
  mediaHosts: Pick<MediaHosts, 'others'>
  ackTimeoutMs: number
  /** How long an attempt may take to write its message. */
  prepareTimeoutMs: number
}

export function openConnection(context: Pick<SessionContext, 'link'>): Connection {
  const connection = context.link.current()
  if (!connection) throw linkDown()
  return connection
}
