import type { Context } from '../context.ts'
import type { Account, Plan } from '../domain/account.ts'
import {
  type Direction,
  type Endpoint,
  type EndpointType,
  isReservedHeader,
  KEEP_HOURS,
  makeEndpointSecret,
  maxKeepHours,
  type MediaForm,
  mediaFormOf,
  type RetryMode,
  type SignatureScheme,
  typeOf,
} from '../domain/endpoint.ts'
import {
  conflicting,
  invalid,
  keyReused,
  missing,
  notFound,
  tooManyEndpoints,
  tooManyPullEndpoints,
} from '../domain/errors.ts'
import type { AnyKind } from '../domain/event.ts'
import { canonical, isSamePrint } from '../domain/fingerprint.ts'
import { makeId } from '../domain/ids.ts'
import { type IncludeWord, INCLUDE_WORDS } from '../domain/include.ts'
import { aboutEndpoint, aboutHeaders } from '../domain/sealed.ts'
import { checkUrl, urlError } from '../net/target-url.ts'
import type { EndpointSettings, StoredHeaders } from '../store/endpoints/endpoints.ts'
import type { Store } from '../store/store.ts'

type Deps = Pick<Context, 'seal' | 'targets'> & { store: Pick<Store, 'endpoints'> }

/** The settings as a customer gives them, with the ids of the numbers checked. */
export interface GivenEndpoint {
  url?: string
  keep_hours?: number
  description?: string
  kinds?: AnyKind[] | null
  sessionIds?: string[] | null
  direction?: Direction | null
  include?: string[]
  media?: MediaForm
  headers?: Record<string, string>
  signature?: SignatureScheme
  retry?: RetryMode
  reply?: boolean
  active?: boolean
}

/** The Idempotency-Key of a request, and the body that it came with. */
interface KeyedRequest {
  key: string
  body: unknown
}

/**
 * Creates an endpoint with its secret, which no later call shows. Only a repeated request with the same key gets it once
 * more, because its first response may be lost.
 */
export async function createEndpoint(
  deps: Deps,
  { id: accountId, plan }: Pick<Account, 'id' | 'plan'>,
  { type = 'webhook', ...given }: GivenEndpoint & { type?: EndpointType },
  request: KeyedRequest | null,
): Promise<{ endpoint: Endpoint; secret: string; repeated: boolean }> {
  rejectFieldsOfOtherType(type, given)
  if (type === 'webhook' && given.url === undefined) throw missing('url is required', 'url')
  const fingerprint = request && deps.seal.print(canonical(request.body))
  const id = makeId('ep')
  const secret = makeEndpointSecret()
  const created = await deps.store.endpoints.createEndpoint({
    description: '',
    kinds: null,
    sessionIds: null,
    direction: null,
    include: [],
    headers: { names: [], sealed: null },
    signature: 'postern',
    retry: 'eager',
    reply: false,
    active: true,
    url: '',
    keepHours: type === 'pull' ? KEEP_HOURS.default : null,
    ...settingsOf(deps, id, given, []),
    id,
    accountId,
    sealedSecret: deps.seal.seal(secret, aboutEndpoint(id)),
    request: request && { key: request.key, fingerprint: fingerprint! },
  })
  if (created === 'keeps_too_long') throw keptTooLong(plan)
  if (created === 'too_many') throw tooManyEndpoints()
  if (created === 'too_many_pull') throw tooManyPullEndpoints()
  if (!('repeats' in created)) return { endpoint: created, secret, repeated: false }
  if (!isSamePrint(fingerprint!, created.fingerprint)) throw keyReused()
  const { repeats: endpoint, sealedSecret } = created
  return { endpoint, secret: deps.seal.open(sealedSecret, aboutEndpoint(endpoint.id)).toString('utf8'), repeated: true }
}

/** Changes only what is given, and keeps the secret. */
export async function updateEndpoint(
  deps: Deps,
  { plan }: Pick<Account, 'plan'>,
  { id, keepHours, include }: Pick<Endpoint, 'id' | 'keepHours' | 'include'>,
  given: GivenEndpoint,
): Promise<Endpoint> {
  rejectFieldsOfOtherType(typeOf({ keepHours }), given)
  // The account may have had a plan that keeps events longer: what does not change is no error.
  const { keep_hours = keepHours } = given
  if (keep_hours !== null && keep_hours !== keepHours && keep_hours > maxKeepHours(plan)) throw keptTooLong(plan)
  const endpoint = await deps.store.endpoints.updateEndpoint({ id, changes: settingsOf(deps, id, given, include) })
  if (endpoint === undefined) throw notFound('endpoint')
  return endpoint
}

