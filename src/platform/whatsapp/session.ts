import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, type SignalKeyStore } from 'baileys'
import { jidKind } from '../../domain/jid.ts'
import type { Clock } from '../../runtime/clock.ts'
import { ExpiringMap } from '../../runtime/expiring-map.ts'
import type { Semaphore } from '../../runtime/semaphore.ts'
import type { DeviceRef, DeviceStorage, LinkChange, PlatformSession, SessionCallbacks } from '../platform.ts'
import { SharedSettings } from './app-state/shared-settings.ts'
import { takeCall } from './commands/calls.ts'
import { execute } from './commands/execute.ts'
import { queryNewChats, queryRestriction } from './commands/send-and-await-ack.ts'
import { type DeviceState, loadDeviceState } from './device/device-state.ts'
import { createKeyStore } from './device/key-store.ts'
import type { HeavyWork } from './engine/heavy-work.ts'
import type { WhatsAppNetwork } from './engine/library.ts'
import { createLibraryCache } from './engine/library-cache.ts'
import { baseConfig, type Route } from './engine/socket-config.ts'
import { Appearance } from './link/appearance.ts'
import type { Backoff } from './link/backoff.ts'
import type { Connection } from './link/connection.ts'
import { FailingSends } from './link/failing-sends.ts'
import { ReconnectingLink, type Link } from './link/link.ts'
import { accountLimitOf } from './received/account-limits.ts'
import { OwedConfirmations } from './received/owed.ts'
import { unlinkDevice } from './pairing/unlink.ts'
import { RetryAnswers, type RetryAnswersDeps } from './recipients/retry-answers.ts'
import { CheckBudget } from './remembered/check-budget.ts'
import { ContactNames } from './remembered/contact-names.ts'
import { CreatedGroups } from './remembered/created-groups.ts'
import { Expirations } from './remembered/expirations.ts'
import { FollowedChannels } from './remembered/followed-channels.ts'
import { Groups } from './remembered/groups.ts'
import { Lids } from './remembered/lids.ts'
import { MediaHosts } from './remembered/media-hosts.ts'
import { RememberedSet } from './remembered/remembered-set.ts'
import { StatusAudiences } from './remembered/status-audiences.ts'
import { Tokens } from './remembered/tokens.ts'
import type { SessionContext } from './session-context.ts'
import { interpret, interpretNow } from './to-event/interpret.ts'
import { isAmong, isInChat } from './to-event/people.ts'
import type { Recorder } from '#recorder/recorder'
import type { DownloadFor } from './to-message/fetch-media.ts'
import type { ClientVersions } from './version/client-versions.ts'
import { DeviceLists } from './recipients/device-lists.ts'
import { GroupKeys } from './recipients/group-keys.ts'
import { Recipients } from './recipients/recipients.ts'
import { ownDevices } from './wire/own-names.ts'

export interface SessionOptions {
  clock: Clock
  heavyWork: HeavyWork
  suspects: Semaphore
  network: WhatsAppNetwork
  versions: ClientVersions
  route: Route
  download: DownloadFor
  ffmpeg: string | null
  ackTimeoutMs: number
  checksPerDay: number
  prepareTimeoutMs: number
  keepAliveIntervalMs: number
  stanzaTimeoutMs: number
  openTimeoutMs: number
  answerTimeoutMs: number
  backoff: Backoff
  recorder: Recorder | undefined
}

const HOUR_MS = 3_600_000

export function openSession(
  device: DeviceRef,
  storage: DeviceStorage,
  callbacks: SessionCallbacks,
  options: SessionOptions,
): PlatformSession {
  const { clock, backoff, versions, network, route, keepAliveIntervalMs, recorder } = options
  const memory = createMemory(storage, callbacks, options, () => link)
  const { groups, groupKeys, lids, recipients, appearance, caches } = memory
  const config = { ...baseConfig(network, route, keepAliveIntervalMs), ...caches, recorder }
  const link = new ReconnectingLink({
    clock,
    backoff,
    versions,
    notBeforeMs: device.notBeforeMs ?? 0,
    acquireLoginSlot: async signal => (await callbacks.acquireLoginSlot?.(signal)) ?? (() => {}),
    load: async hooks => {
      const state = await loadDeviceState(storage, hooks)
      // The lists may have names and sessions that were learned before and could not be written.
      recipients.forgetAll()
      return state
    },
    connection: {
      ...options,
      config,
      storage,
      groups,
      groupKeys,
      lids,
      recipients,
      appearance,
      owed: new OwedConfirmations(),
    },
  })
  const context = createContext(device, storage, callbacks, options, link, memory)
  const retries = createRetryAnswers(context)
  link.keep({
    onLink: change => callbacks.onLink(withProxy(change, route)),
    onOpen: connection => void resume(context, connection),
    onCall: (connection, stanza) => takeCall(context, connection, stanza),
    onRetry: (connection, stanza) => retries.answer(connection, stanza),
    onUnexpectedAck: (id, ack) => retries.noteAck(id, ack),
    onSettingsKey: connection => context.settings.refresh(connection),
    onNotification: stanza => {
      const connection = link.current()
      if (connection && stanza.attrs.type === 'server_sync') context.settings.announced(connection, stanza)
      forgetChangedGroup(groups, stanza)
      void rememberNewNumber(lids, stanza).catch(() => {})
      recipients.onNotification(stanza)
      context.channels.onNotification(stanza)
      noteAccountLimit(context, stanza)
    },
    onDropped: callbacks.onDropped,
    onFlag: callbacks.onFlag,
  })
  return {
    execute: (command, signal) => execute(context, command, signal),
    interpret: (item, signal) => interpret(context, item, signal),
    interpretNow: item => interpretNow(context, item),
    refreshSettings: () => {
      appearance.refresh()
      context.settings.followingChanged()
    },
    unlink: () => unlinkDevice(link),
    close: async () => {
      appearance.end()
      await link.close()
      route.close()
    },
  }
}

