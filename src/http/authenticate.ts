import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { isApiKey } from '../domain/api-key.ts'
import { GatewayError, text } from '../domain/errors.ts'
import { begunOf } from './begun-request.ts'
import { ExpiringMap } from '../runtime/expiring-map.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'
import type { AuthThrottle } from './limits/auth-throttle.ts'
import type { Identity } from './identity.ts'
import { clientAddress } from './portal/client-address.ts'
import { accountCaller, keyCaller, type Caller, type RequestLimits } from './limits/request-limits.ts'

/** How long a key is cached: a revocation takes effect everywhere within 1 s. */
const CACHED_MS = 500
const MAX_CACHED = 10_000
const TOUCH_EVERY_MS = 10_000
const BEARER = 'Bearer '

interface AuthDeps extends Pick<Context, 'clock' | 'log'> {
  store: Pick<Store, 'keys' | 'signals'>
  requestLimits: RequestLimits
  authThrottle: AuthThrottle
  publicUrl(): string
}

/** Whose key it is, and which callers its requests count for. */
export interface KnownKey {
  identity: Identity
  callers: Caller[]
}

/** Finds the account whose key a request has. */
export class Authenticator {
  readonly #deps: AuthDeps
  readonly #cache: ExpiringMap<KnownKey>
  /** When each key was used last, as long as the store does not have it. */
  readonly #used = new Map<string, number>()
  /** Counts changes of keys: a key that was read before the last change is not cached. */
  #changes = 0

  constructor(deps: AuthDeps) {
    this.#deps = deps
    this.#cache = new ExpiringMap(MAX_CACHED, { ms: CACHED_MS, clock: deps.clock })
  }

  /** Drops the cache when keys change, and writes when keys were used, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#deps.store.signals.on('keys', () => this.#invalidate())
    const touching = new RepeatingTask(this.#deps, 'keys.touch', async () => {
      await this.#touch()
      return TOUCH_EVERY_MS
    })
    await touching.run(signal, TOUCH_EVERY_MS)
    unsubscribe()
  }

  /** 401 for anything but one live key, then 429 if the key or its account sends requests too often. */
  authenticate(request: FastifyRequest): Identity | Promise<Identity> {
    const digest = hash('sha256', bearerKey(request), 'hex')
    request.stillAdmitted = async () => (await this.#find(request, digest)) !== undefined
    const known = this.#cache.get(digest)
    return known === undefined
      ? this.#find(request, digest).then(found => this.#admit(request, found))
      : this.#admit(request, known)
  }

  /** The caller, if its key is cached; counts nothing. */
  peek(request: IncomingMessage): KnownKey | undefined {
    const header = request.headers.authorization
    if (header === undefined || !header.startsWith(BEARER) || countHeader(request, 'authorization') !== 1)
      return undefined
    return this.#cache.get(hash('sha256', header.slice(BEARER.length), 'hex'))
  }

  /** Counts a request; throws 429 if the key or its account sends requests too often. */
  count({ identity, callers }: KnownKey): void {
    this.#used.set(identity.key!.id, this.#deps.clock.now().getTime())
    this.#deps.requestLimits.count(callers)
  }

  #admit(request: FastifyRequest, found: KnownKey | undefined): Identity {
    if (found === undefined) throw keyRevoked()
    // Before the limit, so that the log shows whose request it was.
    request.identity = found.identity
    if (begunOf(request.raw)?.isCounted !== true) this.count(found)
    return found.identity
  }

  async #find(request: FastifyRequest, digest: string): Promise<KnownKey | undefined> {
    const { authThrottle, publicUrl } = this.#deps
    const known = this.#cache.get(digest)
    if (known !== undefined) return known
    return await authThrottle.check(clientAddress(request, publicUrl()), `key ${digest}`, () => this.#read(digest))
  }

  async #read(digest: string): Promise<KnownKey | undefined> {
    const expected = Buffer.from(digest, 'hex')
    const changes = this.#changes
    const found = await this.#deps.store.keys.findKeyByHash(expected)
    if (found === undefined || !timingSafeEqual(found.hash, expected)) return undefined
    const { key, account } = found
    const identity: Identity = { account, scopes: key.scopes, sessionIds: key.sessionIds, key, user: null }
    const known = { identity, callers: [...keyCaller(identity), ...accountCaller(identity)] }
    if (changes === this.#changes) this.#cache.set(digest, known)
    return known
  }

  #invalidate(): void {
    this.#changes++
    this.#cache.clear()
    this.#deps.authThrottle.forgetOngoing()
  }

  async #touch(): Promise<void> {
    const touched = [...this.#used].map(([id, at]) => ({ id, at }))
    if (touched.length === 0) return
    await this.#deps.store.keys.touchKeys(touched)
    for (const { id, at } of touched) if (this.#used.get(id) === at) this.#used.delete(id)
  }
}

/** The key of exactly one `Authorization: Bearer <API_KEY>` header; anything hidden inside makes it invalid. */
function bearerKey(request: FastifyRequest): string {
  const header = request.headers.authorization
  if (header === undefined) throw keyMissing('the Authorization header is missing; send "Bearer <API key>" in it')
  if (countHeader(request.raw, 'authorization') !== 1) throw keyInvalid('send one Authorization header alone')
  if (!header.startsWith(BEARER)) throw keyMissing('the Authorization header must be "Bearer <API key>"')
  const key = header.slice(BEARER.length)
  if (!isApiKey(key)) throw keyInvalid('a key is ptn_ and 40 letters and digits, with nothing before, between or after')
  return key
}

function countHeader({ rawHeaders: raw }: IncomingMessage, name: string): number {
  let count = 0
  for (let i = 0; i < raw.length; i += 2) if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) count++
  return count
}

const keyMissing = (hint: string): GatewayError =>
  new GatewayError('api_key_missing', text.keyMissing, { hint, param: 'Authorization' })
const keyInvalid = (hint: string): GatewayError =>
  new GatewayError('api_key_invalid', text.keyMissing, { hint, param: 'Authorization' })
export const keyRevoked = (): GatewayError => keyInvalid('there is no such key, or it was revoked')
