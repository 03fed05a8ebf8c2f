import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { isApiKey } from '../domain/api-key.ts'
import { GatewayError, text } from '../domain/errors.ts'
import { ExpiringMap } from '../runtime/expiring-map.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'
import type { AuthThrottle } from './limits/auth-throttle.ts'
import type { Identity } from './identity.ts'
import { clientAddress } from './portal/client-address.ts'
import { accountRequester, keyRequester } from './limits/rate-limited-callers.ts'
import type { Requester, RequestLimits } from './limits/request-limits.ts'

/** How long a key is believed without asking the store: a revocation works everywhere within 1 s. */
const BELIEVED_MS = 500
const MAX_CACHED = 10_000
const TOUCH_EVERY_MS = 10_000

interface Needs extends Pick<Context, 'clock' | 'log'> {
  store: Pick<Store, 'keys' | 'signals'>
  requestLimits: RequestLimits
  authThrottle: AuthThrottle
  publicUrl(): string
}

/** Whose key it is, and who is counted for its requests. */
interface Believed {
  identity: Identity
  requesters: Requester[]
}

/** Whose key a request brings. */
export class Authenticator {
  readonly #needs: Needs
  readonly #believed: ExpiringMap<Believed>
  /** When each key was used last, as far as the store does not know it. */
  readonly #used = new Map<string, number>()
  /** What was looked up before the last change is not believed. */
  #changes = 0

  constructor(needs: Needs) {
    this.#needs = needs
    this.#believed = new ExpiringMap(MAX_CACHED, { ms: BELIEVED_MS, clock: needs.clock })
  }

  /** Hears of keys that have changed and tells the store of those that were used, until the end. */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#needs.store.signals.on('keys', () => this.#lookAnew())
    const touching = new RepeatingTask(this.#needs, 'keys.touch', async () => {
      await this.#touch()
      return TOUCH_EVERY_MS
    })
    await touching.run(signal, TOUCH_EVERY_MS)
    unsubscribe()
  }

  /** 401 for anything but one live key, then 429 where the key or its account asks too often. */
  authenticate(request: FastifyRequest): Identity | Promise<Identity> {
    const digest = hash('sha256', bearerKey(request), 'hex')
    request.stillAdmitted = async () => (await this.#find(request, digest)) !== undefined
    const believed = this.#believed.get(digest)
    return believed === undefined
      ? this.#find(request, digest).then(found => this.#admit(request, found))
      : this.#admit(request, believed)
  }

  #admit(request: FastifyRequest, found: Believed | undefined): Identity {
    if (found === undefined) throw keyRevoked()
    const { identity, requesters } = found
    // Also where it asks too often: the log says whose request it was.
    request.identity = identity
    this.#used.set(identity.key!.id, this.#needs.clock.now().getTime())
    this.#needs.requestLimits.count(requesters)
    return identity
  }

  async #find(request: FastifyRequest, digest: string): Promise<Believed | undefined> {
    const { authThrottle, publicUrl } = this.#needs
    const believed = this.#believed.get(digest)
    if (believed !== undefined) return believed
    return await authThrottle.judge(clientAddress(request, publicUrl()), `key ${digest}`, () => this.#look(digest))
  }

  async #look(digest: string): Promise<Believed | undefined> {
    const expected = Buffer.from(digest, 'hex')
    const changes = this.#changes
    const found = await this.#needs.store.keys.findKeyByHash(expected)
    if (found === undefined || !timingSafeEqual(found.hash, expected)) return undefined
    const { key, account } = found
    const identity: Identity = { account, scopes: key.scopes, sessionIds: key.sessionIds, key, user: null }
    const believed = { identity, requesters: [...keyRequester(identity), ...accountRequester(identity)] }
    if (changes === this.#changes) this.#believed.set(digest, believed)
    return believed
  }

  #lookAnew(): void {
    this.#changes++
    this.#believed.clear()
    this.#needs.authThrottle.judgeAnew()
  }

  async #touch(): Promise<void> {
    const touched = [...this.#used].map(([id, at]) => ({ id, at }))
    if (touched.length === 0) return
    await this.#needs.store.keys.touchKeys(touched)
    for (const { id, at } of touched) if (this.#used.get(id) === at) this.#used.delete(id)
  }
}

/** The key of exactly one `Authorization: Bearer <API_KEY>` header; anything hidden inside makes it invalid. */
function bearerKey(request: FastifyRequest): string {
  const header = request.headers.authorization
  if (header === undefined) throw keyMissing('the Authorization header is missing; send "Bearer <API key>" in it')
  if (countHeader(request, 'authorization') !== 1) throw keyInvalid('send one Authorization header alone')
  if (!header.startsWith('Bearer ')) throw keyMissing('the Authorization header must be "Bearer <API key>"')
  const key = header.slice('Bearer '.length)
  if (!isApiKey(key)) throw keyInvalid('a key is ptn_ and 40 letters and digits, with nothing before, between or after')
  return key
}

function countHeader(request: FastifyRequest, name: string): number {
  const raw = request.raw.rawHeaders
  let count = 0
  for (let i = 0; i < raw.length; i += 2) if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) count++
  return count
}

const keyMissing = (hint: string): GatewayError =>
  new GatewayError('api_key_missing', text.keyMissing, { hint, param: 'Authorization' })
const keyInvalid = (hint: string): GatewayError =>
  new GatewayError('api_key_invalid', text.keyMissing, { hint, param: 'Authorization' })
export const keyRevoked = (): GatewayError => keyInvalid('there is no such key, or it was revoked')
