import { randomBytes } from 'node:crypto'
import type { Plan } from './account.ts'
import { type AnyKind, EVENT_KINDS, type EventKind, isExtraKind } from './event.ts'
import type { IncludeWord } from './include.ts'
import { KEPT_MS, pulledEventsKeptMs } from './retention.ts'

export const SIGNATURES = ['postern', 'standard'] as const
export type SignatureScheme = (typeof SIGNATURES)[number]

/** `ladder`: the retries of webhooks. `eager`: a failing endpoint is probed, and gets everything once it answers. */
export const RETRY_MODES = ['eager', 'ladder'] as const
export type RetryMode = (typeof RETRY_MODES)[number]

/** `in`: what people send to a number. `out`: what the number sends, and what becomes of it. */
export const DIRECTIONS = ['in', 'out'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** `inline`: events have files up to 4 MB in them. `url`: events have the ids of files, of any size. */
export const MEDIA_FORMS = ['inline', 'url'] as const
export type MediaForm = (typeof MEDIA_FORMS)[number]

export const mediaFormOf = ({ include }: Pick<EndpointFilter, 'include'>): MediaForm =>
  include.includes('media') ? 'url' : 'inline'

/** Which events an endpoint gets. */
export interface EndpointFilter {
  /** `null`: the default kinds. */
  kinds: AnyKind[] | null
  /** `null`: every number of the account. */
  sessionIds: string[] | null
  direction: Direction | null
  include: IncludeWord[]
}

/** `webhook`: the gateway posts events to its URL. `pull`: a program reads them. */
export const ENDPOINT_TYPES = ['webhook', 'pull'] as const
export type EndpointType = (typeof ENDPOINT_TYPES)[number]

const HOUR_MS = 3_600_000

/** How many hours a pull endpoint of a plan may keep events. */
export const maxKeepHours = (plan: Plan): number => pulledEventsKeptMs(plan) / HOUR_MS

/** How long a pull endpoint keeps events; no plan allows more than `max`. */
export const KEEP_HOURS = { default: KEPT_MS.pulledEvents / HOUR_MS, max: maxKeepHours('max') } as const

/** A URL of an account that gets events of its numbers, or a queue of them that a program reads. */
export interface Endpoint extends EndpointFilter {
  id: string
  accountId: string
  /** Empty for a pull endpoint. */
  url: string
  /** How long a pull endpoint keeps events; `null` for an endpoint with a URL. */
  keepHours: number | null
  description: string
  /** The names of its headers; their values are sealed. */
  headerNames: string[]
  signature: SignatureScheme
  retry: RetryMode
  /** Whether its answer to a message is sent to the chat. */
  reply: boolean
  active: boolean
  /** The time of its first failure since it last answered; `null` while it answers. */
  failingSince: number | null
  /** When the gateway switched it off because it had failed for days. */
  switchedOffAt: number | null
  createdAt: number
  updatedAt: number
}

export const typeOf = ({ keepHours }: Pick<Endpoint, 'keepHours'>): EndpointType =>
  keepHours === null ? 'webhook' : 'pull'

/** Endpoints and webhooks share the queue, the history and the replays; the id tells them apart. */
export const isEndpointId = (id: string): boolean => id.startsWith('ep_')

/** Standard base64, as Standard Webhooks asks for; both signatures use it. */
export const makeEndpointSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export interface FilteredEvent {
  kind: AnyKind
  /** Empty for an event of the account. */
  sessionId: string
  requires?: IncludeWord | null
  alsoFor?: IncludeWord | null
}

/** Without typing and presence: a number appears online while a program gets those, and its phone may stay silent. */
export const DEFAULT_KINDS: readonly EventKind[] = EVENT_KINDS.filter(kind => kind !== 'typing' && kind !== 'presence')

export function wants(filter: EndpointFilter, event: FilteredEvent): boolean {
  const requires = event.requires ?? null
  if (requires !== null && !filter.include.includes(requires)) return false
  const kinds: readonly AnyKind[] = filter.kinds ?? DEFAULT_KINDS
  const isMeant = kinds.includes(event.kind) || includesKind(filter, event.kind)
  if (!isMeant && !filter.include.some(word => word === event.alsoFor)) return false
  if (filter.sessionIds !== null && !filter.sessionIds.includes(event.sessionId)) return false
  const direction = directionOf(event)
  return filter.direction === null || direction === null || filter.direction === direction
}

/** Whether the endpoint asks for a kind that only endpoints get by its name in `include`. */
const includesKind = ({ include }: EndpointFilter, kind: AnyKind): boolean => include.some(word => word === kind)

/** Whether the endpoint asks for what this word includes, in whatever way. */
export const asksFor = ({ include, kinds }: EndpointFilter, word: IncludeWord): boolean =>
  include.includes(word) || (kinds?.some(kind => kind === word) ?? false)

/** `null`: neither, such as a change of the connection. */
function directionOf({ kind, requires }: FilteredEvent): Direction | null {
  if (kind === 'connection' || isExtraKind(kind)) return null
  return kind === 'status' || kind === 'receipt' || requires === 'own' ? 'out' : 'in'
}

/** How long an endpoint fails until the first notice, and until the gateway switches it off. */
export const NOTICE_AFTER_MS = 3_600_000
export const SWITCH_OFF_AFTER_MS = 3 * 86_400_000

/** Names that the gateway, the proxies on the way or the protocol use. */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-message-id',
  'x-timestamp',
])
const RESERVED_PREFIXES = ['webhook-', 'x-webhook-', 'proxy-', 'x-forwarded-', 'sec-']

export const isReservedHeader = (name: string): boolean => {
  const lower = name.toLowerCase()
  return RESERVED.has(lower) || RESERVED_PREFIXES.some(prefix => lower.startsWith(prefix))
}
