import type { GroupMetadata } from 'baileys'
import type { DeviceRef, DeviceStorage, PlatformSession, SessionCallbacks } from '../platform.ts'
import { createKeyStore } from './device/auth-state.ts'
import { rejectIfWanted } from './commands/auto-reject.ts'
import { createBoundedCache, createLibraryCache } from './bounded-cache.ts'
import { subscribe } from './commands/calls.ts'
import { execute } from './commands/execute.ts'
import type { Connection } from './link/connection.ts'
import { loadDeviceState } from './device/device-state.ts'
import { createFollowedChannels } from './remembered/followed-channels.ts'
import { goOnline } from './link/go-online.ts'
import type { WhatsAppNetwork } from './engine/library.ts'
import { createLids } from './remembered/lids.ts'
import { type Backoff, keepLinked } from './link/link.ts'
import { createRememberedSet } from './remembered/remembered-set.ts'
import type { SessionContext } from './session-context.ts'
import { baseConfig, type MediaRoute } from './engine/socket-config.ts'
import { interpret } from './to-event/interpret.ts'
import type { GuardedDownload } from './to-message/fetch-media.ts'
import { unlinkDevice } from './pairing/unlink.ts'

export interface SessionOptions {
  network: WhatsAppNetwork
  mediaRoute: MediaRoute
  download: GuardedDownload
  ackTimeoutMs: number
  keepAliveIntervalMs: number
  stanzaTimeoutMs: number
  openTimeoutMs: number
  backoff: Backoff
}

const HOUR_MS = 3_600_000

export function openSession(
  device: DeviceRef,
  storage: DeviceStorage,
  callbacks: SessionCallbacks,
  options: SessionOptions,
): PlatformSession {
  const groups = createBoundedCache<GroupMetadata>(200, HOUR_MS)
  const link = keepLinked({
    backoff: options.backoff,
    load: hooks => loadDeviceState(storage, hooks),
    onLink: callbacks.onLink,
    onOpen: connection => void resume(context, connection),
    around: {
      config: { ...baseConfig(options.network, options.mediaRoute, options.keepAliveIntervalMs), ...libraryCaches() },
      storage,
      groups: { get: groups.get, set: groups.set },
      stanzaTimeoutMs: options.stanzaTimeoutMs,
      openTimeoutMs: options.openTimeoutMs,
      onCall: (connection, stanza) => rejectIfWanted(context, connection, stanza),
      onNotification: stanza => {
        const { attrs } = stanza
        if (attrs.type === 'w:gp2' && attrs.from !== undefined) groups.delete(attrs.from)
        context.channels.notice(stanza)
      },
      onDropped: callbacks.onDropped,
      onRestricted: callbacks.onRestricted,
    },
  })
  const context = createContext(device, storage, callbacks, options, link, groups)
  return {
    execute: (command, signal) => execute(context, command, signal),
    interpret: (item, signal) => interpret(context, item, signal),
    unlink: () => unlinkDevice(link),
    close: link.close,
  }
}

/** What was received is understood from the storage alone: what only the platform could tell is left out. */
export function readOffline(
  device: DeviceRef,
  storage: DeviceStorage,
  options: SessionOptions,
): Pick<PlatformSession, 'interpret'> {
  const link = { current: () => undefined, isOver: () => true, state: () => undefined, close: async () => {} }
  const groups = createBoundedCache<GroupMetadata>(1)
  const callbacks: SessionCallbacks = {
    onLink: () => {},
    onDropped: () => {},
    onRestricted: () => {},
    autoReject: () => null,
  }
  const context = createContext(device, storage, callbacks, options, link, groups)
  return { interpret: (item, signal) => interpret(context, item, signal) }
}

function createContext(
  device: DeviceRef,
  storage: DeviceStorage,
  callbacks: SessionCallbacks,
  options: SessionOptions,
  link: SessionContext['link'],
  groups: { get(jid: string): GroupMetadata | undefined; set(jid: string, group: GroupMetadata): void },
): SessionContext {
  // Items of the inbox are read also while there is no link; what is learned then is not kept.
  const readOnly = createKeyStore(storage, { append: () => {}, buffered: () => undefined })
  const keys = () => {
    const state = link.state()
    return state && !state.journal.hasEnded() ? state.auth.keys : readOnly
  }
  const managedChannels = createBoundedCache<boolean>(500, HOUR_MS)
  return {
    sessionId: device.sessionId,
    storage,
    callbacks,
    link,
    lids: createLids(keys),
    readers: createRememberedSet('postern-readers', keys),
    subscriptions: createRememberedSet('postern-subscriptions', keys),
    managedChannels,
    channels: createFollowedChannels({
      remembered: createRememberedSet('postern-channels', keys),
      managed: managedChannels,
      connection: link.current,
    }),
    videoCalls: createBoundedCache(100),
    missingFiles: createBoundedCache(1_000, HOUR_MS / 6),
    rejections: createBoundedCache(100),
    async groupOf({ sock }, jid) {
      const known = groups.get(jid) ?? (await sock.groupMetadata(jid))
      groups.set(jid, known)
      return known
    },
    download: options.download,
    mediaRoute: options.mediaRoute,
    ackTimeoutMs: options.ackTimeoutMs,
  }
}

/** A new connection knows nothing of what was asked for on the last one. */
async function resume(context: SessionContext, connection: Connection): Promise<void> {
  try {
    await goOnline(connection)
    await subscribe(connection, await context.subscriptions.all())
    await context.channels.resume(connection)
  } catch {
    connection.end({ kind: 'lost', reason: 'the connection was lost while going online' })
  }
}

/** Shared by all connections of a session: a reconnect does not ask again for everything. */
function libraryCaches() {
  return {
    msgRetryCounterCache: createLibraryCache(1_000, HOUR_MS),
    userDevicesCache: createLibraryCache(5_000, HOUR_MS),
    callOfferCache: createLibraryCache(100, HOUR_MS),
    placeholderResendCache: createLibraryCache(1_000, HOUR_MS),
  }
}
