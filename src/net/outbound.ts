import { createSecureContext } from 'node:tls'
import type { Clock } from '../runtime/clock.ts'
import type { TargetPolicy } from './address-guard.ts'
import type { ConnectOptions } from './connect.ts'
import { download } from './download.ts'
import type { PostRequest } from './exchange.ts'
import type { Download, DownloadRequest } from './fetch.ts'
import { Origins } from './origins.ts'
import { type Answer, post } from './post.ts'
import { createLookup, type NameResolver } from './resolve.ts'
import { AllowedTargets } from './allowed-targets.ts'

export interface OutboundOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** The deadline of a whole exchange, unless a download names its own; also of opening one connection. */
  readonly timeoutMs: number
  readonly connectionsPerOrigin?: number
  readonly maxIdleOrigins?: number
  /** How long a connection is used for new requests: less than the minute within which a DNS change must take effect. */
  readonly socketMaxAgeMs?: number
  readonly dnsBudgetMs?: number
  readonly resolver?: NameResolver
  /** Certificate authorities (PEM) instead of the system's. */
  readonly certificateAuthorities?: readonly string[]
}

/** The client for addresses that customers chose. Only a download whose signal is aborted rejects. */
export interface Outbound {
  post(request: PostRequest): Promise<Answer>
  /** Fetches content as a stream, over a separate connection. */
  download(request: DownloadRequest): Promise<Download>
  /** Ends all exchanges immediately. */
  close(): Promise<void>
}

// 64 KB of response, its headers and its framing.
const MAX_ANSWER_BYTES = 65_536 + 32_768

export function createOutbound(policy: TargetPolicy, options: OutboundOptions): Outbound {
  const { clock, timeoutMs, resolver } = options
  const connect: ConnectOptions = {
    policy,
    timeoutMs,
    lookup: createLookup({ clock, budgetMs: options.dnsBudgetMs ?? 5_000, ...(resolver && { resolver }) }),
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(options.certificateAuthorities && { ca: [...options.certificateAuthorities] }),
    }),
    maxAnswerBytes: MAX_ANSWER_BYTES,
  }
  const origins = new Origins({
    ...connect,
    clock,
    connectionsPerOrigin: options.connectionsPerOrigin ?? 32,
    maxIdleOrigins: options.maxIdleOrigins ?? 512,
    socketMaxAgeMs: options.socketMaxAgeMs ?? 55_000,
  })
  const context = { clock, targets: new AllowedTargets(policy, clock), origins, timeoutMs }
  return {
    post: request => post(context, request),
    download: request => download({ ...connect, clock }, request),
    close: () => origins.close(),
  }
}