/** A batch of stored events at a time, so that no transaction is long. */
export async function deleteEndpoint(
  { store }: { store: Pick<Store, 'endpoints' | 'listeners'> },
  { id, keepHours }: Pick<Endpoint, 'id' | 'keepHours'>,
): Promise<void> {
  let hasMore = typeOf({ keepHours }) === 'pull'
  while (hasMore) hasMore = await store.listeners.emptyStream(id)
  if (!(await store.endpoints.deleteEndpoint(id))) throw notFound('endpoint')
}

const FIELDS_OF_WEBHOOKS = ['url', 'headers', 'signature', 'retry', 'reply'] as const

function rejectFieldsOfOtherType(type: EndpointType, given: GivenEndpoint): void {
  if (type === 'webhook') {
    if (given.keep_hours !== undefined) throw conflicting('keep_hours is for endpoints of type pull', 'keep_hours')
    return
  }
  const field = FIELDS_OF_WEBHOOKS.find(name => given[name] !== undefined)
  if (field !== undefined) throw conflicting(`an endpoint of type pull has no ${field}`, field)
}

const keptTooLong = (plan: Plan) =>
  invalid(`keep_hours must be ${maxKeepHours(plan)} or less on the ${plan} plan`, 'keep_hours')

export async function rotateEndpointSecret(
  { store, seal }: Pick<Deps, 'store' | 'seal'>,
  id: string,
  overlapSeconds: number,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const secret = makeEndpointSecret()
  const sealedSecret = seal.seal(secret, aboutEndpoint(id))
  const endpoint = await store.endpoints.rotateEndpointSecret({ id, sealedSecret, overlapMs: overlapSeconds * 1_000 })
  if (endpoint === undefined) throw notFound('endpoint')
  return { endpoint, secret }
}

function settingsOf(
  deps: Deps,
  id: string,
  given: GivenEndpoint,
  current: readonly IncludeWord[],
): Partial<EndpointSettings> {
  const { url, keep_hours, include, media, headers, kinds, sessionIds, ...rest } = given
  return {
    ...rest,
    ...(url !== undefined && { url: checkedUrl(deps, url) }),
    ...(keep_hours !== undefined && { keepHours: keep_hours }),
    ...(kinds !== undefined && { kinds: kinds && [...new Set(kinds)] }),
    ...(sessionIds !== undefined && { sessionIds: sessionIds && [...new Set(sessionIds)] }),
    ...((include ?? media) !== undefined && { include: wordsOf({ include, media }, current) }),
    ...(headers !== undefined && { headers: storedHeaders(deps, id, headers) }),
  }
}

function checkedUrl({ targets }: Pick<Deps, 'targets'>, url: string): string {
  const verdict = checkUrl(url, targets)
  if (!verdict.ok) throw urlError('url', verdict.reason)
  return url
}

/** Both settings are stored as words; one that is not given stays as it is. */
function wordsOf(
  { include, media }: Pick<GivenEndpoint, 'include' | 'media'>,
  current: readonly IncludeWord[],
): IncludeWord[] {
  const words = include === undefined ? current.filter(word => word !== 'media') : checkedWords(include)
  return (media ?? mediaFormOf({ include: [...current] })) === 'url' ? [...words, 'media'] : words
}

function checkedWords(include: string[]): IncludeWord[] {
  return [...new Set(include)].map(given => {
    const word = INCLUDE_WORDS.find(each => each === given)
    if (word === undefined) throw invalid(`include has an unknown word; ${KNOWN_WORDS}`, 'include')
    return word
  })
}

const KNOWN_WORDS = `choose from ${INCLUDE_WORDS.join(', ')}`

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/
/** A name such as `__proto__` or `constructor` would not survive in every program that reads headers as an object. */
const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype).map(name => name.toLowerCase()))
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/

function storedHeaders({ seal }: Deps, id: string, headers: Record<string, string>): StoredHeaders {
  const names = Object.keys(headers)
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || INHERITED.has(name.toLowerCase()))
      throw invalid('headers has a name that is not a valid header name', 'headers')
    if (isReservedHeader(name)) throw conflicting(`headers must not set ${name}: the gateway sets it`, 'headers')
    if (!HEADER_VALUE.test(value))
      throw invalid(
        `headers.${name} must be 1 to 1,024 printable ASCII characters, without spaces at the ends`,
        'headers',
      )
  }
  if (new Set(names.map(name => name.toLowerCase())).size < names.length)
    throw conflicting('headers has a name twice', 'headers')
  return { names, sealed: names.length === 0 ? null : seal.seal(JSON.stringify(headers), aboutHeaders(id)) }
}
