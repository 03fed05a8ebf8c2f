import { createSecureContext } from 'node:tls'
import type { TargetPolicy } from './address-guard.ts'
import type { ConnectOptions } from './connect.ts'
import { type Download, type DownloadRequest, download } from './download.ts'
import type { PostRequest } from './exchange.ts'
import { createOrigins } from './origins.ts'
import { type Answer, post } from './post.ts'
import { createLookup, type NameResolver } from './resolve.ts'

export interface OutboundOptions {
  /** The deadline of a whole exchange, unless a download names its own; also of opening one connection. */
  readonly timeoutMs: number
  readonly connectionsPerOrigin?: number
  readonly maxIdleOrigins?: number
  /** How long a connection is used for new requests; below the minute within which a name's change must count. */
  readonly socketMaxAgeMs?: number
  readonly dnsBudgetMs?: number
  readonly resolver?: NameResolver
  /** Certificate authorities (PEM) instead of the system's. */
  readonly certificateAuthorities?: readonly string[]
}

/** The door to addresses that customers chose. Only a download whose signal is aborted rejects. */
export interface Outbound {
  post(request: PostRequest): Promise<Answer>
  /** Fetches content as a stream, over a connection of its own. */
  download(request: DownloadRequest): Promise<Download>
  /** Ends everything at once. */
  close(): Promise<void>
}

// 64 KB of answer, its headers and its framing.
const MAX_ANSWER_BYTES = 65_536 + 32_768

export function createOutbound(policy: TargetPolicy, options: OutboundOptions): Outbound {
  const { timeoutMs, resolver } = options
  const connect: ConnectOptions = {
    policy,
    timeoutMs,
    lookup: createLookup({ budgetMs: options.dnsBudgetMs ?? 5_000, ...(resolver && { resolver }) }),
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(options.certificateAuthorities && { ca: [...options.certificateAuthorities] }),
    }),
    maxAnswerBytes: MAX_ANSWER_BYTES,
  }
  const origins = createOrigins({
    ...connect,
    connectionsPerOrigin: options.connectionsPerOrigin ?? 32,
    maxIdleOrigins: options.maxIdleOrigins ?? 512,
    socketMaxAgeMs: options.socketMaxAgeMs ?? 55_000,
  })
  const context = { policy, origins, timeoutMs }
  return {
    post: request => post(context, request),
    download: request => download(connect, request),
    close: origins.close,
  }
}