/** A connection that was lost on the way through a proxy may be the proxy's fault. */
function withProxy(change: LinkChange, { proxyName }: Route): LinkChange {
  if (proxyName === undefined || change.state !== 'closed' || change.kind !== 'lost') return change
  return { ...change, reason: `${change.reason}, through the proxy ${proxyName}` }
}

/** A contact has another number from now on, and keeps the hidden identifier or gets another one. */
async function rememberNewNumber(lids: Lids, stanza: BinaryNode): Promise<void> {
  const change = stanza.attrs.type === 'contacts' ? getBinaryNodeChild(stanza, 'modify') : undefined
  if (change) await lids.remember(change.attrs.new, change.attrs.new_lid, 'number_change')
}

/** Interprets received items from the storage alone: what only the platform could provide is left out. */
export function readOffline(
  device: DeviceRef,
  storage: DeviceStorage,
  options: SessionOptions,
): Pick<PlatformSession, 'interpret'> {
  const link: Link = { current: () => undefined, isOver: () => true, state: () => undefined }
  const callbacks: SessionCallbacks = {
    onLink: () => {},
    onDropped: () => {},
    onRestricted: () => {},
    isRestricted: () => false,
    onNewChatCap: () => {},
    onRefused: () => {},
    onSendsFailing: () => {},
    onFlag: () => {},
    autoReject: () => null,
    addressing: () => 'auto',
    onAddressed: () => {},
    appearsOnline: () => false,
    followsChats: () => false,
  }
  const memory = createMemory(storage, callbacks, options, () => link)
  const context = createContext(device, storage, callbacks, options, link, memory)
  return { interpret: (item, signal) => interpret(context, item, signal) }
}

type Memory = ReturnType<typeof createMemory>

/** What a session knows of people and groups. It outlives connections; the link is created after it. */
function createMemory(
  storage: DeviceStorage,
  callbacks: SessionCallbacks,
  { clock, heavyWork }: SessionOptions,
  link: () => Link,
) {
  // Inbox items are interpreted also while there is no link; what is learned then is not stored.
  const readOnly = createKeyStore(storage, { add: () => {}, uncommitted: () => undefined })
  const keys = (): SignalKeyStore => {
    const state = link().state()
    return state && !state.changes.hasEnded() ? state.auth.keys : readOnly
  }
  const state = (): DeviceState | undefined => link().state()
  const groups = new Groups({ ms: HOUR_MS, clock })
  const lids = new Lids(keys, clock)
  const caches = createCaches(clock)
  const lists = new DeviceLists(caches.userDevicesCache)
  const groupKeys = new GroupKeys({
    keys,
    lids,
    changed: () => state()?.changed,
    ownDevices: () => ownDevices(state()?.auth.creds ?? {}),
  })
  const recipients = new Recipients({ lists, groups, groupKeys, heavyWork, lids, state })
  const subscriptions = new RememberedSet('postern-subscriptions', keys)
  const appearance = new Appearance({ clock, link, isWanted: () => callbacks.appearsOnline(), subscriptions })
  return { keys, groups, lids, caches, groupKeys, recipients, subscriptions, appearance }
}

