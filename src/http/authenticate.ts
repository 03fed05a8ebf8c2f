import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isApiKey } from '../domain/api-key.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { Guesses } from './guesses.ts'
import type { Identity } from './identity.ts'
import { clientAddress } from './portal/client-address.ts'
import { accountRequester, keyRequester } from './requesters.ts'
import type { RequestLimits } from './request-limits.ts'

/** How long a key is believed without asking the store: a revocation works everywhere within 1 s. */
const BELIEVED_MS = 500
const MAX_CACHED = 10_000
const TOUCH_EVERY_MS = 10_000

interface Cached {
  identity: Identity
  until: number
}

export interface Authenticator {
  /** 401 for anything but one live key, then 429 where the key or its account asks too often. */
  authenticate(request: FastifyRequest): Promise<Identity>
  stop(): void
}

interface Needs {
  store: Store
  requestLimits: RequestLimits
  guesses: Guesses
  publicUrl(): string
}

export function makeAuthenticator({ store, requestLimits, guesses, publicUrl }: Needs): Authenticator {
  const cache = new Map<string, Cached>()
  const used = new Map<string, number>()
  const unsubscribe = store.signals.on('keys', () => cache.clear())
  const timer = setInterval(() => {
    const touched = [...used].map(([id, at]) => ({ id, at }))
    used.clear()
    if (touched.length > 0) void store.accounts.touchKeys(touched).catch(() => {})
  }, TOUCH_EVERY_MS).unref()

  async function find(request: FastifyRequest, key: string): Promise<Identity | undefined> {
    const digest = hash('sha256', key, 'hex')
    const cached = cache.get(digest)
    if (cached !== undefined && cached.until > Date.now()) return cached.identity
    return await guesses.judge(clientAddress(request, publicUrl()), `key ${digest}`, () => look(digest))
  }

  async function look(digest: string): Promise<Identity | undefined> {
    const found = await store.accounts.findKeyByHash(Buffer.from(digest, 'hex'))
    if (found === undefined || !timingSafeEqual(found.hash, Buffer.from(digest, 'hex'))) return undefined
    const { key: apiKey, account } = found
    const identity: Identity = {
      account,
      scopes: apiKey.scopes,
      sessionIds: apiKey.sessionIds,
      key: apiKey,
      user: null,
    }
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(digest, { identity, until: Date.now() + BELIEVED_MS })
    return identity
  }

  return {
    async authenticate(request) {
      const key = bearerKey(request)
      const identity = await find(request, key)
      if (identity === undefined) throw unauthenticated()
      request.stillAdmitted = async () => (await find(request, key)) !== undefined
      used.set(identity.key!.id, Date.now())
      requestLimits.count([...keyRequester(identity), ...accountRequester(identity)])
      return identity
    },
    stop() {
      unsubscribe()
      clearInterval(timer)
    },
  }
}

/** The key of exactly one `Authorization: Bearer <API_KEY>` header; anything hidden inside makes it invalid. */
function bearerKey(request: FastifyRequest): string {
  const header = request.headers.authorization
  if (header === undefined || countHeader(request, 'authorization') !== 1 || !header.startsWith('Bearer ')) {
    throw unauthenticated()
  }
  const key = header.slice('Bearer '.length)
  if (!isApiKey(key)) throw unauthenticated()
  return key
}

function countHeader(request: FastifyRequest, name: string): number {
  const raw = request.raw.rawHeaders
  let count = 0
  for (let i = 0; i < raw.length; i += 2) if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) count++
  return count
}

const unauthenticated = (): GatewayError => new GatewayError('unauthenticated', 'missing or invalid API key')
