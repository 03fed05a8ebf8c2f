import type { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { DEFAULT_CONNECTION_CONFIG, proto, type SocketConfig } from 'baileys'
import { Agent as Dispatcher } from 'undici'
import type { ProxyTest } from '../../../domain/proxy.ts'
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
  | 'agent'
> & { fetchAgent?: HttpsAgent }

/** The library returns undefined for a query that took this long. */
const QUERY_TIMEOUT_MS = 20_000

/** How media reach their server: the sandbox has a separate certificate authority, which nothing else trusts. */
export interface MediaRoute {
  /** The first server for received files, with its port unless that is 443. */
  host: string
  /** Whether a host that the platform names may be used. */
  isOurs(host: string): boolean
  upload?: HttpsAgent
  download?: Dispatcher
  /** How long the download of a received file may take, all attempts together: its chat waits for it. */
  timeoutMs: number
  /** How much of that the number's phone may take to upload a missing file again. */
  reuploadMs: number
}

/** How all connections of a number reach the network: directly, or through its proxy and never without it. */
export interface Route {
  readonly media: MediaRoute
  /** For the WebSocket. */
  readonly agent: HttpAgent | undefined
  /** The proxy without its credentials. */
  readonly proxyName: string | undefined
  /** Reaches the platform through the proxy; `undefined` without one. */
  test(signal: AbortSignal): Promise<ProxyTest | undefined>
  close(): void
}

export const directRoute = (media: MediaRoute): Route => ({
  media,
  agent: undefined,
  proxyName: undefined,
  test: async () => undefined,
  close: () => {},
})

const MEDIA_HOST = 'mmg.whatsapp.net'
const MEDIA_HOSTS = /^[a-z0-9.-]+\.whatsapp\.net$/

export function mediaRouteOf(network: WhatsAppNetwork, timeoutMs: number): MediaRoute {
  const times = { timeoutMs, reuploadMs: Math.round(timeoutMs / 10) }
  if (network.kind === 'whatsapp') return { host: MEDIA_HOST, isOurs: host => MEDIA_HOSTS.test(host), ...times }
  return {
    host: network.mediaHost,
    // Only the sandbox has a certificate of its authority.
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

/** The configuration of every connection. The library logs keys and content, so its log is discarded. */
export function baseConfig(
  network: WhatsAppNetwork,
  { media, agent }: Pick<Route, 'media' | 'agent'>,
  keepAliveIntervalMs: number,
): Fixed {
  return {
    waWebSocketUrl: network.kind === 'sandbox' ? network.url : DEFAULT_CONNECTION_CONFIG.waWebSocketUrl,
    logger: silent,
    keepAliveIntervalMs,
    // The session goes online explicitly: the library does not if the number has no name yet.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    emitOwnEvents: false,
    // The history brings the mappings of hidden identifiers; the rest of it is ignored.
    shouldSyncHistoryMessage: ({ syncType }) => syncType !== proto.HistorySync.HistorySyncType.FULL,
    // A delay after each message that cannot be decrypted would let any sender slow down the number.
    retryRequestDelayMs: 0,
    defaultQueryTimeoutMs: QUERY_TIMEOUT_MS,
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 10 },
    enableRecentMessageCache: true,
    // The library passes `dispatcher` on to fetch.
    options: (media.download ? { dispatcher: media.download } : {}) as RequestInit,
    ...(media.upload && { fetchAgent: media.upload }),
    ...(agent && { agent: agent as HttpsAgent }),
  }
}