function createContext(
  device: DeviceRef,
  storage: DeviceStorage,
  callbacks: SessionCallbacks,
  options: SessionOptions,
  link: Link,
  { keys, groups, lids, recipients, subscriptions, appearance }: Memory,
): SessionContext {
  const { clock, heavyWork, download, route, ackTimeoutMs, prepareTimeoutMs } = options
  const hour = { ms: HOUR_MS, clock }
  const managedChannels = new ExpiringMap<boolean>(500, hour)
  const context: SessionContext = {
    sessionId: device.sessionId,
    turn: { owner: device.owner ?? device.sessionId, number: device.sessionId },
    clock,
    heavyWork,
    storage,
    callbacks,
    link,
    groups,
    lids,
    recipients,
    createdGroups: new CreatedGroups(keys, clock),
    createdChannels: new CreatedGroups(keys, clock, 'postern-created-channels'),
    contactNames: new ContactNames(keys),
    checkBudget: new CheckBudget(keys, clock, options.checksPerDay),
    expirations: new Expirations(keys),
    settings: new SharedSettings(() => context, keys),
    correctedNumbers: new ExpiringMap(1_000, { ms: 24 * HOUR_MS, clock }),
    chatNames: new ExpiringMap(1_000),
    tokens: new Tokens(keys, clock),
    readers: new RememberedSet('postern-readers', keys),
    statusAudiences: new StatusAudiences(keys, clock),
    subscriptions,
    appearance,
    failingSends: new FailingSends(callbacks.onSendsFailing),
    managedChannels,
    unansweredChannels: new ExpiringMap(500, { ms: HOUR_MS / 6, clock }),
    channels: new FollowedChannels({
      remembered: new RememberedSet('postern-channels', keys),
      managed: managedChannels,
      connection: () => link.current(),
    }),
    videoCalls: new ExpiringMap(100),
    missingFiles: new ExpiringMap(1_000, { ms: HOUR_MS / 6, clock }),
    ringing: new ExpiringMap(100, { ms: HOUR_MS / 30, clock }),
    rejections: new ExpiringMap(100),
    autoReplies: new ExpiringMap(1_000, hour),
    queriedCallers: new ExpiringMap(1_000, hour),
    fileFetches: new Map(),
    download: request => download(request, device.sessionId),
    route,
    mediaRoute: route.media,
    ffmpeg: options.ffmpeg,
    mediaHosts: new MediaHosts({ clock, route: route.media, connection: () => link.current() }),
    ackTimeoutMs,
    prepareTimeoutMs,
  }
  return context
}

function createRetryAnswers(context: SessionContext): RetryAnswers {
  const { clock, heavyWork, storage, lids, recipients, groups, tokens, callbacks } = context
  const age = { ms: HOUR_MS, clock }
  const isTheirs: RetryAnswersDeps['isInChat'] = async (sock, chat, device) => {
    const names = await lids.namesOf(device)
    // The answer includes the group's key, which people who have left must not get.
    if (jidKind(chat) === 'group') return isAmong((await groups.find(sock, chat)).participants, names)
    return names.includes(context.sessionId) || (await isInChat(context, chat, names, { ifUnknown: false }))
  }
  return new RetryAnswers({
    clock,
    heavyWork,
    storage,
    lids,
    recipients,
    tokens,
    isInChat: isTheirs,
    age,
    onDropped: callbacks.onDropped,
  })
}

/** Renews what ends with each connection. */
async function resume(context: SessionContext, connection: Connection): Promise<void> {
  try {
    await context.appearance.announce(connection)
    await context.channels.resume(connection)
    context.settings.refresh(connection)
    // It may have been lifted while the number was offline.
    if (context.callbacks.isRestricted()) await queryRestriction(context, connection)
    await queryNewChats(context, connection)
  } catch {
    connection.end({ kind: 'lost', reason: 'the connection was lost while going online' })
  }
}

function noteAccountLimit({ callbacks, clock }: SessionContext, stanza: BinaryNode): void {
  const limit = accountLimitOf(stanza, clock.now().getTime())
  if (limit?.kind === 'restriction') callbacks.onRestricted(limit.restriction)
  if (limit?.kind === 'new_chats') callbacks.onNewChatCap(limit.cap)
}

function forgetChangedGroup(groups: Groups, stanza: BinaryNode): void {
  const { type, from } = stanza.attrs
  if (type !== 'w:gp2') return
  // Several groups have changed while the number was offline.
  const dirty = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'groups_dirty'), 'group').map(({ attrs }) => attrs.jid)
  for (const jid of [from, ...dirty]) if (jid !== undefined) groups.forget(jid)
}

/** Shared by all connections of a session, so that a reconnect need not query everything again. */
function createCaches(clock: Clock) {
  const hour = { ms: HOUR_MS, clock }
  return {
    msgRetryCounterCache: createLibraryCache(1_000, hour),
    userDevicesCache: createLibraryCache(5_000, hour),
    callOfferCache: createLibraryCache(100, hour),
    placeholderResendCache: createLibraryCache(1_000, hour),
  }
}
