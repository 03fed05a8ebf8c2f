import { Agent as HttpsAgent } from 'node:https'
import { DEFAULT_CONNECTION_CONFIG, proto, type SocketConfig } from 'baileys'
import { Agent as Dispatcher } from 'undici'
import type { WhatsAppNetwork } from './library.ts'

type Fixed = Pick<
  SocketConfig,
  | 'waWebSocketUrl'
  | 'logger'
  | 'keepAliveIntervalMs'
  | 'markOnlineOnConnect'
  | 'syncFullHistory'
  | 'emitOwnEvents'
  | 'shouldSyncHistoryMessage'
  | 'retryRequestDelayMs'
  | 'defaultQueryTimeoutMs'
  | 'transactionOpts'
  | 'enableRecentMessageCache'
  | 'options'
> & { fetchAgent?: HttpsAgent }

/** The library takes silence for an empty answer: one that took this long is none. */
export const QUERY_TIMEOUT_MS = 20_000

/** How media reach their server: the sandbox has an authority of its own, which nothing else trusts. */
export interface MediaRoute {
  /** The first that a received file is asked from, with its port where that is not the usual one. */
  host: string
  /** Whether one that the platform names may be asked too. */
  isOurs(host: string): boolean
  upload?: HttpsAgent
  download?: Dispatcher
  /** How long a received file may take, every try of it together: its chat waits for it. */
  timeoutMs: number
  /** How long the sender's phone may take of that, to put up again a file that is gone. */
  reuploadMs: number
}

const MEDIA_HOST = 'mmg.whatsapp.net'
const MEDIA_HOSTS = /^[a-z0-9.-]+\.whatsapp\.net$/

export function mediaRouteOf(network: WhatsAppNetwork, timeoutMs: number): MediaRoute {
  const times = { timeoutMs, reuploadMs: Math.round(timeoutMs / 10) }
  if (network.kind === 'whatsapp') return { host: MEDIA_HOST, isOurs: host => MEDIA_HOSTS.test(host), ...times }
  return {
    host: network.mediaHost,
    // Whoever is not the sandbox has no certificate of its authority.
    isOurs: () => true,
    ...times,
    upload: new HttpsAgent({ ca: network.mediaCa, keepAlive: true }),
    download: new Dispatcher({ connect: { ca: network.mediaCa } }),
  }
}

const silent: SocketConfig['logger'] = {
  level: 'silent',
  child: () => silent,
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
}

/** What every connection has in common. The library's log holds keys and content, so it goes nowhere. */
export function baseConfig(network: WhatsAppNetwork, route: MediaRoute, keepAliveIntervalMs: number): Fixed {
  return {
    waWebSocketUrl: network.kind === 'sandbox' ? network.url : DEFAULT_CONNECTION_CONFIG.waWebSocketUrl,
    logger: silent,
    keepAliveIntervalMs,
    // The session goes online by itself: the library does not where the number has no name yet.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    emitOwnEvents: false,
    // The mappings of hidden identifiers come with the history; the rest of it is not looked at.
    shouldSyncHistoryMessage: ({ syncType }) => syncType !== proto.HistorySync.HistorySyncType.FULL,
    // Others write what cannot be read: a pause after each would be a pause of the number.
    retryRequestDelayMs: 0,
    defaultQueryTimeoutMs: QUERY_TIMEOUT_MS,
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 10 },
    enableRecentMessageCache: true,
    // The library hands `dispatcher` on to fetch.
    options: (route.download ? { dispatcher: route.download } : {}) as RequestInit,
    ...(route.upload && { fetchAgent: route.upload }),
  }
}
